import RecordLog
import StreamCore

/// The first step of a commit: everything that waits is sent and emitted, a portion of it, until no message flows
/// within the thread (R17).
extension StreamThread {
    /// - Returns: false if the transaction has failed.
    func flush(mayBeLarge: Bool) -> Bool {
        tellTime()
        let began = clock.monotonic()
        let isFarBehind = mayBeLarge && pace.isFarBehind(settings, unread: unread)
        let leavesPending = pace.leavesPending(settings, isFarBehind: isFarBehind, at: began)
        for runtime in tasks.running { runtime.task.context.leavesPending = leavesPending }
        defer { for runtime in tasks.running { runtime.task.context.flushPortions = 1 } }
        let end = began + settings.farBehindFlush
        for portions in 1...settings.farBehindFlushPortions {
            flush(portions: portions)
            guard isFarBehind, !leavesPending, pace.hasMoreToFlush, clock.monotonic() < end else { break }
            guard handOverWhatIsTooMuch() else { return false }
        }
        return true
    }

    /// Where transactions before left in state what is made now, all tasks flush node by node, in the order of the
    /// topology: what sources have to tell comes before that is made, or most of it would be made twice.
    private func flush(portions: Int) {
        let endsBacklog = pace.endsBacklog
        for runtime in tasks.running { runtime.task.context.flushPortions = portions }
        var messagesFlow = true
        while messagesFlow {
            messagesFlow = false
            for runtime in tasks.running {
                if isCaughtUp(runtime) { runtime.task.bringUp() }
                if heldRelease.isAsked { runtime.task.releaseHeld() }
                if !endsBacklog { runtime.task.flush() }
            }
            for node in topology.nodes.indices where endsBacklog {
                for runtime in tasks.running { runtime.task.flush(node) }
                if deliverLocalMessages() { messagesFlow = true }
            }
            if deliverLocalMessages() { messagesFlow = true }
        }
        pace.noteFlush(hasMore: tasks.running.contains { $0.task.hasMoreToFlush })
    }

    /// After a commit: its flush brought up every task that had caught up.
    func noteWhatIsBroughtUp() {
        for runtime in tasks.running { runtime.isBroughtUp = isCaughtUp(runtime) && !runtime.task.hasMoreToFlush }
        heldRelease.noteCommit(hasMore: pace.hasMoreToFlush)
    }

    /// True if the task has read all that a run which ends reads. Nothing is brought up while others are restored: that
    /// would hold them up, and there is time for it when they are.
    func isCaughtUp(_ runtime: TaskRuntime) -> Bool {
        guard let targets, !tasks.areRestoring else { return false }
        return runtime.inputs.allSatisfy { cursor in
            guard let target = targets[cursor.topicPartition] else { return true }
            return isCompared(cursor) && runtime.next(of: cursor) >= target
        }
    }
}
