import RecordLog

/// The transaction coordinator (KIP-98, KIP-447).
extension Broker {
    /// What an initialise comes to.
    enum Initialised: Sendable {
        case epoch(Int)
        /// The last transaction's markers are still to be written: at that time.
        case concurrent(until: Instant)
    }

    /// Fences the older producers of an id, aborts what they left open, and gives out the next epoch.
    ///
    /// - Parameter markersAfter: how long the markers take if there is something to abort.
    mutating func initialiseProducer(_ id: String, markersAfter: Duration?) -> Initialised {
        if coordinator[id]?.transaction != nil, coordinator[id]?.transaction?.decision == nil {
            // From here on whoever has the older epoch is refused.
            coordinator[id]!.epoch += 1
            decide(.abort, id, markersAfter: markersAfter)
        }
        if let at = unwrittenUntil(id) {
            note(.concurrentTransactions)
            return .concurrent(until: at)
        }
        settle(id)
        coordinator[id, default: TransactionalIdState()].epoch += 1
        coordinator[id]!.lastOutcome = nil
        return .epoch(coordinator[id]!.epoch)
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
        registerOnly(place, id: id)
        _ = append(record, to: place, timestamp: nil, transaction: coordinator[id]!.transaction!.number)
        counters.recordsProduced += 1
    }

    /// Puts a partition into the open transaction.
    mutating func registerOnly(_ place: TopicPartition, id: String) {
        joinTransaction(of: id)
        guard let topic = topics[place.topic] else { return }
        coordinator[id]!.transaction!.partitions[place] = topic.identity
    }

    /// True if the partition is part of the open transaction, so that a record for it needs no coordinator.
    func isRegistered(_ place: TopicPartition, id: String) -> Bool {
        guard let transaction = coordinator[id]?.transaction, transaction.decision == nil else { return false }
        return transaction.partitions[place] != nil
    }

    mutating func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: MemoryGroupMetadata, id: String, epoch: Int
    ) throws(TransactionError) {
        try admit(id, epoch)
        joinTransaction(of: id)
        if let refusal = groups[group.group, default: ConsumerGroup()].refusal(of: group) {
            counters.staleOffsets += 1
            note(.staleOffsets)
            throw .abortable(refusal)
        }
        for (place, offset) in offsets {
            coordinator[id]!.transaction!.offsets[group.group, default: [:]][place] = offset
        }
    }

    mutating func endTransaction(
        _ outcome: TransactionalIdState.Outcome, id: String, epoch: Int, markersAfter: Duration?
    ) throws(TransactionError) {
        try admit(id, epoch)
        guard let decided = coordinator[id]!.transaction?.decision ?? outcomeWithoutTransaction(of: id) else {
            return decide(outcome, id, markersAfter: markersAfter)
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

    mutating func admit(_ id: String, _ epoch: Int) throws(TransactionError) {
        guard coordinator[id]?.epoch != epoch else { return }
        counters.fencedCalls += 1
        note(.fencedCall)
        throw .fenced(
            LogError(.fatal, name: "_FENCED", "a newer producer of \(id) exists, or its transaction timed out"))
    }

    /// Begins a transaction where none is open.
    private mutating func joinTransaction(of id: String) {
        // The coordinator answers CONCURRENT_TRANSACTIONS until the markers are there, and clients wait for that.
        if coordinator[id]!.transaction?.decision != nil { settle(id) }
        guard coordinator[id]!.transaction == nil else { return }
        coordinator[id]!.transaction = .init(number: nextSerial(), startedAt: now)
        ongoing.insert(id, at: ongoing.firstIndex { $0 > id } ?? ongoing.endIndex)
    }

    // MARK: - Decisions and markers

    private mutating func decide(_ outcome: TransactionalIdState.Outcome, _ id: String, markersAfter: Duration?) {
        coordinator[id]!.transaction!.decision = outcome
        if let markersAfter, markersAfter > .zero {
            coordinator[id]!.transaction!.markersAt = now + ElapsedTime(markersAfter)
            // The offsets of every second one are stable before its records are (R2).
            if coordinator[id]!.transaction!.number.isMultiple(of: 2) {
                coordinator[id]!.transaction!.offsetMarkersAt = now + ElapsedTime(markersAfter / 2)
            }
        } else if !delaysMarkers {
            settle(id)
        }
    }

    /// When the markers of a decided transaction are written; `nil` if there is none, or if the next call of its id
    /// lets them be written.
    func unwrittenUntil(_ id: String) -> Instant? {
        guard let transaction = coordinator[id]?.transaction, transaction.decision != nil else { return nil }
        return transaction.markersAt
    }

    /// Writes the markers that have been held back by `delaysMarkers`.
    mutating func settleDecided() {
        for id in ongoing {
            guard let transaction = coordinator[id]!.transaction, transaction.decision != nil else { continue }
            if transaction.markersAt == nil { settle(id) }
        }
    }

    func isUnstable(_ place: TopicPartition, group: String) -> Bool {
        ongoing.contains { coordinator[$0]!.transaction?.offsets[group]?[place] != nil }
    }

    /// Writes the marker of the groups' offsets alone.
    mutating func settleOffsets(_ id: String) {
        guard let transaction = coordinator[id]?.transaction else { return }
        if transaction.decision == .commit {
            for (group, offsets) in transaction.offsets {
                groups[group, default: ConsumerGroup()].committed.merge(offsets) { $1 }
            }
        }
        coordinator[id]!.transaction!.offsets = [:]
        coordinator[id]!.transaction!.offsetMarkersAt = nil
    }

    /// Writes the markers of what is decided, and aborts what is not.
    mutating func settle(_ id: String) {
        guard let transaction = coordinator[id]?.transaction else { return }
        let outcome = transaction.decision ?? .abort
        let now = now
        for (place, topic) in transaction.partitions.sorted(by: { $0.key < $1.key })
        where exists(place) && topics[place.topic]!.identity == topic {
            withLog(of: place) { $0.end(transaction: transaction.number, commit: outcome == .commit, now: now) }
        }
        settleOffsets(id)
        switch outcome {
        case .commit:
            counters.transactionsCommitted += 1
        case .abort:
            counters.transactionsAborted += 1
        }
        coordinator[id]!.transaction = nil
        coordinator[id]!.lastOutcome = outcome
        ongoing.removeAll { $0 == id }
    }
}
