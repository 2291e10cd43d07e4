import RecordLog

/// What was read and is not written yet: of each configuration the last record alone.
struct SinkBatch {
    private var latest: [String: SinkRecord] = [:]
    private(set) var read = 0

    var isEmpty: Bool { latest.isEmpty }
    /// Some records gave way to later ones.
    var isConflated: Bool { latest.count < read }
    var superseded: Int { read - latest.count }

    mutating func add(_ record: SinkRecord) {
        read += 1
        latest[record.configurationId] = record
    }

    /// By partition, then offset.
    var records: [SinkRecord] {
        latest.values.sorted { ($0.origin.partition, $0.offset) < ($1.origin.partition, $1.offset) }
    }

    mutating func removeAll() {
        latest.removeAll(keepingCapacity: true)
        read = 0
    }
}
