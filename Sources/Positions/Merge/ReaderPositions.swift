/// Everything that is remembered of one reader in the timeline of one configuration: places by device and entry, the
/// entries that the reader has seen, and the suggestions that they dismissed.
///
/// The value is a join-semilattice (P3): `merge` is commutative, associative and idempotent, under one
/// `PositionSettings` and with the bounds and the expiry included. So replicas that have heard the same agree, in
/// whatever order they heard it. `forget` alone is no part of it: a replica that has not forgotten brings back what
/// another one forgot.
public struct ReaderPositions: Hashable, Sendable {
    /// The places of one device.
    public struct DeviceHistory: Hashable, Codable, Sendable {
        /// The device; `nil` means the one without a name.
        public var deviceId: String?
        /// One snapshot or more, each of another entry, the newest first.
        public var snapshots: [PositionSnapshot]

        /// The places of a device.
        public init(deviceId: String?, snapshots: [PositionSnapshot]) {
            self.deviceId = deviceId
            self.snapshots = snapshots
        }
    }

    /// The places by device as they were told, ascending by deviceId, the absent one first. No device is without one.
    public private(set) var histories: [DeviceHistory] = []
    /// The entries that the reader has seen, each once, the newest first.
    public private(set) var readEntries: [EntryMark] = []
    /// The suggestions that the reader dismissed, each entry once, the newest first.
    public private(set) var dismissed: [EntryMark] = []

    /// Nothing is remembered.
    public init() {}

    /// The value of these parts, which may come in any order and more than once.
    public init(
        histories: [DeviceHistory], readEntries: [EntryMark], dismissed: [EntryMark], settings: PositionSettings
    ) {
        merge(histories, readEntries, dismissed, settings)
    }

    /// The part that a merged position tells: the newest place of each device, and the marks.
    public init(_ merged: MergedPosition, settings: PositionSettings) {
        self.init(
            histories: merged.devices.map { DeviceHistory(deviceId: $0.deviceId, snapshots: [$0.position]) },
            readEntries: merged.readEntries, dismissed: merged.dismissed, settings: settings)
    }

    /// How many devices' worth of places is kept in all: the newest `maxHistorySize` times as many.
    public static let devicesMax = 32

    // MARK: - Questions

    /// True if nothing is remembered.
    public var isEmpty: Bool { histories.isEmpty && readEntries.isEmpty && dismissed.isEmpty }

    /// The newest place of all devices; of one instant that of the first device, the absent one first.
    public var position: PositionSnapshot? { newest?.position }

    /// The newest place of all devices, with its device.
    public var newest: DevicePosition? {
        // The first of the equal ones stays, and devices ascend.
        devices.reduce(nil) { newest, device in
            guard let newest, device.position.observedAt <= newest.position.observedAt else { return device }
            return newest
        }
    }

    /// The newest place of each device, ascending by deviceId, the absent one first.
    public var devices: [DevicePosition] {
        histories.map { DevicePosition(deviceId: $0.deviceId, position: described($0.snapshots[0])) }
    }

    /// The places of all devices read together, the newest of each entry, the newest first.
    public var history: [PositionSnapshot] {
        var entries: Set<PositionSnapshot.EntryKey> = []
        return Placed.sorted(histories).map(\.snapshot).filter { entries.insert($0.entryKey).inserted }.map(described)
    }

    /// The newest place of one device; `nil` as the name means the device without one.
    public func position(ofDevice deviceId: String?) -> PositionSnapshot? {
        histories.first { isSameDevice($0.deviceId, deviceId) }.map { described($0.snapshots[0]) }
    }

