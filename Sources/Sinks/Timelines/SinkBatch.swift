import RecordLog
import Timelines
import Tracing

/// The records that were read and are not written yet: of timelines the last one of each configuration, of reloads all.
///
/// It keeps the timelines that gave way to later ones, for nobody knows yet whether the target takes those.
struct SinkBatch {
    private let content: SinkContent
    private var latest = TextDictionary<SinkRecord>()
    /// The timelines that gave way to later ones, by configuration, as they were read.
    private var earlier = TextDictionary<[SinkRecord]>()
    private var all: [SinkRecord] = []
    /// The records that were added.
    private(set) var read = 0

    init(of content: SinkContent) { self.content = content }

    var isEmpty: Bool { count == 0 }
    /// True if some records gave way to later ones.
    var isConflated: Bool { count < read }

    private var count: Int { latest.count + all.count }

    /// - Returns: the record that gives way to this one.
    mutating func add(_ record: SinkRecord) -> SinkRecord? {
        read += 1
        switch content {
        case .timelines:
            let id = record.configurationId
            guard let before = latest.updateValue(record, for: id) else { return nil }
            earlier[id, default: []].append(before)
            return before
        case .reloads:
            all.append(record)
            return nil
        }
    }

    /// Drops the timelines of a configuration that were read from this partition.
    ///
    /// - Returns: how many there were.
    mutating func withdraw(_ id: String, of partition: Partition) -> Int {
        guard let last = latest[id] else { return 0 }
        let all = (earlier[id] ?? []) + [last]
        var chain = all.filter { $0.origin.partition != partition }
        let count = all.count - chain.count
        read -= count
        latest.removeValue(for: id)
        earlier.removeValue(for: id)
        if let newest = chain.popLast() { latest.updateValue(newest, for: id) }
        if !chain.isEmpty { earlier.updateValue(chain, for: id) }
        return count
    }

    /// Timelines by partition, then offset; reloads as they were read.
    var records: [SinkRecord] { all + Self.sorted(latest.values) }

    private static func sorted(_ records: some Sequence<SinkRecord>) -> [SinkRecord] {
        records.sorted { ($0.origin.partition, $0.offset) < ($1.origin.partition, $1.offset) }
    }

    /// Returns the timelines that are written in place of these, which the target does not take: of each configuration
    /// the one before, if there is one.
    ///
    /// - Parameter round: so many timelines of each of these configurations were not taken, the last ones.
    func predecessors(of leftOut: [SinkRecord], round: Int) -> [SinkRecord] {
        let found = leftOut.compactMap { record -> SinkRecord? in
            guard let before = earlier[record.configurationId], before.count >= round else { return nil }
            return before[before.count - round]
        }
        return Self.sorted(found)
    }

    /// The timelines that gave way to later ones of these configurations, as they were read: what may be handed over in
    /// place of those.
    func chains(of records: [SinkRecord]) -> [SinkRecord] {
        records.flatMap { earlier[$0.configurationId] ?? [] }
    }

    /// Takes in an earlier batch, which was not written after all.
    mutating func precede(with before: SinkBatch) {
        for record in before.latest.values {
            let id = record.configurationId
            var chain = before.earlier[id] ?? []
            if latest[id] != nil { chain.append(record) }
            chain += earlier[id] ?? []
            if !chain.isEmpty { earlier[id] = chain }
        }
        latest.fill(from: before.latest)
        all = before.all + all
        read += before.read
    }

    mutating func removeAll() {
        latest.removeAll(keepingCapacity: true)
        earlier.removeAll(keepingCapacity: true)
        all.removeAll(keepingCapacity: true)
        read = 0
    }
}

/// A batch whose commit was sent: it is not known yet whether the target has done it.
struct SentBatch {
    var batch: SinkBatch
    /// The records that were handed over, some of them in place of later ones that the target does not take.
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
