import Messages
import RecordLog
import Timelines

/// Readers' positions: the merged ones and those of each device. A value: `TopicViews` guards it.
struct PositionTable: Sendable {
    private var readers: [TextKey: Reader] = [:]
    private(set) var log = ChangeLog()

    private struct Reader: Sendable {
        var configurations = SortedKeys()
        var positions: [TextKey: StoredPositions] = [:]
    }

    subscript(readerId: String, configurationId: String) -> StoredPositions? {
        readers[TextKey(readerId)]?.positions[TextKey(configurationId)]
    }

    /// - Parameter merged: `nil` is a tombstone.
    mutating func putMerged(_ key: ReaderKey, _ merged: StoredValue?, at place: ViewPlace) {
        let before = self[key.readerId, key.configurationId]?.merged
        modify(key) { $0.merged = merged }
        log.append(TextKey(key.text), at: place, isDeletion: merged == nil, replaced: before != nil)
    }

    /// - Parameter value: `nil` is a tombstone.
    mutating func putDevice(_ key: PositionKey, _ value: StoredValue?) {
        modify(key.reader) { positions in
            let order = Self.order(key.deviceId)
            let index = positions.devices.partitionPoint { Self.order($0.deviceId) < order }
            let isThere = index < positions.devices.count && Self.order(positions.devices[index].deviceId) == order
            switch (value, isThere) {
            case (let value?, true): positions.devices[index].value = value
            case (let value?, false): positions.devices.insert((key.deviceId, value), at: index)
            case (nil, true): positions.devices.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// No device at all comes first.
    private static func order(_ deviceId: String?) -> TextKey { TextKey(deviceId ?? "") }

    private mutating func modify(_ key: ReaderKey, _ change: (inout StoredPositions) -> Void) {
        let (reader, configuration) = (TextKey(key.readerId), TextKey(key.configurationId))
        var known = readers[reader] ?? Reader()
        // Only one owner, or each change would copy all positions of the reader.
        readers[reader] = nil
        var positions =
            known.positions.removeValue(forKey: configuration)
            ?? StoredPositions(
                readerId: key.readerId, configurationId: key.configurationId, merged: nil, devices: [])
        change(&positions)
        if positions.merged == nil, positions.devices.isEmpty {
            known.configurations.remove(configuration)
        } else {
            known.positions[configuration] = positions
            known.configurations.insert(configuration)
        }
        if !known.configurations.isEmpty { readers[reader] = known }
    }

    /// Drops what devices told before an instant: the pipeline has forgotten it, too.
    mutating func forgetDevices(before instant: Instant) {
        for reader in readers.values {
            for positions in reader.positions.values {
                for device in positions.devices where device.value.timestamp < instant {
                    let key = ReaderKey(readerId: positions.readerId, configurationId: positions.configurationId)
                    putDevice(PositionKey(key, deviceId: device.deviceId), nil)
                }
            }
        }
    }

    mutating func forgetDevices() { forget { $0.devices = [] } }

    mutating func forgetMerged() {
        forget { $0.merged = nil }
        log = ChangeLog()
    }

    private mutating func forget(_ change: (inout StoredPositions) -> Void) {
        let keys = readers.values.flatMap { reader in
            reader.positions.values.map { ReaderKey(readerId: $0.readerId, configurationId: $0.configurationId) }
        }
        for key in keys { modify(key, change) }
    }

    mutating func compactIfNeeded() {
        log.compactIfNeeded { [readers] in Self.place(of: $0, in: readers) }
    }

    mutating func forgetDeletions(before place: ViewPlace) { log.forgetDeletions(before: place) }

    // MARK: - Reading

    /// The positions of a reader behind `after` in the order of the configurations, and true if there are more.
    func page(
        readerId: String, after: String?, limit: Int
    ) -> (positions: [StoredPositions], hasMore: Bool) {
        guard let reader = readers[TextKey(readerId)] else { return ([], false) }
        var found: [StoredPositions] = []
        var hasMore = false
        reader.configurations.forEach(after: after.map { TextKey($0) }) { key in
            guard let positions = reader.positions[key], positions.merged != nil else { return true }
            hasMore = found.count == limit
            if !hasMore { found.append(positions) }
            return !hasMore
        }
        return (found, hasMore)
    }

    /// The merged positions that came at or behind the offsets, of readers or of all.
    ///
    /// - Returns: `nil` if there are more than `limit` to look at.
    func changed(
        since offsets: [Partition: Offset], readers wanted: [String]?, limit: Int
    ) -> [(key: ReaderKey, merged: StoredValue)]? {
        var found: [StoredPositions]
        if let wanted {
            let known = wanted.compactMap { readers[TextKey($0)] }
            guard known.reduce(0, { $0 + $1.configurations.count }) <= limit else { return nil }
            found = known.flatMap { reader in reader.configurations.all.compactMap { reader.positions[$0] } }
        } else {
            let keys = log.changed(since: offsets, limit: limit) { Self.place(of: $0, in: readers) }
            guard let keys else { return nil }
            found = keys.compactMap { Self.key($0) }.compactMap { self[$0.readerId, $0.configurationId] }
        }
        found.removeAll { positions in
            positions.merged.map { $0.place.offset < offsets[$0.place.partition] ?? Offset(0) } ?? true
        }
        return found.compactMap { positions in
            let key = ReaderKey(readerId: positions.readerId, configurationId: positions.configurationId)
            return positions.merged.map { (key, $0) }
        }
    }

    /// The keys whose merged positions went at or behind the offsets; `nil` if not all are known, or there are more
    /// than `limit` to look at.
    func deleted(since offsets: [Partition: Offset], limit: Int) -> [ReaderKey]? {
        log.deleted(since: offsets, limit: limit)?.compactMap { Self.key($0) }
    }

    private static func place(of key: TextKey, in readers: [TextKey: Reader]) -> ViewPlace? {
        guard let key = Self.key(key) else { return nil }
        return readers[TextKey(key.readerId)]?.positions[TextKey(key.configurationId)]?.merged?.place
    }

    private static func key(_ key: TextKey) -> ReaderKey? {
        Array(key.text.utf8).withUnsafeBytes { try? ReaderKey.decode($0) }
    }
}
