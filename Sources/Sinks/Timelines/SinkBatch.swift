import RecordLog
import Timelines
import Tracing

/// The records that were read and are not written yet: of timelines the last one of each configuration, of reloads all.
struct SinkBatch {
    private let content: SinkContent
    private var latest = TextDictionary<SinkRecord>()
    private var all: [SinkRecord] = []
    /// The records that were added.
    private(set) var read = 0

    init(of content: SinkContent) { self.content = content }

    var isEmpty: Bool { count == 0 }
    /// True if some records gave way to later ones.
    var isConflated: Bool { count < read }
    var superseded: Int { read - count }

    private var count: Int { latest.count + all.count }

    /// - Returns: the record that gives way to this one.
    mutating func add(_ record: SinkRecord) -> SinkRecord? {
        read += 1
        switch content {
        case .timelines: return latest.updateValue(record, for: record.configurationId)
        case .reloads:
            all.append(record)
            return nil
        }
    }

    /// Timelines by partition, then offset; reloads as they were read.
    var records: [SinkRecord] {
        all + latest.values.sorted { ($0.origin.partition, $0.offset) < ($1.origin.partition, $1.offset) }
    }

    /// Takes in an earlier batch, which was not written after all.
    mutating func precede(with earlier: SinkBatch) {
        latest.fill(from: earlier.latest)
        all = earlier.all + all
        read += earlier.read
    }

    mutating func removeAll() {
        latest.removeAll(keepingCapacity: true)
        all.removeAll(keepingCapacity: true)
        read = 0
    }
}

/// A batch whose commit was sent: it is not known yet whether the target has done it.
struct SentBatch {
    var batch: SinkBatch
    var records: [SinkRecord]
    /// What becomes of each record once the commit is done.
    var answers: [SinkAnswer]
    var positions: [Partition: SinkPosition]
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
