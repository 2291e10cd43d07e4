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
    private let cluster: MemoryCluster
    private let clientId: String
    private var state = State.fresh
    private var epoch = 0
    /// Something of the transaction has reached the coordinator; else its end needs no word from it.
    private var isKnown = false

    private enum State {
        case fresh, ready, open, committing, aborting
        case failed(TransactionError)
        case ended(TransactionError)
        case destroyed
    }

    init(cluster: MemoryCluster, transactionalId: String, clientId: String) {
        self.cluster = cluster
        self.transactionalId = transactionalId
        self.clientId = clientId
    }

    func initialise(timeout: Duration) throws(TransactionError) {
        try refuse()
        guard case .fresh = state else { preconditionFailure("initialise is called once") }
        epoch = try attempt(.initialise) { [transactionalId] broker in broker.initialiseProducer(transactionalId) }
        state = .ready
    }

    func begin() throws(TransactionError) {
        try refuse()
        guard case .ready = state else { preconditionFailure("begin in state \(state)") }
        state = .open
        isKnown = false
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError) {
        try refuse()
        guard case .open = state else { preconditionFailure("produce in state \(state)") }
        let record = StoredRecord(key: key.map { Array($0) }, value: value.map { Array($0) }, headers: headers)
        try attempt(.produce) { (broker) throws(TransactionError) in
            try broker.produce(record, topic: topic, partition: partition, id: transactionalId, epoch: epoch)
            isKnown = true
        }
    }

    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError) {
        try refuse()
        guard case .open = state else { preconditionFailure("sendOffsets in state \(state)") }
        guard let group = group as? MemoryGroupMetadata else { preconditionFailure("metadata of another cluster") }
        try attempt(.sendOffsets) { (broker) throws(TransactionError) in
            // The coordinator learns of the transaction before the group refuses its offsets.
            isKnown = true
            try broker.sendOffsets(offsets, group: group, id: transactionalId, epoch: epoch)
        }
    }

    func commit(timeout: Duration) throws(TransactionError) {
        try refuse()
        switch state {
        case .open, .committing: state = .committing
        default: preconditionFailure("commit in state \(state)")
        }
        try end(.commit, call: .commit)
    }

    func abort(timeout: Duration) throws(TransactionError) {
        switch state {
        case .open, .failed, .aborting: state = .aborting
        case .ended(let error): throw error
        default: preconditionFailure("abort in state \(state)")
        }
        try end(.abort, call: .abort)
    }

    func destroy() {
        if case .destroyed = state { preconditionFailure("destroyed twice") }
        state = .destroyed
    }

    private func end(_ outcome: TransactionalIdState.Outcome, call: TransactionalCall) throws(TransactionError) {
        try attempt(call) { (broker) throws(TransactionError) in
            guard isKnown else { return }
            try broker.endTransaction(outcome, id: transactionalId, epoch: epoch)
        }
        state = .ready
    }

    /// Errors that an earlier call has left behind.
    private func refuse() throws(TransactionError) {
        switch state {
        case .failed(let error), .ended(let error): throw error
        case .destroyed: preconditionFailure("the producer is destroyed")
        case .fresh, .ready, .open, .committing, .aborting: break
        }
    }

    private func attempt<Result: Sendable>(
        _ call: TransactionalCall, _ body: (inout Broker) throws(TransactionError) -> Result
    ) throws(TransactionError) -> Result {
        do {
            return try cluster.withBroker { (broker) throws(TransactionError) -> Result in
                if let fault = broker.transactionFaults.next(call, .beforeEffect, client: clientId) { throw fault }
                let result = try body(&broker)
                if let fault = broker.transactionFaults.next(call, .afterEffect, client: clientId) { throw fault }
                return result
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
