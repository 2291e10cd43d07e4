public import Foundation

/// The dates of a sequence, as they are, in both modes.
public struct ExplicitTimelineSchedule<Entries>: TimelineSchedule
where Entries: Sequence & Sendable, Entries.Element == Date {
    private let dates: Entries

    /// - Parameter dates: each later than the one before it, with or without an end. That they are is not checked:
    ///   the sequence is not read before its dates are asked for.
    public init(_ dates: Entries) {
        self.dates = dates
    }

    /// All dates, whatever the start date: which one is in force then is for the timeline to say.
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        dates
    }
}

extension TimelineSchedule {
    /// The given dates, which ascend strictly.
    public static func explicit<Dates>(_ dates: Dates) -> ExplicitTimelineSchedule<Dates>
    where Self == ExplicitTimelineSchedule<Dates>, Dates: Sequence & Sendable, Dates.Element == Date {
        ExplicitTimelineSchedule(dates)
    }
}

/// The explicit schedule in a configuration.
struct ExplicitChoice: ScheduleChoice {
    static let name = "explicit"

    private enum Options {
        static let dates = StrategyOption(required: "dates", .ascendingDates, "The dates.")
    }

    static let reference = StrategyReference(
        summary: "Given dates.",
        discussion: """
            The latest date not later than `at` and all later ones, or the last date where all are past. In \
            `lowFrequency` only the last date of each clock minute (UTC) counts.
            """,
        options: [Options.dates],
        example: .init(
            """
            {"configurationId": "ferry", "kind": "Ferry", "timeZone": "Europe/Lisbon", \
            "strategy": {"name": "schedule", "schedule": {"type": "explicit", \
            "dates": ["2026-11-20T08:00:00Z", "2026-11-20T12:30:00Z", "2026-11-20T18:00:00Z"]}}}
            """, at: "2026-11-20T10:00:00Z"))

    /// Strictly ascending.
    var dates: [Instant]

    init(options: StrategyOptions) throws(ConfigurationProblem) {
        dates = try options.read(Options.dates)
    }

    func dates(around at: Instant, mode: TimelineScheduleMode, in calendar: LocalCalendar) -> AnySequence<Instant> {
        let kept = mode == .normal ? dates : lastOfEachMinute
        let inForce = kept.lastIndex { $0 <= at } ?? 0
        return AnySequence(kept[min(inForce, kept.count)...])
    }

    private var lastOfEachMinute: [Instant] {
        dates.enumerated().filter { index, date in
            index + 1 == dates.count || dates[index + 1].minute != date.minute
        }.map(\.element)
    }

    var options: Parameters {
        Parameters([.init(key: "dates", value: .array(dates.map { .string($0.rfc3339) }))])
    }

    func summary(in mode: TimelineScheduleMode) -> String { "a date of the schedule" }

    func warnings(at: Instant) -> [String] {
        dates.contains { $0 > at }
            ? [] : ["schedule.dates: none is later than \(at.rfc3339), so nothing will change any more"]
    }
}

extension Instant {
    /// Minutes since 1970 (UTC).
    fileprivate var minute: Int64 { milliseconds.floored(by: 60_000) }
}

extension OptionForm<[Instant]> {
    /// Dates, each later than the one before it; there may be none.
    fileprivate static var ascendingDates: Self {
        let dates = OptionForm<[Instant]>.list(0...10_000, of: .instant)
        return OptionForm(
            allowed: "a list of at most 10000 dates, each later than the one before it",
            schema: ["type": "array", "items": .reference(to: "instant"), "maxItems": 10_000],
            readPart: { value, path throws(ConfigurationProblems) in
                guard let read = try dates.read(value, path) else { return nil }
                if let index = read.indices.dropFirst().first(where: { read[$0] <= read[$0 - 1] }) {
                    let (before, date) = (read[index - 1].rfc3339, read[index].rfc3339)
                    let message = "must be later than the date before it, \(before), not \(date)"
                    throw ConfigurationProblems(ConfigurationProblem(key: "\(path)[\(index)]", message))
                }
                return read
            },
            write: dates.write)
    }
}
