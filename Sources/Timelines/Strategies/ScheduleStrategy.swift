/// The strategy `schedule`: a tick at the dates of a timeline schedule.
package struct ScheduleStrategy: ConfigurableStrategy {
    package static let name = "schedule"

    private enum Options {
        static let schedule = StrategyOption(
            "schedule", .schedule, default: AnyScheduleChoice(EveryMinuteTimelineSchedule.everyMinute),
            "Which dates.")
        static let mode = StrategyOption(
            "mode", .mode, without: "the configuration's", "How often the schedule may come.")
    }

    package static let reference = StrategyReference(
        summary: "Entries at the dates of one of SwiftUI's timeline schedules.",
        discussion: """
            A `tick` at each date of the schedule, as many as there may be. While the schedule goes on, the next \
            timeline is due at the last of them; after its last date nothing is due any more. A schedule without dates \
            makes one `tick` dated `at`.
            """,
        options: [Options.schedule, Options.mode],
        difference: """
            SwiftUI's animation schedule comes 60 times a second; in a configuration nothing comes more often than \
            once a second.
            """,
        example: .init(
            """
            {"configurationId": "platform", "kind": "Departures", "family": "systemSmall", \
            "strategy": {"name": "schedule", "schedule": {"type": "everyMinute"}}}
            """, at: "2026-11-20T10:09:38Z"))

    package var schedule: AnyScheduleChoice
    package var mode: TimelineScheduleMode?

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        schedule = try options.read(Options.schedule)
        mode = try options.read(Options.mode)
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let mode = mode ?? request.configuration.mode
        return TimelineDraft(
            ticksAt: schedule.choice.dates(around: request.at, mode: mode, in: request.calendar), for: request)
    }

    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? {
        guard let calendar = LocalCalendar(configuration.timeZone) else { return nil }
        let mode = mode ?? configuration.mode
        let dates = schedule.choice.dates(around: date, mode: mode, in: calendar)
        // The tick before a first date that is yet to come is none of the schedule's.
        return dates.first { _ in true } == date ? schedule.choice.summary(in: mode) : nil
    }

    package func warnings(at: Instant) -> [String] { schedule.choice.warnings(at: at) }
}
