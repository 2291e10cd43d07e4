import RecordLog

/// What the client does with the brokers, and for how long it waits for them.
extension MemoryTransactionalProducer {
    /// - Returns: the epoch.
    func initialise(_ started: StartedCall) throws(TransactionError) -> Int {
        while true {
            try overcome(started) { $0.obstacleOfTransactions }
            let markersAfter = length(of: .lateMarkers, started) { $0.coordinator[self.transactionalId]?.isUndecided }
            let initialised = try withFaults(.initialise) { (broker) throws(TransactionError) in
                broker.initialiseProducer(transactionalId, markersAfter: markersAfter)
            }
            switch initialised {
            case .epoch(let epoch): return epoch
            case .concurrent(let until): try wait(for: until, started)
            }
        }
    }

    /// Sends a record, at once or later.
    func produce(
        _ record: StoredRecord, topic: String, partition: Partition?, _ started: StartedCall
    ) throws(TransactionError) {
        let (late, fate) = delivery(started)
        try withFaults(.produce) { (broker) throws(TransactionError) in
            let place: TopicPartition
            do throws(LogError) {
                place = try broker.place(record, topic: topic, partition: partition)
            } catch {
                throw .abortable(error)
            }
            let isFirst = !broker.isRegistered(place, id: transactionalId)
            let isObstructed =
                isFirst
                && (broker.transactionCoordinatorBackAt > broker.now || broker.unwrittenUntil(transactionalId) != nil)
            if isFirst, broker.unwrittenUntil(transactionalId) != nil { broker.note(.concurrentTransactions) }
            guard late != nil || isObstructed || broker.deliveries[serial]?.count ?? 0 > 0 else {
                isKnown = true
                return try broker.produce(
                    record, topic: topic, partition: place.partition, id: transactionalId, epoch: epoch)
            }
            broker.send(request(.produce(record, place, fate), at: broker.now + ElapsedTime(late ?? .zero)))
        }
    }

    /// Waits until no record is on its way.
    func flush(_ started: StartedCall) throws(TransactionError) {
        while let deliveries = cluster.withBroker({ $0.deliveries[serial] }) {
            if let failure = deliveries.failure { throw failure }
            guard deliveries.count > 0 else {
                if let expiry = deliveries.expiry { throw .abortable(expiry) }
                return
            }
            guard cluster.now < started.deadline else {
                throw .retriable(
                    LogError(
                        .timedOut, name: "_TIMED_OUT", "\(deliveries.count) records are not delivered",
                        isRetriable: true))
            }
            try pass(until: min(deliveries.lastAt, started.deadline))
        }
    }

    /// Commits or aborts: waits for the answer, and for that of an earlier call that was not answered in time. A client
    /// has one such request on its way, since one connection keeps their order: a second one would be answered first,
    /// and the first would then end the next transaction, which has the same epoch (KIP-890).
    func end(
        _ outcome: TransactionalIdState.Outcome, _ call: TransactionalCall, _ started: StartedCall
    ) throws(TransactionError) {
        guard isKnown else { return try withFaults(call) { (_) throws(TransactionError) in } }
        if let earlier = ending {
            if earlier.outcome == outcome { try withFaults(call) { (_) throws(TransactionError) in } }
            try awaitAnswer(started)
            // An abort follows the commit that was given up, and is refused if that took place.
            if earlier.outcome == outcome { return }
        }
        try overcome(started) { $0.obstacleOfTransactions }
        let markersAfter = length(of: .lateMarkers, started) { $0.coordinator[self.transactionalId]?.isUndecided }
        if length(of: .lostDecision, started) != nil {
            ending = (Self.neverArrives, outcome)
            return try awaitAnswer(started)
        }
        let late = length(of: .lateDecision, started)
        try withFaults(call) { (broker) throws(TransactionError) in
            guard let late else {
                return try broker.endTransaction(
                    outcome, id: transactionalId, epoch: epoch, markersAfter: markersAfter)
            }
            let at = broker.now + ElapsedTime(late)
            // A call that fails from here on has sent it nevertheless.
            ending = (broker.send(request(.end(outcome, markersAfter: markersAfter), at: at)), outcome)
        }
        if ending != nil { try awaitAnswer(started) }
    }

    /// No request has this number.
    private static let neverArrives = 0

    private func awaitAnswer(_ started: StartedCall) throws(TransactionError) {
        let number = ending!.number
        while true {
            if let answer = cluster.withBroker({ $0.answers.removeValue(forKey: number) }) {
                ending = nil
                if let answer { throw answer }
                return
            }
            guard cluster.now < started.deadline else { throw .retriable(.noAnswer(to: started.call)) }
            let arrival = cluster.withBroker { broker in broker.underWay.first { $0.number == number }?.at }
            try pass(until: min(arrival ?? started.deadline, started.deadline))
        }
    }

