import RecordLog

/// A record's content as the log keeps it.
struct StoredRecord: Sendable {
    var key: [UInt8]?
    var value: [UInt8]?
    var headers: [Header]

    /// Roughly what it takes in a batch; what `max.message.bytes` is compared with.
    var size: Int {
        headers.reduce((key?.count ?? 0) + (value?.count ?? 0)) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
    }
}

/// The log of one partition: records and transaction markers by offset, with holes where compaction took some away.
struct PartitionLog: Sendable {
    var entries: [Entry] = []
    /// The first offset that may be read (log start offset).
    private(set) var low: Offset = 0
    /// The offset that the next entry gets (high watermark).
    private(set) var high: Offset = 0
    /// Ascending by first offset: the first one holds the last stable offset.
    private(set) var open: [OpenTransaction] = []
    /// How long the last stable offset has stood still at the most, before what is open now.
    private(set) var longestStandstill = ElapsedTime.zero
    private var aborted: Set<Int> = []

    struct Entry: Sendable {
        var offset: Offset
        var timestamp: Instant
        var transaction: Int?
        /// `nil` means that the entry is a marker, which is delivered to nobody.
        var record: StoredRecord?
        /// The time when a compaction first met it as a tombstone or a marker that nothing needs (KIP-534).
        var doomedSince: Instant?
    }

    /// A transaction that has written here and has no marker.
    struct OpenTransaction: Sendable {
        var number: Int
        var first: Offset
        /// The time since which it holds the last stable offset.
        var since: Instant
    }

    struct Read: Sendable {
        var records: [(offset: Offset, timestamp: Instant, record: StoredRecord)] = []
        /// The position afterwards: past markers and aborted records that were met.
        var next: Offset
        var isAtEnd: Bool
    }

    /// Every transaction below it is decided.
    var lastStableOffset: Offset { open.first?.first ?? high }

    func end(_ isolation: IsolationLevel) -> Offset {
        switch isolation {
        case .readCommitted: lastStableOffset
        case .readUncommitted: high
        }
    }

    /// - Returns: the record's offset.
    mutating func append(_ record: StoredRecord, timestamp: Instant, now: Instant, transaction: Int?) -> Offset {
        if let transaction, !open.contains(where: { $0.number == transaction }) {
            open.append(OpenTransaction(number: transaction, first: high, since: now))
        }
        entries.append(Entry(offset: high, timestamp: timestamp, transaction: transaction, record: record))
        defer { high = high.next }
        return high
    }

    /// Writes a transaction's marker, which takes up an offset. A transaction that wrote nothing here has none.
    mutating func end(transaction: Int, commit: Bool, now: Instant) {
        guard let index = open.firstIndex(where: { $0.number == transaction }) else { return }
        if index == 0 {
            longestStandstill = max(longestStandstill, now - open[0].since)
            // The stable offset moves on to the next one, and stands still from now.
            if open.count > 1 { open[1].since = now }
        }
        open.remove(at: index)
        if !commit { aborted.insert(transaction) }
        entries.append(Entry(offset: high, timestamp: now, transaction: transaction, record: nil))
        high = high.next
    }

    func read(from position: Offset, maximum: Int, isolation: IsolationLevel) -> Read {
        precondition(maximum > 0)
        let end = end(isolation)
        var read = Read(next: max(position, low), isAtEnd: false)
        var index = firstIndex(atOrAfter: read.next)
        while index < entries.count, entries[index].offset < end, read.records.count < maximum {
            if let record = entries[index].record, isVisible(entries[index], isolation) {
                read.records.append((entries[index].offset, entries[index].timestamp, record))
            }
            read.next = entries[index].offset.next
            index += 1
        }
        // What compaction left empty before the end is passed over as well.
        if index == entries.count || entries[index].offset >= end { read.next = max(read.next, end) }
        read.isAtEnd = read.next == end
        return read
    }

    /// Removes what is below an offset. Never goes back, and not past the end.
    ///
    /// - Returns: how many entries went.
    @discardableResult
    mutating func deleteRecords(before offset: Offset) -> Int {
        precondition(offset <= high)
        low = max(low, offset)
        let count = firstIndex(atOrAfter: low)
        entries.removeSubrange(..<count)
        return count
    }

    func isVisible(_ entry: Entry, _ isolation: IsolationLevel) -> Bool {
        guard isolation == .readCommitted, let transaction = entry.transaction else { return true }
        return !aborted.contains(transaction)
    }

    func firstIndex(atOrAfter offset: Offset) -> Int {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = entries[middle].offset < offset ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
