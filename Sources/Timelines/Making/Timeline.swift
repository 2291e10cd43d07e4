/// When a timeline asks to be made again: WidgetKit's `TimelineReloadPolicy`.
public enum TimelineReloadPolicy: Hashable, Sendable {
    case atEnd
    case after(Instant)
    case never
}

/// A timeline as a strategy makes it for one instant.
public struct Timeline: Hashable, Sendable {
    /// Ascending by date; never empty; the first one is in force at the instant the timeline was made for.
    public var entries: [TimelineEntry]
    public var policy: TimelineReloadPolicy
    /// When the next one is due; absent for `never`, else later than the instant it was made for.
    public var nextUpdate: Instant?
    /// Until when what is shown can be believed (T5).
    public var validUntil: Instant?

    public init(entries: [TimelineEntry], policy: TimelineReloadPolicy, nextUpdate: Instant?, validUntil: Instant?) {
        self.entries = entries
        self.policy = policy
        self.nextUpdate = nextUpdate
        self.validUntil = validUntil
    }
}
