/// The bounds of what is remembered: the newest of each entry, and of these the newest. Using an entry again makes it
/// the newest one, so what goes is what was used least recently.
extension [PositionSnapshot] {
    /// Leaves the newest snapshot of each entry, the newest first, at most so many.
    mutating func keepNewest(maximum: Int) {
        guard count > 1 else { return }
        sort { $0.isNewer(than: $1) }
        var entries: Set<PositionSnapshot.EntryKey> = []
        removeAll { !entries.insert($0.entryKey).inserted }
        if count > maximum { removeSubrange(maximum...) }
    }
}

extension [EntryMark] {
    /// Takes in other marks: the newest of each entry, the newest first, at most so many.
    mutating func unite(_ others: [EntryMark], maximum: Int) {
        if others.isEmpty, count <= maximum { return }
        append(contentsOf: others)
        sort { $0.precedes($1) }
        var entries: Set<PositionSnapshot.EntryKey> = []
        removeAll { !entries.insert(PositionSnapshot.EntryKey(id: $0.entryId)).inserted }
        if count > maximum { removeSubrange(maximum...) }
    }
}

extension PositionSnapshot {
    /// The id of an entry, told apart by its UTF-8 bytes.
    struct EntryKey: Hashable {
        var id: String

        static func == (left: EntryKey, right: EntryKey) -> Bool { left.id.isSameByUTF8(as: right.id) }
    }

    var entryKey: EntryKey { EntryKey(id: entryId) }
}

/// A snapshot and its device, in the order in which devices are read together.
struct Placed {
    var deviceId: String?
    var snapshot: PositionSnapshot

    /// All snapshots of all devices: the newest first, then by deviceId, the absent one first.
    static func sorted(_ histories: [ReaderPositions.DeviceHistory]) -> [Placed] {
        histories.flatMap { history in
            history.snapshots.map { Placed(deviceId: history.deviceId, snapshot: $0) }
        }
        .sorted { left, right in
            if left.snapshot.observedAt != right.snapshot.observedAt {
                return left.snapshot.observedAt > right.snapshot.observedAt
            }
            guard isSameDevice(left.deviceId, right.deviceId) else { return precedes(left.deviceId, right.deviceId) }
            return left.snapshot.isNewer(than: right.snapshot)
        }
    }
}
