import RecordLog

/// What the log cleaner and retention take away.
extension PartitionLog {
    struct Cleaned: Sendable {
        var records = 0
        var markers = 0
        var tombstones = 0

        static func + (left: Cleaned, right: Cleaned) -> Cleaned {
            Cleaned(
                records: left.records + right.records, markers: left.markers + right.markers,
                tombstones: left.tombstones + right.tombstones)
        }
    }

    /// When a tombstone or a marker goes that nothing needs.
    enum Horizon: Hashable, Sendable {
        case never, atOnce
        /// In a run of the cleaner that comes so long after the first one that met it (delete.retention.ms, KIP-534).
        /// A marker stays for as long as records of its transaction do.
        case after(ElapsedTime)
    }

    /// Compacts below the last stable offset: the newest record of each key stays at its offset, aborted records and
    /// what is older go. Records without a key stay.
    mutating func compact(now: Instant, tombstones: Horizon, markers: Horizon) -> Cleaned {
        let stable = firstIndex(atOrAfter: lastStableOffset)
        var newest: [[UInt8]: Offset] = [:]
        for entry in entries[..<stable] where isVisible(entry, .readCommitted) {
            if let key = entry.record?.key { newest[key] = entry.offset }
        }
        var cleaned = Cleaned()
        var kept: [Entry] = []
        var keptTransactions: Set<Int> = []
        for var entry in entries[..<stable] {
            guard let record = entry.record else {
                let isNeeded = markers != .atOnce && entry.transaction.map(keptTransactions.contains) ?? false
                if !isNeeded, goes(&entry, markers, now) { cleaned.markers += 1 } else { kept.append(entry) }
                continue
            }
            let isOlder = record.key.map { newest[$0] != entry.offset } ?? false
            if isOlder || !isVisible(entry, .readCommitted) {
                cleaned.records += 1
            } else if record.key != nil, record.value == nil, goes(&entry, tombstones, now) {
                cleaned.tombstones += 1
            } else {
                if let transaction = entry.transaction { keptTransactions.insert(transaction) }
                kept.append(entry)
            }
        }
        entries.replaceSubrange(..<stable, with: kept)
        return cleaned
    }

    private func goes(_ entry: inout Entry, _ horizon: Horizon, _ now: Instant) -> Bool {
        switch horizon {
        case .never: return false
        case .atOnce: return true
        case .after(let time):
            guard let since = entry.doomedSince else {
                entry.doomedSince = now
                return time <= .zero
            }
            return now - since >= time
        }
    }

    /// Removes what has a timestamp before a moment, and all that lies before it, but nothing behind the last stable
    /// offset.
    ///
    /// - Returns: how many entries went.
    mutating func retain(since moment: Instant) -> Int {
        let stable = firstIndex(atOrAfter: lastStableOffset)
        guard let last = entries[..<stable].lastIndex(where: { $0.timestamp < moment }) else { return 0 }
        return deleteRecords(before: entries[last].offset.next)
    }
}
