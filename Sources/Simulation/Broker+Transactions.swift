import RecordLog

/// What the coordinator knows of one transactional id.
struct TransactionalIdState: Sendable {
    /// Rises with each `initialise` and each time-out; who has an older one is fenced.
    var epoch = 0
    var transaction: Transaction?
    /// How the last transaction of this epoch ended, so that a repeated request gets the same answer.
    var lastOutcome: Outcome?

    enum Outcome: Sendable { case commit, abort }

    struct Transaction: Sendable {
        var number: Int
        /// The time of its first record or offsets: `begin` is local to the client.
        var startedAt: Instant
        var partitions: Set<TopicPartition> = []
        /// By group.
        var offsets: [String: [TopicPartition: CommittedOffset]] = [:]
        /// Decided, but its markers are not written.
        var decision: Outcome?
    }
}

/// The transaction coordinator (KIP-98, KIP-447).
extension Broker {
    /// - Returns: the new epoch.
    mutating func initialiseProducer(_ id: String) -> Int {
        settle(id)
        coordinator[id, default: TransactionalIdState()].epoch += 1
        coordinator[id]!.lastOutcome = nil
        return coordinator[id]!.epoch
    }

    mutating func produce(
        _ record: StoredRecord, topic: String, partition: Partition?, id: String, epoch: Int
    ) throws(TransactionError) {
        try admit(id, epoch)
        let place: TopicPartition
        do {
            place = try self.place(record, topic: topic, partition: partition)
        } catch {
            throw .abortable(error)
        }
        let number = joinTransaction(of: id)
        coordinator[id]!.transaction!.partitions.insert(place)
        _ = append(record, to: place, timestamp: nil, transaction: number)
        counters.recordsProduced += 1
    }

    mutating func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: MemoryGroupMetadata, id: String, epoch: Int
    ) throws(TransactionError) {
        try admit(id, epoch)
        _ = joinTransaction(of: id)
        if let refusal = groups[group.group, default: ConsumerGroup()].refusal(of: group) {
            counters.staleOffsets += 1
            throw .abortable(refusal)
        }
        for (place, offset) in offsets {
            coordinator[id]!.transaction!.offsets[group.group, default: [:]][place] = offset
        }
    }

    mutating func endTransaction(
        _ outcome: TransactionalIdState.Outcome, id: String, epoch: Int
    ) throws(TransactionError) {
        try admit(id, epoch)
        guard let decided = coordinator[id]!.transaction?.decision ?? outcomeWithoutTransaction(of: id) else {
            coordinator[id]!.transaction!.decision = outcome
            if !delaysMarkers { settle(id) }
            return
        }
        guard decided == outcome else {
            throw .fatal(
                LogError(.fatal, name: "INVALID_TXN_STATE", "the transaction of \(id) has ended otherwise already"))
        }
    }

    private func outcomeWithoutTransaction(of id: String) -> TransactionalIdState.Outcome? {
        guard coordinator[id]!.transaction == nil else { return nil }
        precondition(coordinator[id]!.lastOutcome != nil, "no transaction of \(id) was ever begun")
        return coordinator[id]!.lastOutcome
    }

    /// Writes the markers that have been held back.
    mutating func settleDecided() {
        for id in coordinator.keys.sorted() where coordinator[id]!.transaction?.decision != nil {
            settle(id)
        }
    }

    mutating func expireTransactions() {
        let expired = coordinator.keys.filter { id in
            guard let transaction = coordinator[id]!.transaction, transaction.decision == nil else { return false }
            return now - transaction.startedAt > transactionTimeout
        }
        for id in expired.sorted() {
            settle(id)
            // Fences the producer that was too slow (KIP-588).
            coordinator[id]!.epoch += 1
            counters.transactionsTimedOut += 1
        }
    }

    func isUnstable(_ place: TopicPartition, group: String) -> Bool {
        coordinator.values.contains { $0.transaction?.offsets[group]?[place] != nil }
    }

    private mutating func admit(_ id: String, _ epoch: Int) throws(TransactionError) {
        guard coordinator[id]?.epoch != epoch else { return }
        counters.fencedCalls += 1
        throw .fenced(
            LogError(.fatal, name: "_FENCED", "a newer producer of \(id) exists, or its transaction timed out"))
    }

    /// - Returns: the number of the open transaction, a new one where there was none.
    private mutating func joinTransaction(of id: String) -> Int {
        // The coordinator answers CONCURRENT_TRANSACTIONS until the markers are there, and clients wait for that.
        if coordinator[id]!.transaction?.decision != nil { settle(id) }
        if let transaction = coordinator[id]!.transaction { return transaction.number }
        let number = nextSerial()
        coordinator[id]!.transaction = .init(number: number, startedAt: now)
        return number
    }

    /// Writes the markers of what is decided, and aborts what is not.
    private mutating func settle(_ id: String) {
        guard let transaction = coordinator[id]?.transaction else { return }
        let outcome = transaction.decision ?? .abort
        let now = now
        for place in transaction.partitions.sorted() {
            withLog(of: place) { $0.end(transaction: transaction.number, commit: outcome == .commit, timestamp: now) }
        }
        switch outcome {
        case .commit:
            for (group, offsets) in transaction.offsets {
                groups[group, default: ConsumerGroup()].committed.merge(offsets) { $1 }
            }
            counters.transactionsCommitted += 1
        case .abort:
            counters.transactionsAborted += 1
        }
        coordinator[id]!.transaction = nil
        coordinator[id]!.lastOutcome = outcome
    }
}
