import RecordLog
import Tracing

/// The records that were read and are not written yet: the last one of each configuration.
struct SinkBatch {
    private var latest: [String: SinkRecord] = [:]
    /// The records that were added.
    private(set) var read = 0

    var isEmpty: Bool { latest.isEmpty }
    /// True if some records gave way to later ones.
    var isConflated: Bool { latest.count < read }
    var superseded: Int { read - latest.count }

    /// - Returns: the record that gives way to this one.
    mutating func add(_ record: SinkRecord) -> SinkRecord? {
        read += 1
        return latest.updateValue(record, forKey: record.configurationId)
    }

    /// The records by partition, then offset.
    var records: [SinkRecord] {
        latest.values.sorted { ($0.origin.partition, $0.offset) < ($1.origin.partition, $1.offset) }
    }

    mutating func removeAll() {
        latest.removeAll(keepingCapacity: true)
        read = 0
    }
}

extension WorkTrace {
    /// Does the work on a timeline in a span, if its trace is recorded.
    func process<Failure: Error, Result>(
        of record: SinkRecord, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try process(
            record.origin.topic, record.headers.first { $0.name == SpanContext.headerName }?.value,
            [
                SpanNames.partition: .string(record.origin.partition.description),
                SpanNames.offset: .int(record.offset.rawValue), SpanNames.key: .string(record.configurationId),
            ], body)
    }
}

extension Record {
    init(_ record: SinkRecord) {
        self.init(
            topic: record.origin.topic, partition: record.origin.partition, offset: record.offset,
            key: Array(record.configurationId.utf8), value: record.value, headers: record.headers)
    }
}
