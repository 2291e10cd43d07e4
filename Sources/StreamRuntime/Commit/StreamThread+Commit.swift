import RecordLog
import StreamCore
import Tracing

/// A commit, in numbered steps (KIP-447):
/// 1. flush what the processors conflated, a portion of it, until no message flows within the thread (R17);
/// 2. hand outputs and each changed key of the state to the producer;
/// 3. send the positions of every task that wrote, at least its exchange offset (R3), with claims (R15) and current
///    group metadata;
/// 4. commit the transaction;
/// 5. make the overlays the state.
/// A step that fails leaves the thread in a state that `settle` leads out of; no way out leaves a transaction open.
extension StreamThread {
    func commit() { commit(within: settings.transactionTimeout) }

    /// - Parameters:
    ///   - timeout: for all steps after the flush.
    ///   - releasing: the tasks that are given up afterwards: their claims say so.
    func commit(within timeout: Duration, releasing: Set<Partition> = []) {
        guard state.mayProcess else { return }
        defer { pace.begin(at: clock.monotonic()) }
        let began = clock.monotonic()
        let traceBegan = trace?.now()
        let isClaimAlone = tasks.areNameless
        if !isClaimAlone {
            // Whoever is to be done soon leaves no more than a portion for later, and makes no more.
            guard flush(mayBeLarge: releasing.isEmpty && timeout >= settings.transactionTimeout) else { return }
        }
        let deadline = clock.monotonic() + timeout
        let refreshes = schedule.offsetsRefresh.isDue(
            at: clock.monotonic(), every: settings.offsetsRefreshInterval)
        // Who sent a message need not have changed anything else, so then every task is fenced (R3).
        let all = refreshes || outbox.hasSent
        // A claim that says so once says so again: whoever leaves commits more than once.
        let released = releasing.filter { tasks[$0]?.isRunning ?? false }
        let writers = tasks.running.filter {
            all || $0.hasProduced || $0.task.isDirty || (released.contains($0.task.partition) && !$0.isReleased)
        }
        if writers.isEmpty && outbox.outputs.isEmpty && state.name == .ready { return noteWhatIsBroughtUp() }
        let commit = ThreadState.CommitInDoubt(
            number: commitNumbers.next(), writers: writers.map(\.task.partition), released: released,
            isClaimAlone: isClaimAlone,
            hasAdvanced: writers.contains { $0.hasAdvanced } || !outbox.outputs.isEmpty)
        do throws(TransactionError) {
            try handOverToProducer(until: deadline)
            try produceChangelog(of: writers, until: deadline)
            try sendOffsets(of: writers, all: refreshes, releasing: released, until: deadline)
        } catch {
            traceCommit(since: traceBegan, error.cause)
            return fail(error, until: deadline)
        }
        do throws(TransactionError) {
            try repeated(until: deadline) { timeout throws(TransactionError) in try producer.commit(timeout: timeout) }
        } catch {
            traceCommit(since: traceBegan, error.cause)
            return fail(error, committing: commit, until: deadline)
        }
        measureCommit(since: began)
        traceCommit(since: traceBegan)
        if refreshes { schedule.offsetsRefresh.note(at: clock.monotonic()) }
        enter(.ready)
        finish(commit)
    }

    /// The transaction is committed: what tasks changed is their state now.
    func finish(_ commit: ThreadState.CommitInDoubt) {
        // A claim alone says nothing of what failed before.
        if commit.hasAdvanced {
            failures.forgive()
            refusals.forgive()
            counts.noteAdvance()
            pace.noteCommit()
        }
        for runtime in tasks.running {
            runtime.hasProduced = false
            runtime.task.commit()
        }
        for partition in commit.writers { tasks[partition]?.isReleased = commit.released.contains(partition) }
        forgetBarriers()
        // Nothing was flushed.
        if !commit.isClaimAlone { noteWhatIsBroughtUp() }
        countCommit()
        trace?.end()
    }

