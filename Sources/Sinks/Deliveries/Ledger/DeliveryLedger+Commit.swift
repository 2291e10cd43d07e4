import RecordLog

/// How a commit is made, and what its failures lead to. An unknown outcome is never taken for success (R6): the same
/// call is repeated while that is of use; then the producer is made anew, which settles the transaction, and the ledger
/// says by its number whether it came through.
extension DeliveryLedger {
    private static let failuresMax = 5

    /// Writes all entries in one transaction, however long an outage lasts.
    ///
    /// - Parameter isOpening: the ledger may still name another owner, which this commit replaces.
    /// - Returns: false if it was stopped first.
    /// - Throws: `replaced` if another instance has taken this one's place; `log` after five failures in a row.
    func commit(_ entries: Entries, isOpening: Bool = false) throws(DeliveryError) -> Bool {
        var failures = 0
        while true {
            do throws(TransactionError) {
                guard try attempt(entries) else { return false }
                committed(entries)
                return true
            } catch {
                failures += 1
                switch error {
                case .abortable(let cause):
                    if failures >= Self.failuresMax { throw .log(cause) }
                    context.notice(.log(cause))
                    if abort() { continue }
                case .retriable(let cause), .fenced(let cause), .fatal(let cause):
                    if failures >= Self.failuresMax { throw .log(cause) }
                    context.notice(.producerReplaced(cause))
                }
            }
            guard let isThrough = try settle(isOpening: isOpening) else { return false }
            if isThrough {
                committed(entries)
                return true
            }
        }
    }

    /// Makes the producer anew and finds out what became of the transaction.
    ///
    /// - Returns: true if it came through; `nil` if it was stopped first.
    private func settle(isOpening: Bool) throws(DeliveryError) -> Bool? {
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

    private func checkOwner(_ kept: Kept) throws(DeliveryError) {
        if kept.owner != instance { throw .replaced(name: settings.name) }
    }

    /// Makes a producer of this sink's id, which fences every other one of it. Waits for as long as an outage lasts.
    ///
    /// - Returns: false if it was stopped first.
    func initialise() throws(DeliveryError) -> Bool {
        var failures = 0
        var isFresh = false
        while !context.shouldStop() {
            do {
                if !isFresh {
                    producer?.destroy()
                    producer = nil
                    isTransactionOpen = false
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

    /// - Returns: false if it was stopped first.
    private func attempt(_ entries: Entries) throws(TransactionError) -> Bool {
        guard let producer else { preconditionFailure("the ledger is open") }
        try producer.begin()
        isTransactionOpen = true
        for letter in entries.deadLetters {
            try produce(settings.deadLettersTopic, letter.record.key, letter.record.value, letter.headers)
        }
        for (key, value) in entries.changes {
            let parts = key.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).map { String(Substring($0)) }
            let full = [parts[0], settings.name] + parts.dropFirst()
            try produce(settings.ledgerTopic, Array(full.joined(separator: "/").utf8), value)
        }
        for (partition, position) in entries.positions.sorted(by: { $0.key < $1.key }) {
            let place = "\(settings.name)/\(settings.reading.topic)/\(partition)"
            try produce(
                settings.ledgerTopic, Array("position/\(place)".utf8), Array(position.next.description.utf8))
            guard let text = LedgerPlace(position)?.text else { continue }
            try produce(settings.ledgerTopic, Array("place/\(place)".utf8), Array(text.utf8))
        }
        let stamp = "\(number + 1) \(instance)"
        try produce(settings.ledgerTopic, Array("commit/\(settings.name)".utf8), Array(stamp.utf8))
        while true {
            do throws(TransactionError) {
                try producer.commit(timeout: context.reading.requestTimeout)
                isTransactionOpen = false
                return true
            } catch {
                guard case .retriable(let cause) = error else { throw error }
                if context.shouldStop() { return false }
                context.notice(.log(cause))
            }
        }
    }

    private func produce(
        _ topic: String, _ key: [UInt8]?, _ value: [UInt8]?, _ headers: [Header] = []
    ) throws(TransactionError) {
        try withBytes(key) { (key) throws(TransactionError) in
            try withBytes(value) { (value) throws(TransactionError) in
                try producer?.produce(
                    topic: topic, partition: topic == settings.ledgerTopic ? 0 : nil, key: key, value: value,
                    headers: headers)
            }
        }
    }
}
