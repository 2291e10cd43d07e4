public import Positions

/// The switches and bounds of a client.
public struct ClientSettings: Hashable, Sendable {
    /// Positions, and how many entries and timelines are loaded and kept.
    public var positions = PositionSettings()
    /// How many bytes of timelines stay in memory; the ones that were used least recently go first. All of them stay on
    /// disk.
    public var memoryWarningThreshold = 50 << 20
    /// How long a stream of events may be silent before it counts as lost: three heartbeats of the server's default.
    public var silenceMax: ElapsedTime = .seconds(45)
    /// A line for each request goes to the configuration's `log`.
    public var debug = false

    /// The defaults.
    public init() {}
}