    /// Hands over early what would take too much memory until the commit.
    ///
    /// - Returns: false if the transaction has failed.
    @discardableResult
    func handOverWhatIsTooMuch() -> Bool {
        let waiting = tasks.running.reduce(outbox.outputs.bytes.count) { $0 + $1.task.context.outputs.bytes.count }
        guard waiting > settings.outputBytesMax else { return true }
        let deadline = clock.monotonic() + settings.transactionTimeout
        do throws(TransactionError) {
            try handOverToProducer(until: deadline)
            return true
        } catch {
            fail(error, until: deadline)
            return false
        }
    }

    // MARK: - Steps

    private func handOverToProducer(until deadline: Duration) throws(TransactionError) {
        for runtime in tasks.running where !runtime.task.context.outputs.isEmpty {
            runtime.hasProduced = true
            try produce(runtime.task.context.outputs, until: deadline)
            runtime.task.context.outputs.removeAll()
        }
        if outbox.outputs.isEmpty { return }
        try produce(outbox.outputs, until: deadline)
        outbox.noteHandOver()
    }

    private func produce(_ outputs: OutputBuffer, until deadline: Duration) throws(TransactionError) {
        try openTransaction(until: deadline)
        try outputs.forEach { entry, key, value throws(TransactionError) in
            try repeated(until: deadline) { () throws(TransactionError) in
                try producer.produce(
                    topic: entry.topic, partition: entry.partition, key: key, value: value, headers: entry.headers)
            }
        }
    }

    private func produceChangelog(
        of writers: [TaskRuntime], until deadline: Duration
    ) throws(TransactionError) {
        try openTransaction(until: deadline)
        for runtime in writers {
            var failure: TransactionError?
            runtime.task.captureChangelog { key, value in
                if failure != nil { return }
                do throws(TransactionError) {
                    try repeated(until: deadline) { () throws(TransactionError) in
                        try producer.produce(
                            topic: settings.stateTopic, partition: runtime.task.partition, key: key, value: value,
                            headers: [])
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }

    private func sendOffsets(
        of writers: [TaskRuntime], all: Bool, releasing: Set<Partition>, until deadline: Duration
    ) throws(TransactionError) {
        var offsets: [(TopicPartition, CommittedOffset)] = []
        for runtime in writers {
            let claim = Claim(
                transactionalId: producer.transactionalId, number: commitNumbers.last,
                isReleased: releasing.contains(runtime.task.partition)
            ).text(format: runtime.claimFormat)
            for cursor in runtime.cursors {
                let entry = runtime.task.positions.entries[cursor.position]
                guard all || entry.isDirty || cursor.source == TaskPositions.exchange else { continue }
                offsets.append((cursor.topicPartition, CommittedOffset(next: entry.next, metadata: claim)))
            }
        }
        try repeated(until: deadline) { timeout throws(TransactionError) in
            guard let group = consumer.groupMetadata() else {
                throw .abortable(LogError(.other, name: "_NO_MEMBER", "not a member of the group"))
            }
            try producer.sendOffsets(offsets, group: group, timeout: timeout)
        }
    }

    private func openTransaction(until deadline: Duration) throws(TransactionError) {
        if state.name == .open { return }
        try repeated(until: deadline) { () throws(TransactionError) in try producer.begin() }
        enter(.open)
    }

    // MARK: - Repeating

    /// Repeats the same call while it says so, until the deadline (R6).
    private func repeated(
        until deadline: Duration, _ body: () throws(TransactionError) -> Void
    ) throws(TransactionError) {
        while true {
            do throws(TransactionError) {
                return try body()
            } catch {
                guard case .retriable = error, clock.monotonic() < deadline else { throw error }
                clock.pause(Self.repeatPause)
            }
        }
    }

    /// - Parameter body: is given what is left until the deadline. Never zero, which would mean "do not wait".
    private func repeated(
        until deadline: Duration, _ body: (_ timeout: Duration) throws(TransactionError) -> Void
    ) throws(TransactionError) {
        try repeated(until: deadline) { () throws(TransactionError) in
            try body(max(deadline - clock.monotonic(), .milliseconds(1)))
        }
    }

    /// A call that fails at once would otherwise be repeated without a pause, for as long as a broker is away.
    private static let repeatPause = Duration.milliseconds(5)
}
