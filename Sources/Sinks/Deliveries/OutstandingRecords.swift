import RecordLog

/// The records that are read and not settled yet. Each partition is done up to its first such record.
struct OutstandingRecords {
    /// A record of the topic that is sent.
    struct Place: Hashable {
        var partition: Partition
        var offset: Offset
        /// How often the partition was found to be that of another topic before the record was read: the record of one
        /// topic is not that of another which has its offset.
        var restarts: Int
    }

    private struct Entry {
        var record: Record
        /// The number of deliveries that the record waits for.
        var claims: Int
        var isDeadLetter = false
    }

    private var entries: [Place: Entry] = [:]
    /// The offsets of each partition in their order. Settled ones are dropped when they come to the front.
    private var queues: [Partition: Queue] = [:]
    private var restarts: [Partition: Int] = [:]

    private struct Queue {
        var offsets: [Offset] = []
        var head = 0
    }

    var count: Int { entries.count }
    /// The bytes of the records: keys, values and headers.
    private(set) var byteCount = 0
    var isEmpty: Bool { entries.isEmpty }

    /// Takes up a record with one claim on it. Offsets of a partition ascend, until they are those of another topic.
    mutating func begin(_ record: Record) -> Place {
        if let last = queues[record.partition]?.offsets.last, record.offset <= last { restart(record.partition) }
        let place = place(record.offset, of: record.partition)
        entries[place] = Entry(record: record, claims: 1)
        byteCount += record.byteCount
        queues[record.partition, default: Queue()].offsets.append(record.offset)
        return place
    }

    /// What is read of the partition from now on is of another topic. What was read before stays until it is settled,
    /// and has no part in how far the partition is done.
    mutating func restart(_ partition: Partition) {
        restarts[partition, default: 0] += 1
        queues[partition] = nil
    }

    private func place(_ offset: Offset, of partition: Partition) -> Place {
        Place(partition: partition, offset: offset, restarts: restarts[partition] ?? 0)
    }

    mutating func claim(_ place: Place) {
        precondition(entries[place] != nil, "the record is settled")
        entries[place]?.claims += 1
    }

    /// Gives one claim back; with the last one the record is settled.
    ///
    /// - Returns: true if it was the last one.
    @discardableResult
    mutating func settle(_ place: Place) -> Bool {
        guard let entry = entries[place] else { preconditionFailure("the record is settled") }
        if entry.claims > 1 {
            entries[place]?.claims -= 1
            return false
        }
        entries[place] = nil
        byteCount -= entry.record.byteCount
        if place.restarts == restarts[place.partition] ?? 0 { dropSettled(of: place.partition) }
        return true
    }

    private mutating func dropSettled(of partition: Partition) {
        guard var queue = queues.removeValue(forKey: partition) else { return }
        while queue.head < queue.offsets.count, isSettled(queue.offsets[queue.head], of: partition) { queue.head += 1 }
        if queue.head * 2 > queue.offsets.count {
            queue.offsets.removeFirst(queue.head)
            queue.head = 0
        } else if queue.offsets.count > 2 * count + Self.settledMax {
            // One that is not settled for hours would keep all behind it.
            queue.offsets = queue.offsets[queue.head...].filter { !isSettled($0, of: partition) }
            queue.head = 0
        }
        queues[partition] = queue
    }

    /// So many settled offsets may stand among the others.
    static let settledMax = 4096

    func isSettled(_ offset: Offset, of partition: Partition) -> Bool {
        entries[place(offset, of: partition)] == nil
    }

    /// Marks a record as a dead letter.
    ///
    /// - Returns: the record; `nil` if it is one already.
    mutating func markDeadLetter(_ place: Place) -> Record? {
        guard let entry = entries[place], !entry.isDeadLetter else { return nil }
        entries[place]?.isDeadLetter = true
        return entry.record
    }

    /// Returns the first offset of the partition that is not settled; `nil` if all are.
    func first(of partition: Partition) -> Offset? {
        guard let queue = queues[partition], queue.head < queue.offsets.count else { return nil }
        return queue.offsets[queue.head]
    }
}