    // MARK: - Waiting

    /// Waits until the obstacle is gone, at most for the call's time-out.
    func overcome(
        _ started: StartedCall, _ obstacle: (borrowing Broker) -> (until: Instant, failure: LogError)?
    ) throws(TransactionError) {
        while let (until, failure) = cluster.withBroker({ broker in obstacle(broker) }) {
            guard cluster.settings.callsWait, cluster.now < started.deadline else { throw .retriable(failure) }
            try pass(until: min(until, started.deadline))
        }
    }

    private func wait(for markers: Instant, _ started: StartedCall) throws(TransactionError) {
        guard cluster.settings.callsWait, cluster.now < started.deadline else {
            throw .retriable(.concurrentTransactions(of: transactionalId))
        }
        try pass(until: min(markers, started.deadline))
    }

    private func pass(until moment: Instant) throws(TransactionError) {
        process.wait(until: moment)
        if process.isDead { throw .fatal(MemoryProcess.death) }
    }

    // MARK: - Faults

    /// The faults of a request, as the failures of this port.
    func hindrance(of started: StartedCall) -> TransactionError? {
        guard started.call == .transactional(.produce) else {
            return process.hindrance(of: started).map { .retriable($0) }
        }
        // Only a full queue makes it wait.
        guard cluster.isPlanFollowed else { return nil }
        let opportunity = process.opportunity(started, .beforeEffect)
        guard let length = cluster.length(of: .slowCall, at: opportunity), let timeout = started.timeout else {
            return nil
        }
        cluster.pass(min(length, timeout))
        guard length >= timeout else { return nil }
        return .retriable(LogError(.queueFull, name: "_QUEUE_FULL", "no room in the queue in time", isRetriable: true))
    }

    /// How much later a record is sent, if so, and what becomes of it then.
    private func delivery(_ started: StartedCall) -> (late: Duration?, Request.Fate) {
        if let length = length(of: .failedDelivery, started) { return (length, .refused) }
        if let length = length(of: .expiredDelivery, started) { return (length, .expired) }
        return (length(of: .lateDelivery, started), .written)
    }

    /// - Parameter isPossible: `nil` and false mean that there is no opportunity.
    private func length(
        of kind: FaultKind, _ started: StartedCall, if isPossible: (borrowing Broker) -> Bool? = { _ in true }
    ) -> Duration? {
        guard cluster.isPlanFollowed, cluster.withBroker({ isPossible($0) }) == true else { return nil }
        return cluster.length(of: kind, at: process.opportunity(started, .beforeEffect))
    }

    func withFaults<Result: Sendable>(
        _ call: TransactionalCall, _ body: (inout Broker) throws(TransactionError) -> Result
    ) throws(TransactionError) -> Result {
        try cluster.withBroker { (broker) throws(TransactionError) -> Result in
            if let fault = broker.transactionFaults.next(call, .beforeEffect, client: clientId) { throw fault }
            let result = try body(&broker)
            if let fault = broker.transactionFaults.next(call, .afterEffect, client: clientId) { throw fault }
            return result
        }
    }

    func living<Result>(_ body: () throws(LogError) -> Result) throws(TransactionError) -> Result {
        do throws(LogError) {
            return try body()
        } catch {
            throw .fatal(error)
        }
    }

    private func request(_ what: Request.What, at: Instant) -> Request {
        Request(
            number: 0, at: at, producer: serial, process: process.serial, id: transactionalId, epoch: epoch,
            what: what)
    }
}

extension Broker {
    /// The reason why the transaction coordinator does not answer now, and until when.
    var obstacleOfTransactions: (until: Instant, failure: LogError)? {
        guard transactionCoordinatorBackAt > now else { return nil }
        return (transactionCoordinatorBackAt, .coordinatorIsMoving("transaction"))
    }

    /// The same for offsets, which need both coordinators.
    func obstacle(toOffsetsOf id: String) -> (until: Instant, failure: LogError)? {
        if let obstacle = obstacleOfTransactions { return obstacle }
        if groupCoordinatorBackAt > now { return (groupCoordinatorBackAt, .coordinatorIsMoving("group")) }
        return unwrittenUntil(id).map { ($0, .concurrentTransactions(of: id)) }
    }
}

extension LogError {
    static func concurrentTransactions(of id: String) -> LogError {
        LogError(
            .other, name: "CONCURRENT_TRANSACTIONS", "the last transaction of \(id) is still being ended",
            isRetriable: true)
    }
}

extension TransactionalIdState {
    var isUndecided: Bool { transaction.map { $0.decision == nil } ?? false }
}
