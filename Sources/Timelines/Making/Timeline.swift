/// When a timeline asks to be made again: WidgetKit's `TimelineReloadPolicy`.
package enum TimelineReloadPolicy: Hashable, Sendable {
    case atEnd
    case after(Instant)
    case never
}

/// A timeline as a strategy makes it for one instant.
package struct Timeline: Hashable, Sendable {
    /// Ascending by date; never empty; the first one is in force at the instant the timeline was made for.
    package var entries: [TimelineEntry]
    package var policy: TimelineReloadPolicy
    /// When the next one is due; absent for `never`, else later than the instant it was made for.
    package var nextUpdate: Instant?
    /// Until when what is shown can be believed (T5).
    package var validUntil: Instant?

    package init(entries: [TimelineEntry], policy: TimelineReloadPolicy, nextUpdate: Instant?, validUntil: Instant?) {
        self.entries = entries
        self.policy = policy
        self.nextUpdate = nextUpdate
        self.validUntil = validUntil
    }
}
