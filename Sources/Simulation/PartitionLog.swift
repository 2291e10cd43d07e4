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
    private var entries: [Entry] = []
    /// The first offset that may be read (log start offset).
    private(set) var low: Offset = 0
    /// The offset that the next entry gets (high watermark).
    private(set) var high: Offset = 0
    /// First offsets of open transactions, by the transaction's number.
    private var open: [Int: Offset] = [:]
    private var aborted: Set<Int> = []

    private struct Entry: Sendable {
        var offset: Offset
        var timestamp: Instant
        var transaction: Int?
        /// `nil` means that the entry is a marker, which is delivered to nobody.
        var record: StoredRecord?
    }

    struct Read: Sendable {
        var records: [(offset: Offset, timestamp: Instant, record: StoredRecord)] = []
        /// The position afterwards: past markers and aborted records that were met.
        var next: Offset
        var isAtEnd: Bool
    }

    /// Every transaction below it is decided.
    var lastStableOffset: Offset {
        open.values.min() ?? high
    }

    func end(_ isolation: IsolationLevel) -> Offset {
        switch isolation {
        case .readCommitted: lastStableOffset
        case .readUncommitted: high
        }
    }

    /// - Returns: the record's offset.
    mutating func append(_ record: StoredRecord, timestamp: Instant, transaction: Int?) -> Offset {
        if let transaction, open[transaction] == nil { open[transaction] = high }
        entries.append(Entry(offset: high, timestamp: timestamp, transaction: transaction, record: record))
        defer { high = high.next }
        return high
    }

    /// Writes a transaction's marker, which takes up an offset. A transaction that wrote nothing here has none.
    mutating func end(transaction: Int, commit: Bool, timestamp: Instant) {
        guard open.removeValue(forKey: transaction) != nil else { return }
        if !commit { aborted.insert(transaction) }
        entries.append(Entry(offset: high, timestamp: timestamp, transaction: transaction, record: nil))
        high = high.next
    }

    func read(from position: Offset, maximum: Int, isolation: IsolationLevel) -> Read {
        precondition(maximum > 0)
        let end = end(isolation)
        var read = Read(next: max(position, low), isAtEnd: false)
        var index = firstIndex(atOrAfter: read.next)
        while index < entries.count, entries[index].offset < end, read.records.count < maximum {
            let entry = entries[index]
            if let record = entry.record, isVisible(entry, isolation) {
                read.records.append((entry.offset, entry.timestamp, record))
            }
            read.next = entry.offset.next
            index += 1
        }
        // What compaction left empty before the end is passed over as well.
        if index == entries.count || entries[index].offset >= end { read.next = max(read.next, end) }
        read.isAtEnd = read.next == end
        return read
    }

    /// Removes what is below an offset. Never goes back, and not past the end.
    mutating func deleteRecords(before offset: Offset) {
        precondition(offset <= high)
        low = max(low, offset)
        entries.removeSubrange(..<firstIndex(atOrAfter: low))
    }

    mutating func compact(removingTombstones: Bool) {
        let stable = firstIndex(atOrAfter: lastStableOffset)
        var newest: [[UInt8]: Offset] = [:]
        for entry in entries[..<stable] where isVisible(entry, .readCommitted) {
            if let key = entry.record?.key { newest[key] = entry.offset }
        }
        let kept = entries[..<stable].filter { entry in
            guard let record = entry.record, isVisible(entry, .readCommitted) else { return false }
            guard let key = record.key else { return true }
            return newest[key] == entry.offset && !(removingTombstones && record.value == nil)
        }
        entries.replaceSubrange(..<stable, with: kept)
    }

    private func isVisible(_ entry: Entry, _ isolation: IsolationLevel) -> Bool {
        guard isolation == .readCommitted, let transaction = entry.transaction else { return true }
        return !aborted.contains(transaction)
    }

    private func firstIndex(atOrAfter offset: Offset) -> Int {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = entries[middle].offset < offset ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
