import RecordLog
import StreamCore

/// How long an iteration may wait, and when the next commit is due.
extension StreamThread {
    private var commitInterval: Duration {
        pace.interval(settings, isFinishing: isFinishing, hasNews: hasNews, unread: unread)
    }

    /// True if a run that ends has read all that there is, and has something left to commit or to look at.
    private var isFinishing: Bool {
        guard targets != nil, tasks.all.allSatisfy({ $0.isRunning && isCaughtUp($0) }) else { return false }
        let hasMore =
            heldRelease.isWanted || !outbox.outputs.isEmpty
            || tasks.all.contains { !$0.isBroughtUp || $0.task.isDirty }
        return hasMore && unread == 0
    }

    /// The records that are known to wait in the partitions that the thread reads; transaction markers count as well.
    var unread: Int { unread { _ in true } }

    /// True if the tasks that have not read yet what was there when they were taken over have very much to read.
    var isCatchingUp: Bool {
        guard tasks.all.contains(where: { $0.isRunning && $0.readThrough != .max }) else { return false }
        return unread { $0.runtime.readThrough != .max } >= settings.farBehindRecords
    }

    private func unread(_ counts: (PartitionCursor) -> Bool) -> Int {
        cursors.all.reduce(0) { sum, cursor in
            if !counts(cursor) { return sum }
            // What a transaction of others holds back is not there yet.
            if cursor.endSeen == cursor.runtime.next(of: cursor) { return sum }
            // One that is read later, or of which nothing has come yet, goes as far as it went at the take-over.
            let end = (cursor.isAssigned ? consumer.knownEnd(of: cursor.topicPartition) : nil) ?? cursor.stageEnd
            return sum + max(0, Int(end.rawValue - cursor.runtime.next(of: cursor).rawValue))
        }
    }

    /// True if something waits for the commit that others may see, the tasks of other threads included.
    private var hasNews: Bool {
        !outbox.outputs.isEmpty || tasks.all.contains { $0.isRunning && $0.task.hasNews }
    }

    /// True if what a flush left does not wait for the interval. In a run that ends it does while others are restored:
    /// what is to be brought up waits for them.
    private var isUrgent: Bool {
        pace.isUrgent(settings, unread: unread) && !(targets != nil && tasks.areRestoring)
    }

    /// A task that has come is claimed at once.
    var isCommitDue: Bool {
        tasks.running.contains { !$0.isClaimed } || isUrgent
            || clock.monotonic() - pace.last >= commitInterval
    }

    func pollTimeout(now: Instant) -> Duration {
        if isUrgent || restoreLoad.isBusy { return .zero }
        if tasks.all.contains(where: { !$0.isRunning }) || cursors.all.contains(where: \.needsSeek) {
            return .milliseconds(5)
        }
        if standbys.isBehind { return .zero }
        var timeout = min(settings.pollTimeoutMax, commitInterval - (clock.monotonic() - pace.last))
        for runtime in tasks.all where runtime.isRunning {
            if let due = runtime.task.nextDue(readThrough: readThrough(of: runtime)) {
                timeout = min(timeout, Duration(due - now))
            }
        }
        return max(timeout, .zero)
    }
}
