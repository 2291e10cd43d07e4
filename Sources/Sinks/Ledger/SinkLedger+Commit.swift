import RecordLog

/// How a commit is made, and what its failures lead to. An unknown outcome is never taken for success (R6): the same
/// call is repeated while that is of use; then the producer is made anew, which settles the transaction, and the ledger
/// says by its number whether it came through.
extension SinkLedger {
    private static let failuresMax = 5

    /// Writes all entries in one transaction, however long an outage lasts.
    ///
    /// - Parameter isOpening: the ledger may still name another owner, which this commit replaces.
    /// - Returns: false if it was stopped first. Its outcome may not be known then, so that the next call must be with
    ///   the same entries: it finds out first.
    /// - Throws: `replaced` if another instance has taken this one's place; `reset` if the positions were taken away;
    ///   `log` after five failures in a row, and at once if a record is too large; then nothing was written.
    func commit(_ entries: Entries, isOpening: Bool = false) throws(LedgerError) -> Bool {
        var failures = 0
        while true {
            if isUnsettled {
                guard let isThrough = try settle(isOpening: isOpening) else { return false }
                isUnsettled = false
                if isThrough {
                    committed(entries)
                    return true
                }
            }
            do throws(TransactionError) {
                // A commit that was stopped goes on with the same call.
                if !isCommitting { try writeAll(entries, isOpening: isOpening) }
                guard try finishCommit() else { return false }
                committed(entries)
                return true
            } catch {
                failures += 1
                isUnsettled = true
                switch error {
                case .abortable(let cause) where cause.record != nil:
                    isUnsettled = !abort()
                    throw .log(cause)
                case .abortable(let cause):
                    if failures >= Self.failuresMax { throw .log(cause) }
                    context.notice(.log(cause))
                    isUnsettled = !abort()
                case .retriable(let cause), .fenced(let cause), .fatal(let cause):
                    if failures >= Self.failuresMax { throw .log(cause) }
                    context.notice(.producerReplaced(cause))
                }
            }
        }
    }

    /// Makes the producer anew and finds out what became of the transaction.
    ///
    /// - Returns: true if it came through; `nil` if it was stopped first.
    private func settle(isOpening: Bool) throws(LedgerError) -> Bool? {
        // Whoever has been replaced must not fence the one in its place.
        if !isOpening {
            guard let before = try read(to: .readCommitted) else { return nil }
            try checkOwner(before)
        }
        guard try initialise() else { return nil }
        guard let kept = try read() else { return nil }
        if !isOpening { try checkOwner(kept) }
        return kept.owner == instance && kept.number == number + 1
    }

    private func checkOwner(_ kept: Kept) throws(LedgerError) {
        if kept.owner != instance { throw kept.owner == LedgerReset.instance ? .reset : .replaced }
    }

    /// Makes a producer of this sink's id, which fences every other one of it. Waits for as long as an outage lasts.
    ///
    /// - Returns: false if it was stopped first.
    func initialise() throws(LedgerError) -> Bool {
        var failures = 0
        var isFresh = false
        while !context.shouldStop() {
            do {
                if !isFresh {
                    producer?.destroy()
                    producer = nil
                    isTransactionOpen = false
                    isCommitting = false
                    producer = try context.cluster.makeTransactionalProducer(
                        transactionalId: settings.transactionalId, clientId: context.reading.clientId)
                    isFresh = true
                }
                try producer?.initialise(timeout: context.reading.requestTimeout)
                return true
            } catch let error as TransactionError {
                context.notice(.log(error.cause))
                if case .retriable = error { continue }
                isFresh = false
                failures += 1
                if failures >= Self.failuresMax { throw .log(error.cause) }
            } catch let error as LogError {
                throw .log(error)
            } catch {
                preconditionFailure("the ports throw their own errors")
            }
        }
        return false
    }

    /// - Returns: true if the producer can go on.
    private func abort() -> Bool {
        guard isTransactionOpen, let producer else { return true }
        while true {
            do throws(TransactionError) {
                try producer.abort(timeout: context.reading.requestTimeout)
                isTransactionOpen = false
                return true
            } catch {
                context.notice(.log(error.cause))
                guard case .retriable = error, !context.shouldStop() else { return false }
            }
        }
    }

    // MARK: - The transaction

    private func writeAll(_ entries: Entries, isOpening: Bool) throws(TransactionError) {
        guard let producer else { preconditionFailure("the ledger is open") }
        try producer.begin()
        isTransactionOpen = true
        for record in entries.records { try produce(record.topic, record.key, record.value, record.headers) }
        for (key, value) in entries.changes {
            let parts = key.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).map { String(Substring($0)) }
            let full = [parts[0], settings.name] + parts.dropFirst()
            try produce(settings.topic, Array(full.joined(separator: "/").utf8), value)
        }
        for (partition, position) in entries.positions.sorted(by: { $0.key < $1.key }) {
            let place = "\(settings.name)/\(settings.source)/\(partition)"
            try produce(settings.topic, Array("position/\(place)".utf8), Array(position.next.description.utf8))
            if let choice = position.choice {
                let text = "\(position.next) \(choice)"
                try produce(settings.topic, Array("choice/\(place)".utf8), Array(text.utf8))
            }
            guard let text = LedgerPlace(position)?.text else { continue }
            try produce(settings.topic, Array("place/\(place)".utf8), Array(text.utf8))
        }
        let stamp = Array("\(number + 1) \(instance)".utf8)
        if isOpening && settings.name != settings.owner {
            try produce(settings.topic, Array("commit/\(settings.name)".utf8), stamp)
        }
        try produce(settings.topic, Array("commit/\(settings.owner)".utf8), stamp)
    }

    /// - Returns: false if it was stopped first.
    private func finishCommit() throws(TransactionError) -> Bool {
        guard let producer else { preconditionFailure("the ledger is open") }
        isCommitting = true
        while true {
            do throws(TransactionError) {
                try producer.commit(timeout: context.reading.requestTimeout)
                isTransactionOpen = false
                isCommitting = false
                return true
            } catch {
                guard case .retriable(let cause) = error else {
                    isCommitting = false
                    throw error
                }
                context.notice(.log(cause))
                if context.shouldStop() { return false }
            }
        }
    }

    /// Waits for room in a full queue until it is to stop.
    private func produce(
        _ topic: String, _ key: [UInt8]?, _ value: [UInt8]?, _ headers: [Header] = []
    ) throws(TransactionError) {
        while true {
            do throws(TransactionError) {
                return try enqueue(topic, key, value, headers)
            } catch {
                guard case .retriable = error, !context.shouldStop() else { throw error }
            }
        }
    }

    private func enqueue(
        _ topic: String, _ key: [UInt8]?, _ value: [UInt8]?, _ headers: [Header]
    ) throws(TransactionError) {
        try withBytes(key) { (key) throws(TransactionError) in
            try withBytes(value) { (value) throws(TransactionError) in
                try producer?.produce(
                    topic: topic, partition: topic == settings.topic ? 0 : nil, key: key, value: value,
                    headers: headers)
            }
        }
    }
}
