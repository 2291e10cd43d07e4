import RecordLog

/// Writes at once; there is never anything to flush.
final class MemoryPlainProducer: PlainProducer {
    private let cluster: MemoryCluster
    private let clientId: String
    private var isClosed = false

    init(cluster: MemoryCluster, clientId: String) {
        self.cluster = cluster
        self.clientId = clientId
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(LogError) {
        precondition(!isClosed)
        let record = StoredRecord(key: key.map { Array($0) }, value: value.map { Array($0) }, headers: headers)
        try cluster.attempt(.plainProduce, client: clientId) { (broker) throws(LogError) in
            let place = try broker.place(record, topic: topic, partition: partition)
            _ = broker.append(record, to: place, timestamp: nil, transaction: nil)
            broker.counters.recordsProduced += 1
        }
    }

    func unacknowledged() throws(LogError) -> Int {
        precondition(!isClosed)
        return 0
    }

    func flush(timeout: Duration) throws(LogError) {
        precondition(!isClosed)
    }

    func close() {
        precondition(!isClosed)
        isClosed = true
    }
}

extension MemoryCluster {
    /// A call of a port together with the faults that wait for it.
    func attempt<Result: Sendable>(
        _ call: LogCall, client: String?, _ body: (inout Broker) throws(LogError) -> Result
    ) throws(LogError) -> Result {
        try withBroker { (broker) throws(LogError) -> Result in
            if let fault = broker.logFaults.next(call, .beforeEffect, client: client) { throw fault }
            let result = try body(&broker)
            if let fault = broker.logFaults.next(call, .afterEffect, client: client) { throw fault }
            return result
        }
    }
}
