import RecordLog

/// What was read of changelogs for threads that did not poll: for each of them in the order in which it was read, with
/// bytes of its own.
struct RestoreInboxes: Sendable {
    /// By owner.
    private var inboxes: [Int: Inbox] = [:]

    private struct Inbox {
        var portions: [RestorePortion] = []
        /// The sizes of all portions together.
        var bytes = 0
        /// Partitions that wait for room, see `SharedRestorer`.
        var hasParked = false
    }

    func isEmpty(of owner: Int) -> Bool { inboxes[owner]?.portions.isEmpty ?? true }

    /// Bytes, with those that records take besides their own.
    func size(of owner: Int) -> Int { inboxes[owner]?.bytes ?? 0 }

    func hasParked(_ owner: Int) -> Bool { inboxes[owner]?.hasParked ?? false }

    mutating func note(_ owner: Int, hasParked: Bool) { inboxes[owner, default: Inbox()].hasParked = hasParked }

    mutating func append(_ portion: RestorePortion, for owner: Int) {
        inboxes[owner, default: Inbox()].portions.append(portion)
        inboxes[owner]?.bytes += portion.size
    }

    /// Gives back what is left of the first portion.
    mutating func putBack(_ portion: RestorePortion, for owner: Int) {
        inboxes[owner, default: Inbox()].portions.insert(portion, at: 0)
        inboxes[owner]?.bytes += portion.size
    }

    mutating func takeFirst(of owner: Int) -> RestorePortion? {
        guard let inbox = inboxes[owner], let first = inbox.portions.first else { return nil }
        inboxes[owner]?.portions.removeFirst()
        inboxes[owner]?.bytes -= first.size
        return first
    }

    /// Forgets what was read of a partition for this owner.
    mutating func remove(_ place: TopicPartition, of owner: Int) {
        guard let inbox = inboxes[owner] else { return }
        let left = inbox.portions.map { $0.without(place) }.filter { !$0.isSpent }
        inboxes[owner]?.portions = left
        inboxes[owner]?.bytes = left.reduce(0) { $0 + $1.size }
    }

    mutating func removeAll(of owner: Int) { inboxes[owner] = nil }
}

/// The records and ends of one owner's partitions out of one batch.
struct RestorePortion: Sendable {
    private var bytes: [UInt8] = []
    private var records: [Entry] = []
    private var ends: [(place: TopicPartition, end: PartitionEnd)] = []
    /// So many records were taken.
    private var taken = 0

    private struct Entry {
        var place: TopicPartition
        var topic: Int32
        var offset: Offset
        var timestamp: Instant
        /// Where key and value lie; `nil` where there is none.
        var key: Range<Int>?
        var value: Range<Int>?
    }

    var isSpent: Bool { taken == records.count && ends.isEmpty }

    var size: Int { bytes.count + records.count * MemoryLayout<Entry>.stride }

    mutating func append(_ record: RecordView, of place: TopicPartition) {
        records.append(
            Entry(
                place: place, topic: record.topic, offset: record.offset, timestamp: record.timestamp,
                key: append(record.key), value: append(record.value)))
    }

    mutating func append(_ end: PartitionEnd, of place: TopicPartition) { ends.append((place, end)) }

    private mutating func append(_ field: UnsafeRawBufferPointer?) -> Range<Int>? {
        guard let field else { return nil }
        let start = bytes.count
        bytes.append(contentsOf: field)
        return start..<bytes.count
    }

    /// So many records are lent at a time at the most.
    static let lentMax = 32

    /// - Parameter take: is lent the records, some at a time, without headers.
    /// - Returns: how many were taken, and the ends if all of the records are.
    mutating func deliver(
        atMost maximum: Int, _ take: (ArraySlice<RecordView>) -> Void
    ) -> (records: Int, ends: [PartitionEnd]) {
        let first = taken
        taken = min(first + maximum, records.count)
        bytes.withUnsafeBytes { bytes in
            let field = { (range: Range<Int>) in UnsafeRawBufferPointer(rebasing: bytes[range]) }
            let views = records[first..<taken].map { entry in
                RecordView(
                    topic: entry.topic, partition: entry.place.partition, offset: entry.offset,
                    timestamp: entry.timestamp, key: entry.key.map(field), value: entry.value.map(field), handle: nil)
            }
            views[...].lend(take)
        }
        guard taken == records.count else { return (taken - first, []) }
        defer { ends = [] }
        return (taken - first, ends.map(\.end))
    }

    func without(_ place: TopicPartition) -> RestorePortion {
        var left = self
        left.records = records[taken...].filter { $0.place != place }
        left.taken = 0
        left.ends.removeAll { $0.place == place }
        return left
    }
}

extension ArraySlice<RecordView> {
    /// Calls `take` with all records in their order, at most `RestorePortion.lentMax` at a time.
    func lend(_ take: (ArraySlice<RecordView>) -> Void) {
        var rest = self
        while !rest.isEmpty {
            take(rest.prefix(RestorePortion.lentMax))
            rest = rest.dropFirst(RestorePortion.lentMax)
        }
    }
}
