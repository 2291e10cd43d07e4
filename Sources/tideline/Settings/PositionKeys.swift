import Positions
import Settings
import Timelines

/// The settings of readers' positions (P1 to P11). The pipeline uses the first ones; `serve` and clients use all.
extension Keys {
    private static let positions = PositionSettings()

    static let positionsEnabled = SettingKey(
        "positions.enabled", .bool, default: positions.enabled,
        "Whether positions are kept; without it records of timeline.positions are refused, which is counted.")
    static let positionsSmartRestoration = SettingKey(
        "positions.smartRestoration", .bool, default: positions.smartRestoration,
        "Whether a place is looked for by date and content; without it an exact match is followed by the fallback.")
    static let positionsCrossSessionSync = SettingKey(
        "positions.crossSessionSync", .bool, default: positions.crossSessionSync,
        "Whether the places of a reader's other devices count; without it each device has its own alone.")
    static let positionsCloudSync = SettingKey(
        "positions.cloudSync", .bool, default: positions.cloudSync,
        "Whether clients send positions to the server; without it nothing leaves the device.")
    static let positionsSyncInterval = SettingKey(
        "positions.syncInterval", .duration(.seconds(1) ... .seconds(86_400)),
        default: Duration(positions.syncInterval), "How often a client asks its server if nothing else makes it ask.")
    static let positionsMaxHistorySize = SettingKey(
        "positions.maxHistorySize", .integer(1...1000), default: positions.maxHistorySize,
        "How many places of each device are remembered: the newest of different entries.")
    static let positionsMaxUnreadHistory = SettingKey(
        "positions.maxUnreadHistory", .integer(1...10_000), default: positions.maxUnreadHistory,
        "How many entries are remembered as read, and how many suggestions as dismissed: the newest.")
    static let positionsAutoSaveInterval = SettingKey(
        "positions.autoSaveInterval", .duration(.milliseconds(100) ... .seconds(3600)),
        default: Duration(positions.autoSaveInterval), "The shortest time between two saves of a client's journal.")
    static let positionsFallbackStrategy = SettingKey(
        "positions.fallbackStrategy", .choice(FallbackStrategy.self), default: positions.fallbackStrategy,
        "Where a reader goes among the entries if nothing of the old place is found.")
    static let positionsMaxCacheSize = SettingKey(
        "positions.maxCacheSize", .integer(1...1_000_000), default: positions.maxCacheSize,
        "How many timelines a client's cache holds.")
    static let positionsExpiry = SettingKey(
        "positions.expiry", .duration(.seconds(60) ... .seconds(3650 * 86_400)),
        default: Duration(positions.expiry), "How long a place or mark is remembered after it was made.")
    static let positionsLazyLoading = SettingKey(
        "positions.lazyLoading", .bool, default: positions.lazyLoading,
        "Whether a client loads the entries around the reader, not all of them.")
    static let positionsScrollBufferSize = SettingKey(
        "positions.scrollBufferSize", .integer(1...500), default: positions.scrollBufferSize,
        "How many entries around the reader are loaded.")
    static let positionsRenderAheadCount = SettingKey(
        "positions.renderAheadCount", .integer(0...500), default: positions.renderAheadCount,
        "How many of them come after the reader at least.")

    static let positionKeys: [any SettingDeclaration] = [
        positionsEnabled, positionsSmartRestoration, positionsCrossSessionSync, positionsCloudSync,
        positionsSyncInterval, positionsMaxHistorySize, positionsMaxUnreadHistory, positionsAutoSaveInterval,
        positionsFallbackStrategy, positionsMaxCacheSize, positionsExpiry, positionsLazyLoading,
        positionsScrollBufferSize, positionsRenderAheadCount,
    ]

    static let positionRules = [
        SettingsRule(
            "the entries after the reader are among those that are loaded",
            keys: [positionsRenderAheadCount.name, positionsScrollBufferSize.name]
        ) { $0[positionsRenderAheadCount] <= $0[positionsScrollBufferSize] }
    ]
}

extension PositionSettings {
    init(_ settings: Settings) {
        self.init()
        enabled = settings[Keys.positionsEnabled]
        smartRestoration = settings[Keys.positionsSmartRestoration]
        crossSessionSync = settings[Keys.positionsCrossSessionSync]
        cloudSync = settings[Keys.positionsCloudSync]
        syncInterval = ElapsedTime(settings[Keys.positionsSyncInterval])
        maxHistorySize = settings[Keys.positionsMaxHistorySize]
        maxUnreadHistory = settings[Keys.positionsMaxUnreadHistory]
        autoSaveInterval = ElapsedTime(settings[Keys.positionsAutoSaveInterval])
        fallbackStrategy = settings[Keys.positionsFallbackStrategy]
        maxCacheSize = settings[Keys.positionsMaxCacheSize]
        expiry = ElapsedTime(settings[Keys.positionsExpiry])
        lazyLoading = settings[Keys.positionsLazyLoading]
        scrollBufferSize = settings[Keys.positionsScrollBufferSize]
        renderAheadCount = settings[Keys.positionsRenderAheadCount]
    }
}
