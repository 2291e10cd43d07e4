import RecordLog

/// A request of a transactional producer that is on its way.
struct Request: Sendable {
    var number: Int
    var at: Instant
    /// The producer's serial; another one of the same id has another.
    var producer: Int
    var process: Int
    var id: String
    var epoch: Int
    var what: What
    /// True if its sender is gone: nobody waits for an answer.
    var isOrphan = false

    enum What: Sendable {
        case produce(StoredRecord, TopicPartition, Fate)
        case end(TransactionalIdState.Outcome, markersAfter: Duration?)
    }

    /// What becomes of a record on its way.
    enum Fate: Hashable, Sendable {
        case written
        /// The broker refuses it for good: the client knows at once that the transaction has failed.
        case refused
        /// The client gives it up: its commit tells.
        case expired
    }
}

/// What a producer's client knows of its records.
struct Deliveries: Sendable {
    /// The records that are on their way.
    var count = 0
    /// True if the coordinator has learned of the transaction by one of them.
    var haveArrived = false
    /// The arrival of the last of them. Records of one producer do not overtake each other.
    var lastAt = Instant(milliseconds: .min)
    /// The reason why the transaction has failed.
    var failure: TransactionError?
    /// The reason why it cannot be committed.
    var expiry: LogError?
}

/// Requests that take effect later than their calls.
extension Broker {
    /// - Returns: the request's number.
    @discardableResult
    mutating func send(_ request: Request) -> Int {
        var request = request
        request.number = nextSerial()
        if case .produce = request.what {
            deliveries[request.producer, default: Deliveries()].count += 1
            request.at = max(request.at, deliveries[request.producer]!.lastAt)
            deliveries[request.producer]!.lastAt = request.at
        }
        if request.at > now { insert(request) } else { arrive(request) }
        return request.number
    }

    private mutating func insert(_ request: Request) {
        let place = underWay.firstIndex { ($0.at, $0.number) > (request.at, request.number) }
        underWay.insert(request, at: place ?? underWay.endIndex)
    }

    /// Lets a request that has been taken from `underWay` take effect, or puts it off.
    mutating func arrive(_ request: Request) {
        if let at = obstacle(to: request) {
            var later = request
            later.at = at
            // One behind it may be due later still: who flushes waits for the last.
            if case .produce = request.what, let last = deliveries[request.producer]?.lastAt {
                deliveries[request.producer]!.lastAt = max(last, at)
            }
            return insert(later)
        }
        var failure: TransactionError?
        do throws(TransactionError) {
            try perform(request)
        } catch {
            failure = error
        }
        switch request.what {
        case .end:
            if !request.isOrphan { answers[request.number] = .some(failure) }
        case .produce:
            guard !request.isOrphan else { return }
            deliveries[request.producer]!.count -= 1
            if let failure, deliveries[request.producer]!.failure == nil {
                deliveries[request.producer]!.failure = failure
            }
        }
    }

    /// When the request can be served, if not now.
    private func obstacle(to request: Request) -> Instant? {
        if case .produce(_, let place, let fate) = request.what {
            guard fate != .expired, !isRegistered(place, id: request.id) else { return nil }
            if let at = unwrittenUntil(request.id), coordinator[request.id]?.epoch == request.epoch { return at }
        }
        return transactionCoordinatorBackAt > now ? transactionCoordinatorBackAt : nil
    }

    private mutating func perform(_ request: Request) throws(TransactionError) {
        guard coordinator[request.id]?.epoch == request.epoch else {
            note(.requestAfterEpoch)
            return try admit(request.id, request.epoch)
        }
        switch request.what {
        case .produce(let record, let place, let fate):
            switch fate {
            case .written: try write(record, to: place, of: request)
            case .refused:
                if request.isOrphan { return }
                registerOnly(place, id: request.id)
                deliveries[request.producer]?.haveArrived = true
                throw .abortable(LogError(.invalidRecord, name: "INVALID_RECORD", "\(place) refuses a record"))
            case .expired:
                guard !request.isOrphan else { return }
                deliveries[request.producer]!.expiry = LogError(
                    .timedOut, name: "_MSG_TIMED_OUT", "a record to \(place) was given up")
            }
        case .end(let outcome, let markersAfter):
            if request.isOrphan {
                guard coordinator[request.id]!.transaction != nil else { return }
                note(.requestAfterDestroy)
            }
            try endTransaction(outcome, id: request.id, epoch: request.epoch, markersAfter: markersAfter)
        }
    }

    private mutating func write(
        _ record: StoredRecord, to place: TopicPartition, of request: Request
    ) throws(TransactionError) {
        if request.isOrphan {
            note(.requestAfterDestroy)
            // The client that is gone cannot send the record itself after it has registered the partition.
            let wasRegistered = isRegistered(place, id: request.id)
            if !wasRegistered { return registerOnly(place, id: request.id) }
        }
        deliveries[request.producer]?.haveArrived = true
        try produce(record, topic: place.topic, partition: place.partition, id: request.id, epoch: request.epoch)
    }

    // MARK: - The end of producers

    /// What is on its way of a producer that is gone is dropped, or arrives later and finds nobody who waits for it.
    ///
    /// - Parameters:
    ///   - isOfDead: whether its producer is gone.
    ///   - survival: how much later records arrive; `nil` drops them. Commits and aborts arrive as they would have.
    mutating func orphan(where isOfDead: (Request) -> Bool, survival: Duration?) {
        let affected = underWay.filter(isOfDead)
        underWay.removeAll(where: isOfDead)
        for var request in affected {
            request.isOrphan = true
            if case .produce = request.what {
                guard let survival else { continue }
                request.at = max(request.at, now + ElapsedTime(survival))
            }
            insert(request)
        }
    }
}

extension Request {
    var isRecord: Bool { if case .produce = what { true } else { false } }
}