    /// The place with what other devices know of its entry, where it says nothing itself (P4). Read so, and not kept
    /// so, the order in which the records of devices come makes no difference.
    private func described(_ snapshot: PositionSnapshot) -> PositionSnapshot {
        guard snapshot.entryDate == nil || snapshot.title == nil || snapshot.location == nil else { return snapshot }
        let others = histories.compactMap { history in
            history.snapshots.first { $0.entryKey == snapshot.entryKey }.map {
                DeviceHistory(deviceId: history.deviceId, snapshots: [$0])
            }
        }
        guard others.count > 1 else { return snapshot }
        var described = snapshot
        for other in Placed.sorted(others).map(\.snapshot) {
            described.entryDate = described.entryDate ?? other.entryDate
            described.title = described.title ?? other.title
            described.location = described.location ?? other.location
        }
        return described
    }

    /// The value without the other devices' places, for readers whose `crossSessionSync` is off.
    public func only(device deviceId: String?) -> ReaderPositions {
        var own = self
        own.histories.removeAll { !isSameDevice($0.deviceId, deviceId) }
        return own
    }

    /// The value that tells other devices (P2); `nil` means a tombstone: nothing is remembered.
    public func merged(readerId: String, configurationId: String) -> MergedPosition? {
        guard !isEmpty else { return nil }
        return MergedPosition(
            readerId: readerId, configurationId: configurationId, position: position, devices: devices,
            readEntries: readEntries, dismissed: dismissed)
    }

    // MARK: - Merging

    /// Takes in all that another value remembers: the newest place of each device and entry, and the union of marks,
    /// within the bounds of the settings.
    public mutating func merge(_ other: ReaderPositions, settings: PositionSettings) {
        merge(other.histories, other.readEntries, other.dismissed, settings)
    }

    /// Drops what is older at an instant than `expiry`, and what is just as old.
    public mutating func expire(at instant: Instant, settings: PositionSettings) {
        let lives = { (made: Instant) in instant - made < settings.expiry }
        for index in histories.indices { histories[index].snapshots.removeAll { !lives($0.observedAt) } }
        histories.removeAll { $0.snapshots.isEmpty }
        readEntries.removeAll { !lives($0.at) }
        dismissed.removeAll { !lives($0.at) }
    }

    /// The first instant at which `expire` drops something; `nil` if there is nothing.
    public func nextExpiry(settings: PositionSettings) -> Instant? {
        let oldest = histories.map(\.snapshots.last?.observedAt) + [readEntries.last?.at, dismissed.last?.at]
        return oldest.compactMap(\.self).min().map { $0 + settings.expiry }
    }

    /// Forgets the places of one device, as its tombstone asks; `nil` means the device without a name. The marks are
    /// the reader's: they stay as long as there is any device, and go with the last one.
    public mutating func forget(deviceId: String?) {
        histories.removeAll { isSameDevice($0.deviceId, deviceId) }
        if histories.isEmpty { self = ReaderPositions() }
    }

    private mutating func merge(
        _ others: [DeviceHistory], _ read: [EntryMark], _ dismissed: [EntryMark], _ settings: PositionSettings
    ) {
        let size = max(1, settings.maxHistorySize)
        for other in others where !other.snapshots.isEmpty { merge(other, maximum: size) }
        if histories.lazy.map(\.snapshots.count).reduce(0, +) > size * Self.devicesMax {
            let kept = Placed.sorted(histories).prefix(size * Self.devicesMax)
            histories = []
            for placed in kept {
                merge(DeviceHistory(deviceId: placed.deviceId, snapshots: [placed.snapshot]), maximum: size)
            }
        }
        readEntries.unite(read, maximum: max(1, settings.maxUnreadHistory))
        self.dismissed.unite(dismissed, maximum: max(1, settings.maxUnreadHistory))
    }

    private mutating func merge(_ other: DeviceHistory, maximum: Int) {
        let place = histories.partitionPoint { precedes($0.deviceId, other.deviceId) }
        if place < histories.count, isSameDevice(histories[place].deviceId, other.deviceId) {
            histories[place].snapshots += other.snapshots
        } else {
            histories.insert(other, at: place)
        }
        histories[place].snapshots.keepNewest(maximum: maximum)
    }
}
