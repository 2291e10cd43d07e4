public import Foundation

/// As often as an animation needs it; nothing while it is paused, and nothing in low frequency.
public struct AnimationTimelineSchedule: TimelineSchedule {
    private let interval: TimeInterval
    private let isPaused: Bool

    /// - Parameter minimumInterval: the seconds between two dates; `nil` means a sixtieth.
    /// - Precondition: `minimumInterval` is positive and finite.
    public init(minimumInterval: Double? = nil, paused: Bool = false) {
        let interval = minimumInterval ?? 1 / 60
        precondition(interval > 0 && interval.isFinite, "an interval is a positive number of seconds, not \(interval)")
        self.interval = interval
        isPaused = paused
    }

    /// `startDate`, then a date after each interval.
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        Entries(frames: isPaused || mode == .lowFrequency ? nil : Boundaries(from: startDate, by: interval))
    }

    /// Endless, or empty.
    public struct Entries: Sequence, IteratorProtocol, Sendable {
        fileprivate var frames: Boundaries?

        /// The next date; `nil` if there are none.
        public mutating func next() -> Date? {
            frames?.next()
        }
    }
}

extension TimelineSchedule where Self == AnimationTimelineSchedule {
    /// Sixty times a second.
    public static var animation: AnimationTimelineSchedule { AnimationTimelineSchedule() }

    /// A date every `minimumInterval` seconds, a sixtieth if it is `nil`; none while paused.
    public static func animation(minimumInterval: Double? = nil, paused: Bool = false) -> AnimationTimelineSchedule {
        AnimationTimelineSchedule(minimumInterval: minimumInterval, paused: paused)
    }
}

/// The animation schedule in a configuration: whole seconds, where SwiftUI counts in frames.
struct AnimationChoice: ScheduleChoice {
    static let name = "animation"

    private enum Options {
        static let minimumInterval = StrategyOption(
            "minimumInterval", .interval, default: CalendarDuration(time: .seconds(1)), "From one date to the next.")
        static let paused = StrategyOption("paused", .bool, default: false, "Whether there are no dates at all.")
    }

    static let reference = StrategyReference(
        summary: "From now on, as often as an animation needs it.",
        discussion: """
            A date at `at` and one after each `minimumInterval`. While it is paused, and in `lowFrequency`, there are \
            no dates.
            """,
        options: [Options.minimumInterval, Options.paused],
        example: .init(
            """
            {"configurationId": "pulse", "kind": "Pulse", "family": "systemSmall", "strategy": {"name": "schedule", \
            "schedule": {"type": "animation", "minimumInterval": "PT5S"}}}
            """, at: "2026-11-20T10:00:00Z"))

    var minimumInterval: CalendarDuration
    var isPaused: Bool

    init(options: StrategyOptions) throws(ConfigurationProblem) {
        minimumInterval = try options.read(Options.minimumInterval)
        isPaused = try options.read(Options.paused)
    }

    func dates(around at: Instant, mode: TimelineScheduleMode, in calendar: LocalCalendar) -> AnySequence<Instant> {
        // Days, which Foundation's intervals do not know, are no animation any more, but a configuration may say them.
        guard minimumInterval.days == 0 else {
            let interval = minimumInterval
            if isPaused || mode == .lowFrequency { return AnySequence([]) }
            return AnySequence(sequence(first: 0) { $0 + 1 }.lazy.map { calendar.adding(interval * $0, to: at) })
        }
        let schedule = AnimationTimelineSchedule(
            minimumInterval: Double(minimumInterval.time.milliseconds) / 1000, paused: isPaused)
        return AnySequence(schedule.entries(from: Date(at), mode: mode).lazy.map { Instant($0) })
    }

    var options: Parameters {
        Parameters([
            .init(key: "minimumInterval", value: .string(minimumInterval.iso8601)),
            .init(key: "paused", value: .bool(isPaused)),
        ])
    }

    func summary(in mode: TimelineScheduleMode) -> String { "every \(minimumInterval.inWords)" }
}
