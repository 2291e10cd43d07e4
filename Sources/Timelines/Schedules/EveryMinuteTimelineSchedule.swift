public import Foundation

/// The beginning of each minute, in both modes.
public struct EveryMinuteTimelineSchedule: TimelineSchedule, Hashable {
    /// The schedule of all minutes.
    public init() {}

    /// The beginning of the minute (UTC) that `startDate` lies in, then of each minute after it.
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        // Foundation's reference date begins a minute, and dates count in whole seconds from it exactly.
        let minutes = Boundaries(from: Date(timeIntervalSinceReferenceDate: 0), by: 60)
        return Entries(minutes: minutes.startingAtLatest(notAfter: startDate))
    }

    /// Endless.
    public struct Entries: Sequence, IteratorProtocol, Sendable {
        fileprivate var minutes: Boundaries

        /// The next date, never `nil`.
        public mutating func next() -> Date? {
            minutes.next()
        }
    }
}

extension TimelineSchedule where Self == EveryMinuteTimelineSchedule {
    /// The beginning of each minute.
    public static var everyMinute: EveryMinuteTimelineSchedule { EveryMinuteTimelineSchedule() }
}

extension EveryMinuteTimelineSchedule: ScheduleChoice {
    package static let name = "everyMinute"

    package static let reference = StrategyReference(
        summary: "The beginning of each minute.",
        discussion: "The beginning of the minute (UTC) that `at` lies in, then of each minute after it.")

    package init(options: StrategyOptions) throws(ConfigurationProblem) { self.init() }

    package func dates(
        around at: Instant, mode: TimelineScheduleMode, in calendar: LocalCalendar
    ) -> AnySequence<Instant> {
        AnySequence(entries(from: Date(at), mode: mode).lazy.map { Instant($0) })
    }

    package var options: Parameters { Parameters() }
    package func summary(in mode: TimelineScheduleMode) -> String { "every minute" }
}
