internal import Messages
package import RecordLog

/// Says of the records of one key, as they are read, which ones are the latest so far.
///
/// Within a partition a later offset is later. After partitions were added a key may be in several: between them the
/// younger timestamp counts.
package struct LatestPlace: Sendable {
    private var known: (partition: Partition, timestamp: Instant)?

    package init() {}

    /// - Returns: false if a record that was taken before is younger, and in another partition.
    package mutating func takes(_ view: RecordView) -> Bool {
        if let known, known.partition != view.partition, known.timestamp > view.timestamp { return false }
        known = (view.partition, view.timestamp)
        return true
    }
}
