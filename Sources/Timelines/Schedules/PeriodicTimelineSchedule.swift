public import Foundation

/// The boundaries `from + k · by`, k = 0, 1, 2 and so on; in low frequency only so many that a minute lies between
/// them.
public struct PeriodicTimelineSchedule: TimelineSchedule {
    private let from: Date
    private let interval: TimeInterval

    /// - Precondition: `interval`, in seconds, is positive and finite.
    public init(from startDate: Date, by interval: TimeInterval) {
        precondition(interval > 0 && interval.isFinite, "a period is a positive number of seconds, not \(interval)")
        from = startDate
        self.interval = interval
    }

    /// The latest boundary that is not later than `startDate`, or the first one if all are, then each boundary
    /// after it. A start date within a microsecond of a boundary is that boundary.
    ///
    /// In low frequency only every ⌈60 s / by⌉-th boundary counts, reckoned from the first.
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        let stride = mode == .normal ? 1 : boundariesOfMinute
        let boundaries = Boundaries(from: from, by: interval, stride: stride)
        return Entries(
            boundaries: startDate > from ? boundaries.startingAtLatest(notAfter: startDate) : boundaries)
    }

    /// ⌈60 s / by⌉. A quotient that only rounding has put above a whole number counts as that number.
    private var boundariesOfMinute: Double {
        (60 / interval * (1 - 0x1p-50)).rounded(.up)
    }

    /// Endless.
    public struct Entries: Sequence, IteratorProtocol, Sendable {
        fileprivate var boundaries: Boundaries

        /// The next date, never `nil`.
        public mutating func next() -> Date? {
            boundaries.next()
        }
    }
}

extension TimelineSchedule where Self == PeriodicTimelineSchedule {
    /// Every `interval` seconds, counted from `startDate`.
    public static func periodic(from startDate: Date, by interval: TimeInterval) -> PeriodicTimelineSchedule {
        PeriodicTimelineSchedule(from: startDate, by: interval)
    }
}

/// The periodic schedule in a configuration. A period of local days comes at the same time on the wall (T10); any
/// other is elapsed time.
struct PeriodicChoice: ScheduleChoice {
    static let name = "periodic"

    private enum Options {
        static let from = StrategyOption(required: "from", .instant, "The first boundary.")
        static let by = StrategyOption(required: "by", .interval, "From one boundary to the next.")
    }

    static let reference = StrategyReference(
        summary: "Boundaries at an even period, counted from a date.",
        discussion: """
            The latest boundary not later than `at`, or `from` where that is in the future, then each boundary after \
            it. In `lowFrequency` only every so many-th, so that a minute or more lies between them.
            """,
        options: [Options.from, Options.by],
        example: .init(
            """
            {"configurationId": "tides", "kind": "Tides", "family": "systemSmall", "strategy": {"name": "schedule", \
            "schedule": {"type": "periodic", "from": "2026-11-20T04:10:00Z", "by": "PT6H"}}}
            """, at: "2026-11-20T12:00:00Z"))

    var from: Instant
    var by: CalendarDuration

    init(options: StrategyOptions) throws(ConfigurationProblem) {
        from = try options.read(Options.from)
        by = try options.read(Options.by)
    }

    func dates(around at: Instant, mode: TimelineScheduleMode, in calendar: LocalCalendar) -> AnySequence<Instant> {
        if by.days > 0 { return AnySequence(localDates(around: at, in: calendar)) }
        let seconds = Double(by.time.milliseconds) / 1000
        let schedule = PeriodicTimelineSchedule(from: Date(from), by: seconds)
        return AnySequence(schedule.entries(from: Date(at), mode: mode).lazy.map { Instant($0) })
    }

    /// With days in it the period is a minute or more: `lowFrequency` leaves nothing out.
    private func localDates(around at: Instant, in calendar: LocalCalendar) -> some Sequence<Instant> {
        let boundary = { (number: Int) in calendar.adding(by * number, to: from) }
        var number = at > from ? Int((at - from).milliseconds / by.nominal.milliseconds) : 0
        // Local days are longer and shorter than 24 hours.
        while number > 0 && boundary(number) > at { number -= 1 }
        while boundary(number + 1) <= at { number += 1 }
        return sequence(first: number) { $0 + 1 }.lazy.map(boundary)
    }

    var options: Parameters {
        Parameters([
            .init(key: "from", value: .string(from.rfc3339)), .init(key: "by", value: .string(by.iso8601)),
        ])
    }

    func summary(in mode: TimelineScheduleMode) -> String {
        guard mode == .lowFrequency, by.days == 0 else { return "every \(by.inWords)" }
        let minute = ElapsedTime.minutes(1).milliseconds
        return "every \((by * Int((minute + by.time.milliseconds - 1) / by.time.milliseconds)).inWords)"
    }
}
