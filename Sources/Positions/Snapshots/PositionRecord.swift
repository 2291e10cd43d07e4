/// A record of one device of a reader: the value in `timeline.positions` (P1). In JSON the position is not nested.
public struct PositionRecord: Hashable, Sendable {
    /// The reader.
    public var readerId: String
    /// The configuration whose timeline is read.
    public var configurationId: String
    /// The device; `nil` means a device without a name, of which a reader has one.
    public var deviceId: String?
    /// The place where the reader is.
    public var position: PositionSnapshot
    /// The entries that the reader has seen.
    public var readEntries: [EntryMark]
    /// The suggestions that the reader did not want.
    public var dismissed: [EntryMark]
    /// Older places of this device, which no record may have told yet.
    public var history: [PositionSnapshot]

    /// A record of one device.
    public init(
        readerId: String, configurationId: String, deviceId: String? = nil, position: PositionSnapshot,
        readEntries: [EntryMark] = [], dismissed: [EntryMark] = [], history: [PositionSnapshot] = []
    ) {
        self.readerId = readerId
        self.configurationId = configurationId
        self.deviceId = deviceId
        self.position = position
        self.readEntries = readEntries
        self.dismissed = dismissed
        self.history = history
    }
}

/// The newest place of one device.
public struct DevicePosition: Hashable, Codable, Sendable {
    /// The device; `nil` means the one without a name.
    public var deviceId: String?
    /// The place.
    public var position: PositionSnapshot

    /// The place of a device.
    public init(deviceId: String?, position: PositionSnapshot) {
        self.deviceId = deviceId
        self.position = position
    }
}

/// The position that all devices of a reader have together: the value in `timeline.positions.merged` (P2).
public struct MergedPosition: Hashable, Sendable {
    /// The reader.
    public var readerId: String
    /// The configuration whose timeline is read.
    public var configurationId: String
    /// The newest place of all devices; `nil` means that all places have expired, and only marks are left.
    public var position: PositionSnapshot?
    /// The newest place of each device, by deviceId, the absent one first.
    public var devices: [DevicePosition]
    /// The entries that the reader has seen, the newest first.
    public var readEntries: [EntryMark]
    /// The suggestions that the reader did not want, the newest first.
    public var dismissed: [EntryMark]

    /// A merged position of these parts.
    public init(
        readerId: String, configurationId: String, position: PositionSnapshot?, devices: [DevicePosition],
        readEntries: [EntryMark] = [], dismissed: [EntryMark] = []
    ) {
        self.readerId = readerId
        self.configurationId = configurationId
        self.position = position
        self.devices = devices
        self.readEntries = readEntries
        self.dismissed = dismissed
    }
}

// MARK: - Codable

extension PositionRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case readerId, configurationId, deviceId, readEntries, dismissed, history
    }

    /// Reads a record; absent lists are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            readerId: try container.decodeText(forKey: .readerId),
            configurationId: try container.decodeText(forKey: .configurationId),
            deviceId: try container.decodeIfPresent(String.self, forKey: .deviceId),
            position: try PositionSnapshot(from: decoder), readEntries: try container.decodeList(forKey: .readEntries),
            dismissed: try container.decodeList(forKey: .dismissed), history: try container.decodeList(forKey: .history)
        )
    }

    /// Writes the record with the position's fields beside its own; empty lists are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(readerId, forKey: .readerId)
        try container.encode(configurationId, forKey: .configurationId)
        try container.encodeIfPresent(deviceId, forKey: .deviceId)
        try position.encode(to: encoder)
        if !readEntries.isEmpty { try container.encode(readEntries, forKey: .readEntries) }
        if !dismissed.isEmpty { try container.encode(dismissed, forKey: .dismissed) }
        if !history.isEmpty { try container.encode(history, forKey: .history) }
    }
}

extension MergedPosition: Codable {
    private enum CodingKeys: String, CodingKey {
        case readerId, configurationId, position, devices, readEntries, dismissed
    }

    /// Reads a value; absent lists are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            readerId: try container.decodeText(forKey: .readerId),
            configurationId: try container.decodeText(forKey: .configurationId),
            position: try container.decodeIfPresent(PositionSnapshot.self, forKey: .position),
            devices: try container.decodeList(forKey: .devices),
            readEntries: try container.decodeList(forKey: .readEntries),
            dismissed: try container.decodeList(forKey: .dismissed))
    }

    /// Writes the value; a position that is not there is left out, empty lists are not.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(readerId, forKey: .readerId)
        try container.encode(configurationId, forKey: .configurationId)
        try container.encodeIfPresent(position, forKey: .position)
        try container.encode(devices, forKey: .devices)
        try container.encode(readEntries, forKey: .readEntries)
        try container.encode(dismissed, forKey: .dismissed)
    }
}
