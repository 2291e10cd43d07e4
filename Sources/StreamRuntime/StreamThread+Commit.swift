import RecordLog
import StreamCore

/// A commit, in numbered steps (KIP-447):
/// 1. flush what the processors conflated, until no message flows within the thread;
/// 2. hand outputs and each changed key of the state to the producer;
/// 3. send the positions of every task that wrote, at least its exchange offset (R3), with current group metadata;
/// 4. commit the transaction;
/// 5. make the overlays the state.
/// No way out leaves a transaction open: what fails is aborted, or its producer replaced.
extension StreamThread {
    func commit() throws(StreamFailure) {
        try commit(within: settings.transactionTimeout)
    }

    func commit(within timeout: Duration) throws(StreamFailure) {
        let deadline = clock.monotonic() + timeout
        // The interval is time to process in: a slow commit is not followed by the next one at once.
        defer {
            lastCommit = clock.monotonic()
            recordsSinceCommit = 0
        }
        flush()
        let refreshes = clock.monotonic() - lastOffsetsRefresh >= settings.offsetsRefreshInterval
        // Who sent a message need not have changed anything else, so then every task is fenced (R3).
        let all = refreshes || !sentThroughExchange.isEmpty
        let writers = runningTasks.filter { all || $0.hasProduced || $0.task.isDirty }
        if writers.isEmpty && exchangeOutputs.isEmpty && !isTransactionOpen { return noteWhatIsBroughtUp() }
        do throws(TransactionError) {
            try handOverToProducer(until: deadline)
            try produceChangelog(of: writers, until: deadline)
            try sendOffsets(of: writers, all: refreshes, until: deadline)
            try repeated(until: deadline) { () throws(TransactionError) in
                try producer.commit(timeout: remaining(until: deadline))
            }
        } catch {
            try recover(from: error)
            return
        }
        isTransactionOpen = false
        failuresInARow = 0
        if refreshes { lastOffsetsRefresh = clock.monotonic() }
        for runtime in tasks.values {
            runtime.hasProduced = false
            runtime.task.commit()
        }
        for partition in sentThroughExchange { tasks[partition]?.localBarrier = nil }
        sentThroughExchange.removeAll()
        noteWhatIsBroughtUp()
        countCommit()
    }

    /// Hands over early what would take too much memory until the commit.
    func handOver() throws(StreamFailure) {
        do throws(TransactionError) {
            try handOverToProducer(until: clock.monotonic() + settings.transactionTimeout)
        } catch {
            try recover(from: error)
        }
    }

    // MARK: - Steps

    private func flush() {
        repeat {
            for runtime in runningTasks {
                if isCaughtUp(runtime) { runtime.task.bringUp() }
                if isReleasingHeld { runtime.task.releaseHeld() }
                runtime.task.flush()
            }
        } while deliverLocalMessages()
    }

    /// After a commit: its flush brought up every task that had caught up.
    private func noteWhatIsBroughtUp() {
        for runtime in runningTasks { runtime.isBroughtUp = isCaughtUp(runtime) }
        hasReleasedHeld = isReleasingHeld
    }

    private func handOverToProducer(until deadline: Duration) throws(TransactionError) {
        for runtime in runningTasks where !runtime.task.context.outputs.isEmpty {
            runtime.hasProduced = true
            try produce(runtime.task.context.outputs, until: deadline)
            runtime.task.context.outputs.removeAll()
        }
        if exchangeOutputs.isEmpty { return }
        try produce(exchangeOutputs, until: deadline)
        exchangeOutputs.removeAll()
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
        of writers: [TaskRuntime], all: Bool, until deadline: Duration
    ) throws(TransactionError) {
        var offsets: [(TopicPartition, CommittedOffset)] = []
        for runtime in writers {
            for cursor in ([runtime.exchange].compactMap { $0 } + runtime.inputs) {
                let entry = runtime.task.positions.entries[cursor.position]
                guard all || entry.isDirty || cursor.source == TaskPositions.exchange else { continue }
                let committed = CommittedOffset(next: entry.next, metadata: producer.transactionalId)
                offsets.append((cursor.topicPartition, committed))
            }
        }
        try repeated(until: deadline) { () throws(TransactionError) in
            guard let group = consumer.groupMetadata() else {
                throw .abortable(LogError(.other, name: "_NO_MEMBER", "not a member of the group"))
            }
            try producer.sendOffsets(offsets, group: group, timeout: remaining(until: deadline))
        }
    }

    private func openTransaction(until deadline: Duration) throws(TransactionError) {
        if isTransactionOpen { return }
        try repeated(until: deadline) { () throws(TransactionError) in try producer.begin() }
        isTransactionOpen = true
    }

    /// Repeats the same call while it says so, until the deadline (R6).
    func repeated(
        until deadline: Duration, _ body: () throws(TransactionError) -> Void
    ) throws(TransactionError) {
        while true {
            do throws(TransactionError) {
                return try body()
            } catch {
                guard case .retriable = error, clock.monotonic() < deadline else { throw error }
            }
        }
    }

    /// Never zero, which would mean "do not wait".
    func remaining(until deadline: Duration) -> Duration {
        max(deadline - clock.monotonic(), .milliseconds(1))
    }

    private func isCaughtUp(_ runtime: TaskRuntime) -> Bool {
        guard let targets else { return false }
        return runtime.inputs.allSatisfy { cursor in
            guard let target = targets[cursor.topicPartition] else { return true }
            return runtime.next(of: cursor) >= target
        }
    }
}
