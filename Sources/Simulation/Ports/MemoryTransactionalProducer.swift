import RecordLog

/// A client's view of its transactions. A call in a wrong state is a defect of the caller and ends the program.
///
/// ```
/// fresh ──initialise──► ready ──begin──► open ──commit──► committing ──► ready
///                                         ├────abort────► aborting ────► ready
///                                         └─ an abortable error: only abort is left
/// ```
/// A retriable error stays where it is, so that the same call may be repeated. Fenced and fatal errors are for ever.
final class MemoryTransactionalProducer: TransactionalProducer {
    let transactionalId: String
    let process: MemoryProcess
    let clientId: String
    /// Tells its requests from those of another producer of the same id.
    let serial: Int
    private(set) var state = State.fresh
    private(set) var epoch = 0
    /// Something of the transaction has reached the coordinator; else its end needs no word from it.
    var isKnown = false
    /// The request that ends the transaction, if it is on its way.
    var ending: (number: Int, outcome: TransactionalIdState.Outcome)?

    /// How long a produce waits for room in the queue.
    private static let roomTimeout: Duration = .milliseconds(500)

    enum State {
        case fresh, ready, open, committing, aborting
        case failed(TransactionError)
        case ended(TransactionError)
        case destroyed
    }

    init(process: MemoryProcess, transactionalId: String, clientId: String) {
        self.process = process
        self.transactionalId = transactionalId
        self.clientId = clientId
        serial = process.cluster.withBroker { $0.nextSerial() }
    }

    var cluster: MemoryCluster { process.cluster }

    func initialise(timeout: Duration) throws(TransactionError) {
        try refuse()
        guard case .fresh = state else { preconditionFailure("initialise is called once") }
        epoch = try attempt(.initialise, timeout: timeout) { (started) throws(TransactionError) in
            try initialise(started)
        }
        state = .ready
    }

    func begin() throws(TransactionError) {
        try refuse()
        guard case .ready = state else { preconditionFailure("begin in state \(state)") }
        try local(.begin)
        state = .open
        isKnown = false
        ending = nil
        cluster.withBroker { $0.deliveries[serial] = nil }
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError) {
        try refuse()
        guard case .open = state else { preconditionFailure("produce in state \(state)") }
        let record = StoredRecord(key: key.map { Array($0) }, value: value.map { Array($0) }, headers: headers)
        try attempt(.produce, timeout: Self.roomTimeout) { (started) throws(TransactionError) in
            try refuseUndelivered()
            try produce(record, topic: topic, partition: partition, started)
        }
    }

    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError) {
        try refuse()
        guard case .open = state else { preconditionFailure("sendOffsets in state \(state)") }
        guard let group = group as? MemoryGroupMetadata else { preconditionFailure("metadata of another cluster") }
        try attempt(.sendOffsets, timeout: timeout) { (started) throws(TransactionError) in
            try refuseUndelivered()
            try overcome(started) { $0.obstacle(toOffsetsOf: transactionalId) }
            try withFaults(.sendOffsets) { (broker) throws(TransactionError) in
                // The coordinator learns of the transaction before the group refuses its offsets.
                isKnown = true
                try broker.sendOffsets(offsets, group: group, id: transactionalId, epoch: epoch)
            }
        }
    }

    func commit(timeout: Duration) throws(TransactionError) {
        try refuse()
        switch state {
        case .open, .committing: state = .committing
        default: preconditionFailure("commit in state \(state)")
        }
        try end(.commit, call: .commit, timeout: timeout)
    }

    func abort(timeout: Duration) throws(TransactionError) {
        switch state {
        case .open, .failed, .aborting: state = .aborting
        case .ended(let error): throw error
        default: preconditionFailure("abort in state \(state)")
        }
        noteWhatIsKnown()
        // What is on its way is purged.
        let serial = serial
        cluster.withBroker { broker in
            broker.orphan(where: { $0.producer == serial && $0.isRecord }, survival: nil)
            broker.deliveries[serial] = nil
        }
        try end(.abort, call: .abort, timeout: timeout)
    }

    func destroy() {
        if process.isDead { return }
        if case .destroyed = state { preconditionFailure("destroyed twice") }
        state = .destroyed
        do { try local(.destroy) } catch { return }
        cluster.endProducers(of: process.serial, producer: serial, process: process.name)
    }

    private func end(
        _ outcome: TransactionalIdState.Outcome, call: TransactionalCall, timeout: Duration
    ) throws(TransactionError) {
        try attempt(call, timeout: timeout) { (started) throws(TransactionError) in
            if outcome == .commit { try flush(started) }
            noteWhatIsKnown()
            try end(outcome, call, started)
        }
        state = .ready
    }

    private func noteWhatIsKnown() {
        if cluster.withBroker({ $0.deliveries[serial]?.haveArrived ?? false }) { isKnown = true }
    }

    // MARK: - Failures

    /// Errors that an earlier call has left behind.
    private func refuse() throws(TransactionError) {
        switch state {
        case .failed(let error), .ended(let error): throw error
        case .destroyed: preconditionFailure("the producer is destroyed")
        case .fresh, .ready, .open, .committing, .aborting: break
        }
    }

    /// What librdkafka's callbacks have said of records that were on their way.
    func refuseUndelivered() throws(TransactionError) {
        if let failure = cluster.withBroker({ $0.deliveries[serial]?.failure }) { throw failure }
    }

    private func local(_ call: TransactionalCall) throws(TransactionError) {
        do throws(LogError) {
            try process.end(try process.begin(.transactional(call), client: clientId))
        } catch {
            throw .fatal(error)
        }
    }

    private func attempt<Result>(
        _ call: TransactionalCall, timeout: Duration, _ body: (StartedCall) throws(TransactionError) -> Result
    ) throws(TransactionError) -> Result {
        do throws(TransactionError) {
            let started = try living { () throws(LogError) in
                try process.begin(.transactional(call), client: clientId, timeout: timeout)
            }
            do throws(TransactionError) {
                if let failure = hindrance(of: started) { throw failure }
                let result = try body(started)
                try living { () throws(LogError) in try process.end(started) }
                if call != .produce, let failure = process.lostAnswer(of: started) { throw .retriable(failure) }
                return result
            } catch {
                try living { () throws(LogError) in try process.endFailed(started) }
                throw error
            }
        } catch {
            switch error {
            case .retriable: break
            case .abortable: state = .failed(error)
            case .fenced, .fatal: state = .ended(error)
            }
            throw error
        }
    }
}
