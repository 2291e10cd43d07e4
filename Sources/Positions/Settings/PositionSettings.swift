/// The switches and bounds of positions, on servers (`positions.*`) and in clients. Bounds below 1 count as 1.
public struct PositionSettings: Hashable, Sendable {
    /// Positions are kept. Without it records are refused, and a restore is a fallback.
    public var enabled = true
    /// A restore looks for what is near or similar. Without it an exact match is followed by the fallback.
    public var smartRestoration = true
    /// The places of other devices count. Without it each device has its own alone.
    public var crossSessionSync = true
    /// A client sends to its server. Without it nothing leaves the device.
    public var cloudSync = true
    /// How often a client asks its server while nothing else makes it ask.
    public var syncInterval: ElapsedTime = .minutes(1)
    /// How many places of each device are remembered: the newest of different entries.
    public var maxHistorySize = 10
    /// How many entries are remembered as seen, and how many suggestions as dismissed: the newest.
    public var maxUnreadHistory = 500
    /// The shortest time between two saves of a client's journal.
    public var autoSaveInterval: ElapsedTime = .seconds(5)
    /// The place that a restore gives when nothing is found.
    public var fallbackStrategy = FallbackStrategy.nearestContent
    /// How many timelines a client's cache holds.
    public var maxCacheSize = 500
    /// How long a place or mark is remembered after it was made.
    public var expiry: ElapsedTime = .hours(24) * 30
    /// A client loads entries around the reader, not all of them.
    public var lazyLoading = true
    /// How many entries around the reader are loaded.
    public var scrollBufferSize = 20
    /// How many of them come after the reader at least.
    public var renderAheadCount = 5

    /// The defaults.
    public init() {}
}

/// The place where a reader goes on when nothing of the old one is found (P10).
public enum FallbackStrategy: String, CaseIterable, Hashable, Codable, Sendable {
    /// The middle of the timeline.
    case nearestContent = "NearestContent"
    /// The first entry, which is the one in force.
    case topOfTimeline = "TopOfTimeline"
    /// The index that was saved, or the last entry where there are fewer; with the offset that was saved.
    case lastKnownPosition = "LastKnownPosition"
    /// The last entry: entries ascend by date.
    case newestPost = "NewestPost"
    /// The first entry.
    case oldestPost = "OldestPost"
}

// MARK: - Codable

extension PositionSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case enabled, smartRestoration, crossSessionSync, cloudSync, syncInterval, maxHistorySize, maxUnreadHistory,
            autoSaveInterval, fallbackStrategy, maxCacheSize, expiry, lazyLoading, scrollBufferSize, renderAheadCount
    }

    /// Reads the keys that are there; the others have their defaults. Lengths of time are ISO 8601, such as `PT1M`.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            if let read = try container.decodeIfPresent(Value.self, forKey: key) { value = read }
        }
        func read(_ key: CodingKeys, into value: inout ElapsedTime) throws {
            guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return }
            guard let duration = CalendarDuration(iso8601: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container,
                    debugDescription: "\"\(text)\" is not a duration; allowed is ISO 8601 such as PT1M")
            }
            value = duration.nominal
        }
        try read(.enabled, into: &enabled)
        try read(.smartRestoration, into: &smartRestoration)
        try read(.crossSessionSync, into: &crossSessionSync)
        try read(.cloudSync, into: &cloudSync)
        try read(.syncInterval, into: &syncInterval)
        try read(.maxHistorySize, into: &maxHistorySize)
        try read(.maxUnreadHistory, into: &maxUnreadHistory)
        try read(.autoSaveInterval, into: &autoSaveInterval)
        try read(.fallbackStrategy, into: &fallbackStrategy)
        try read(.maxCacheSize, into: &maxCacheSize)
        try read(.expiry, into: &expiry)
        try read(.lazyLoading, into: &lazyLoading)
        try read(.scrollBufferSize, into: &scrollBufferSize)
        try read(.renderAheadCount, into: &renderAheadCount)
    }

    /// Writes every setting.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(enabled, forKey: .enabled)
        try container.encode(smartRestoration, forKey: .smartRestoration)
        try container.encode(crossSessionSync, forKey: .crossSessionSync)
        try container.encode(cloudSync, forKey: .cloudSync)
        try container.encode(syncInterval.iso8601, forKey: .syncInterval)
        try container.encode(maxHistorySize, forKey: .maxHistorySize)
        try container.encode(maxUnreadHistory, forKey: .maxUnreadHistory)
        try container.encode(autoSaveInterval.iso8601, forKey: .autoSaveInterval)
        try container.encode(fallbackStrategy, forKey: .fallbackStrategy)
        try container.encode(maxCacheSize, forKey: .maxCacheSize)
        try container.encode(expiry.iso8601, forKey: .expiry)
        try container.encode(lazyLoading, forKey: .lazyLoading)
        try container.encode(scrollBufferSize, forKey: .scrollBufferSize)
        try container.encode(renderAheadCount, forKey: .renderAheadCount)
    }
}

extension ElapsedTime {
    /// ISO 8601 with days of 24 hours: `P30D`, `PT5S`. What is less than a second is left out.
    var iso8601: String {
        let day = ElapsedTime.hours(24).milliseconds
        return CalendarDuration(
            days: Int(milliseconds / day), time: ElapsedTime(milliseconds: milliseconds % day)
        ).iso8601
    }
}
