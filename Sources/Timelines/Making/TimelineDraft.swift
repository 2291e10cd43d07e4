/// What a strategy made, before T2 to T5 are applied: the moments of entries, which are cheap,
/// and how an entry is made of one. Only those that stay within the limit are made.
package struct TimelineDraft {
    package var moments: [Moment]
    package var policy: TimelineReloadPolicy
    /// The strategy's interval, where it has one: T5 falls back on it.
    package var interval: CalendarDuration?
    /// With the policy `atEnd`: where the end comes later than this, the policy is `after` it.
    package var latestUpdate: Instant?
    /// The earliest date that did not fit in; a strategy of endless dates names the first one that it did not make.
    package var firstLeftOut: Instant?
    /// What the moments of phases `preEvent`, `start` and `end` point to, by start, calendarId, uid.
    package var occurrences: [PlacedOccurrence]
    /// The entry of a moment; nil: a `tick` that shows what is known (T11).
    package var entry: (Moment) -> TimelineEntry?

    /// A draft of ticks.
    ///
    /// - Parameter entry: the entry of a moment; nil: a `tick` that shows what is known (T11).
    package init(
        _ moments: [Moment], policy: TimelineReloadPolicy, interval: CalendarDuration? = nil,
        occurrences: [PlacedOccurrence] = [], entry: @escaping (Moment) -> TimelineEntry? = { _ in nil }
    ) {
        self.moments = moments
        self.policy = policy
        self.interval = interval
        self.occurrences = occurrences
        self.entry = entry
    }

    /// A draft of these entries, which are at hand.
    package init(entries: [TimelineEntry], policy: TimelineReloadPolicy) {
        let moments = entries.enumerated().map { Moment($1.phase, at: $1.date, $0) }
        self.init(moments, policy: policy) { moment in moment.phase == .tick ? nil : entries[moment.index] }
    }

    /// When an entry is dated, and of what it is made.
    package struct Moment: Sendable {
        package var date: Instant
        package var phase: TimelineEntry.Phase
        /// Of `occurrences`, where the phase belongs to one; else the strategy's own number.
        package var index: Int

        package init(_ phase: TimelineEntry.Phase, at date: Instant, _ index: Int = 0) {
            self.date = date
            self.phase = phase
            self.index = index
        }
    }
}

extension TimelineDraft.Moment {
    /// A tick; `index` is the strategy's own number of it.
    static func tick(_ date: Instant, _ index: Int = 0) -> Self { Self(.tick, at: date, index) }

    /// Whether its index is an occurrence's.
    var isOfOccurrence: Bool {
        switch phase {
        case .preEvent, .start, .end: true
        default: false
        }
    }
}
