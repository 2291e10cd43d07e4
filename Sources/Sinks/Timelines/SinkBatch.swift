import RecordLog

/// The records that were read and are not written yet: the last one of each configuration.
struct SinkBatch {
    private var latest: [String: SinkRecord] = [:]
    /// The records that were added.
    private(set) var read = 0

    var isEmpty: Bool { latest.isEmpty }
    /// True if some records gave way to later ones.
    var isConflated: Bool { latest.count < read }
    var superseded: Int { read - latest.count }

    mutating func add(_ record: SinkRecord) {
        read += 1
        latest[record.configurationId] = record
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
