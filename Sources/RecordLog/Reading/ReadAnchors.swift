/// The records by which a reader notices, while it reads, that its topic was deleted and made again: of each partition
/// the last one that had been read at its latest comparison.
struct ReadAnchors {
    private(set) var records: [Partition: Fingerprint] = [:]
    private var comparedAt = Duration.zero
    private var isSuspect = false
    /// So many comparisons in a row were not answered for each partition.
    private var unanswered = 0

    /// After something odd was read the records are compared so soon after the latest comparison.
    static let suspectInterval = Duration.seconds(5)

    /// The reading begins behind these records, which the topic has.
    mutating func begin(behind records: [Partition: Fingerprint], at now: Duration) {
        self.records = records
        noteComparison(at: now, isWhole: true)
    }

    /// A record was read. It is the one to compare if there is none yet.
    mutating func note(_ record: Fingerprint, of partition: Partition) {
        if records[partition] == nil { records[partition] = record }
    }

    /// The topic was still the one that was read when this record had been.
    mutating func confirm(_ partition: Partition, upTo record: Fingerprint?) {
        if let record { records[partition] = record }
    }

    /// The partition is another topic's from now on.
    mutating func forget(_ partition: Partition) { records[partition] = nil }

    /// Something was read, or not answered, that makes the records worth another look.
    mutating func suspect() { isSuspect = true }

    func isDue(at now: Duration, every interval: Duration) -> Bool {
        let soon = Self.suspectInterval * (1 << max(0, unanswered - 1))
        return now - comparedAt >= (isSuspect ? min(interval, soon) : interval)
    }

    /// - Parameter isWhole: false if some partitions were not answered: they are asked again soon, and ever later.
    mutating func noteComparison(at now: Duration, isWhole: Bool) {
        comparedAt = now
        isSuspect = !isWhole
        unanswered = isWhole ? 0 : min(unanswered + 1, 10)
    }
}
