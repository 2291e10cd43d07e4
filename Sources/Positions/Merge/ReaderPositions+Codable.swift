/// The form in which a client keeps the value: `{histories, readEntries, dismissed}`.
extension ReaderPositions: Codable {
    private enum CodingKeys: String, CodingKey { case histories, readEntries, dismissed }

    /// Reads the parts in any order. No bound cuts them; the next merge does.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var settings = PositionSettings()
        settings.maxHistorySize = .max / Self.devicesMax
        settings.maxUnreadHistory = .max
        self.init(
            histories: try container.decodeList(forKey: .histories),
            readEntries: try container.decodeList(forKey: .readEntries),
            dismissed: try container.decodeList(forKey: .dismissed), settings: settings)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(histories, forKey: .histories)
        try container.encode(readEntries, forKey: .readEntries)
        try container.encode(dismissed, forKey: .dismissed)
    }
}
