import RecordLog

/// Writes at once, and reports within the call.
final class MemoryReportingProducer: ReportingProducer {
    private let process: MemoryProcess
    private let clientId: String

    init(process: MemoryProcess, clientId: String) {
        self.process = process
        self.clientId = clientId
    }

    func produce(
        topic: String, partition: Partition?, key: [UInt8]?, value: [UInt8]?, headers: [Header],
        report: @escaping @Sendable (Result<(partition: Partition, offset: Offset), LogError>) -> Void
    ) throws(LogError) {
        let record = StoredRecord(key: key, value: value, headers: headers)
        let written: Result<(partition: Partition, offset: Offset), LogError>
        do throws(LogError) {
            written = .success(
                try process.attempt(.reportingProduce, client: clientId, timeout: nil) { (broker) throws(LogError) in
                    let place = try broker.place(record, topic: topic, partition: partition)
                    let offset = broker.append(record, to: place, timestamp: nil, transaction: nil)
                    broker.counters.recordsProduced += 1
                    return (place.partition, offset)
                })
        } catch {
            // Kafka's client knows these before a record is queued.
            if [.queueFull, .recordTooLarge, .fatal].contains(error.code) { throw error }
            written = .failure(error)
        }
        report(written)
    }

    func close() {}
}
