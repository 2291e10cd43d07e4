internal import Foundation

/// What a strategy makes, before the rules for every strategy are applied (T2 to T5): the moments of entries, which are
/// cheap, and how an entry is made of a moment. Only entries that stay within the family's limit are made.
public struct TimelineDraft {
    /// When entries are dated, in any order.
    public var moments: [Moment]
    /// When the timeline asks for the next one.
    public var policy: TimelineReloadPolicy
    /// The strategy's interval, if it has one. A timeline whose policy is `atEnd` and whose last entry is not in the
    /// future is due after it, or else at the next local midnight (T5).
    public var interval: CalendarDuration?
    /// The instant after which a timeline whose policy is `atEnd` is due at the latest; `nil` means that it is due at
    /// its last entry.
    public var latestUpdate: Instant?
    /// The earliest date for which the strategy made no moment, although its dates go on. A timeline is due then at
    /// the latest.
    public var firstLeftOut: Instant?
    /// The occurrences to which moments of phases `preEvent`, `start` and `end` point.
    public var occurrences: [PlacedOccurrence]
    /// Makes the entry of a moment. `nil` stands for a `tick` that shows what is known (T11).
    public var entry: (Moment) -> TimelineEntry?

    /// - Parameters:
    ///   - moments: when entries are dated, in any order.
    ///   - policy: when the timeline asks for the next one.
    ///   - interval: the strategy's interval, if it has one.
    ///   - occurrences: the occurrences to which moments of phases `preEvent`, `start` and `end` point.
    ///   - entry: makes the entry of a moment; `nil` stands for a `tick` that shows what is known (T11).
    public init(
        _ moments: [Moment], policy: TimelineReloadPolicy, interval: CalendarDuration? = nil,
        occurrences: [PlacedOccurrence] = [], entry: @escaping (Moment) -> TimelineEntry? = { _ in nil }
    ) {
        self.moments = moments
        self.policy = policy
        self.interval = interval
        self.occurrences = occurrences
        self.entry = entry
    }

    /// A draft of entries that are at hand.
    ///
    /// - Precondition: an entry of phase `preEvent`, `start` or `end` has an event.
    public init(entries: [TimelineEntry], policy: TimelineReloadPolicy) {
        guard entries.contains(where: \.phase.isOfOccurrence) else {
            let moments = entries.indices.map { Moment(entries[$0].phase, at: entries[$0].date, $0) }
            self.init(moments, policy: policy) { moment in
                moment.index == Moment.whatIsKnown ? nil : entries[moment.index]
            }
            return
        }
        let ofEvents = entries.filter(\.phase.isOfOccurrence)
        let others = entries.filter { !$0.phase.isOfOccurrence }
        let occurrences = ofEvents.map { entry in
            guard let event = entry.event else { preconditionFailure("A \(entry.phase) entry has an event.") }
            return PlacedOccurrence(occurrence: event, start: entry.date, end: entry.date)
        }
        let moments = [ofEvents, others].flatMap { $0.enumerated().map { Moment($1.phase, at: $1.date, $0) } }
        self.init(moments, policy: policy, occurrences: occurrences) { moment in
            if moment.index == Moment.whatIsKnown { return nil }
            return (moment.phase.isOfOccurrence ? ofEvents : others)[moment.index]
        }
    }

    /// When an entry is dated, and of what it is made.
    public struct Moment: Hashable, Sendable {
        /// The date of the entry.
        public var date: Instant
        /// The phase of the entry.
        public var phase: TimelineEntry.Phase
        /// The place in `occurrences`, if the phase is `preEvent`, `start` or `end`; else a number of the strategy's
        /// choice, from 0 on.
        public var index: Int

        /// A moment of this phase.
        public init(_ phase: TimelineEntry.Phase, at date: Instant, _ index: Int = 0) {
            self.date = date
            self.phase = phase
            self.index = index
        }

        /// A tick with a number of the strategy's choice, from 0 on.
        public static func tick(_ date: Instant, _ index: Int = 0) -> Self { Self(.tick, at: date, index) }

        /// The index of the tick that stands at the beginning if no moment is in force yet.
        static let whatIsKnown = -1
    }
}

// MARK: - Ticks of dates

extension TimelineDraft {
    /// A tick at each date of a schedule, from the one in force at `request.at` on, as many as there may be.
    ///
    /// While the schedule goes on, the next timeline is due at the last tick; after its last date nothing is due any
    /// more. A schedule without dates gives one tick at `request.at`.
    ///
    /// - Parameters:
    ///   - schedule: the schedule, whose dates lie within the years 0001 to 9999.
    ///   - mode: how often the schedule may come; `nil` means as often as the configuration says.
    ///   - entry: makes the entry of a tick; `nil` stands for a `tick` that shows what is known (T11).
    public init(
        ticksOf schedule: some TimelineSchedule, for request: TimelineRequest, mode: TimelineScheduleMode? = nil,
        entry: @escaping (Moment) -> TimelineEntry? = { _ in nil }
    ) {
        let entries = schedule.entries(from: Date(request.at), mode: mode ?? request.configuration.mode)
        self.init(ticksAt: entries.lazy.map { Instant($0) }, for: request, entry: entry)
    }

    /// A tick at each of these dates, from the one in force at `request.at` on, as many as there may be.
    ///
    /// - Parameters:
    ///   - dates: dates that ascend strictly; they may never end. Those after the year 9999, which no record can name,
    ///     are left out.
    ///   - entry: makes the entry of a tick; `nil` stands for a `tick` that shows what is known (T11).
    init(
        ticksAt dates: some Sequence<Instant>, for request: TimelineRequest,
        entry: @escaping (Moment) -> TimelineEntry? = { _ in nil }
    ) {
        let limit = request.configuration.limit
        var upcoming: [Instant] = []
        for date in dates {
            guard date.milliseconds <= Instant.writable.upperBound else { break }
            // A later date at or before `at` takes the place of the one before.
            if date <= request.at { upcoming.removeAll(keepingCapacity: true) }
            upcoming.append(date)
            if upcoming.count > limit { break }
        }
        guard let first = upcoming.first else {
            self.init([.tick(request.at)], policy: .never, entry: entry)
            return
        }
        // If the first date is in the future, a tick that shows what is known takes a place before it.
        let room = first > request.at ? limit - 1 : limit
        let goesOn = upcoming.count > room
        self.init(
            upcoming.prefix(room).enumerated().map { .tick($1, $0) }, policy: goesOn ? .atEnd : .never, entry: entry)
        firstLeftOut = goesOn ? upcoming[room] : nil
    }
}

extension TimelineEntry.Phase {
    /// True for the phases of an occurrence: what comes, begins and ends.
    var isOfOccurrence: Bool {
        switch self {
        case .preEvent, .start, .end: true
        default: false
        }
    }
}
