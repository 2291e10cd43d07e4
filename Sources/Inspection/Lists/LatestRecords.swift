internal import Messages
internal import RecordLog

/// The latest record of each key of a compacted topic, as values of one type. Of records of one key in several
/// partitions, as after partitions were added, the younger one counts.
struct LatestRecords<Value> {
    struct Entry {
        var value: Value
        var place: SourceOffset
        var timestamp: Instant
    }

    private var entries: [[UInt8]: Entry] = [:]
    /// Tombstones are here, too: an older record of another partition does not bring a key back.
    private var latest: [[UInt8]: LatestPlace] = [:]

    /// The records, in no order.
    var values: [(key: [UInt8], entry: Entry)] { entries.map { ($0.key, $0.value) } }

    /// Takes a record that may be the latest of its key.
    ///
    /// - Parameter value: `nil` removes the key: the record is a tombstone.
    mutating func put(_ view: RecordView, of topic: String, _ value: Value?) {
        guard let key = view.key.map({ Array($0) }) else { return }
        guard latest[key, default: LatestPlace()].takes(view) else { return }
        entries[key] = value.map {
            Entry(value: $0, place: SourceOffset(topic, view), timestamp: view.timestamp)
        }
    }
}
