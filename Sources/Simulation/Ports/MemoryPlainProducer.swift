import RecordLog

/// Writes at once; there is never anything to flush.
final class MemoryPlainProducer: PlainProducer {
    private let process: MemoryProcess
    private let clientId: String
    private var isClosed = false

    init(process: MemoryProcess, clientId: String) {
        self.process = process
        self.clientId = clientId
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(LogError) {
        precondition(!isClosed)
        let record = StoredRecord(key: key.map { Array($0) }, value: value.map { Array($0) }, headers: headers)
        try process.attempt(.plainProduce, client: clientId, timeout: nil) { (broker) throws(LogError) in
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
