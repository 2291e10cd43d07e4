/// All that is known of a reader's positions, for whoever looks for a mistake. It has no tokens and no secrets.
public struct PositionDebugExport: Hashable, Sendable {
    /// The numbers of what is remembered.
    public struct Summary: Hashable, Codable, Sendable {
        /// The reader.
        public var readerId: String
        /// The configuration whose timeline is read.
        public var configurationId: String
        /// The newest place of all devices.
        public var position: PositionSnapshot?
        /// How many devices have a place.
        public var devices: Int
        /// How many places are remembered, of all devices.
        public var snapshots: Int
        /// How many entries the reader has seen.
        public var readEntries: Int
        /// How many suggestions the reader dismissed.
        public var dismissed: Int
    }

    /// The numbers of what is remembered.
    public var summary: Summary
    /// The places by device, each with the method by which the reader came there.
    public var history: [ReaderPositions.DeviceHistory]
    /// How the device gets on with its server.
    public var syncStatus: SyncStatus
    /// The instant of the last success; `nil` means that there was none.
    public var lastSyncTime: Instant?
    /// The settings in force.
    public var settings: PositionSettings
    /// How many restores each method has made.
    public var restorations: RestorationCounts

    /// An export of what is remembered of a reader.
    public init(
        _ positions: ReaderPositions, readerId: String, configurationId: String, syncStatus: SyncStatus,
        lastSyncTime: Instant?, settings: PositionSettings, restorations: RestorationCounts
    ) {
        summary = Summary(
            readerId: readerId, configurationId: configurationId, position: positions.position,
            devices: positions.histories.count,
            snapshots: positions.histories.map(\.snapshots.count).reduce(0, +),
            readEntries: positions.readEntries.count, dismissed: positions.dismissed.count)
        history = positions.histories
        self.syncStatus = syncStatus
        self.lastSyncTime = lastSyncTime
        self.settings = settings
        self.restorations = restorations
    }
}

extension PositionDebugExport: Codable {
    private enum CodingKeys: String, CodingKey {
        case summary, history, syncStatus, lastSyncTime, settings, restorations
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        summary = try container.decode(Summary.self, forKey: .summary)
        history = try container.decode([ReaderPositions.DeviceHistory].self, forKey: .history)
        syncStatus = try container.decode(SyncStatus.self, forKey: .syncStatus)
        lastSyncTime = try container.decodeInstantIfPresent(forKey: .lastSyncTime)
        settings = try container.decode(PositionSettings.self, forKey: .settings)
        restorations = try container.decode(RestorationCounts.self, forKey: .restorations)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(summary, forKey: .summary)
        try container.encode(history, forKey: .history)
        try container.encode(syncStatus, forKey: .syncStatus)
        try container.encodeInstantIfPresent(lastSyncTime, forKey: .lastSyncTime)
        try container.encode(settings, forKey: .settings)
        try container.encode(restorations, forKey: .restorations)
    }
}
