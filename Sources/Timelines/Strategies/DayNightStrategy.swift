/// The strategy `dayNight`: ticks at even intervals, often by day and seldom by night.
package struct DayNightStrategy: TimelineStrategy {
    package static let name = "dayNight"

    private enum Options {
        static let dayFrom = StrategyOption(
            "dayFrom", .timeOfDay, default: LocalTime(hour: 6, minute: 0), "Local time at which the day begins.")
        static let dayTo = StrategyOption(
            "dayTo", .timeOfDay, default: LocalTime(hour: 22, minute: 0),
            "Local time at which it ends; over midnight where dayFrom is later.")
        static let dayEvery = StrategyOption("dayEvery", .interval, default: .minutes(15), "The interval by day.")
        static let daySpan = StrategyOption("daySpan", .interval, default: .minutes(60), "How far it reaches by day.")
        static let nightEvery = StrategyOption(
            "nightEvery", .interval, default: .minutes(120), "The interval by night.")
        static let nightSpan = StrategyOption(
            "nightSpan", .interval, default: .minutes(480), "How far it reaches by night.")
    }

    package static let reference = StrategyReference(
        summary: "Entries at even intervals, closer by day than by night.",
        discussion: """
            `tick`s as `fixedInterval` makes them, with the day's or the night's interval and span; which of the two \
            is decided by the local time at which the timeline is made. The next timeline is due at the last entry. In \
            `lowFrequency` it is always night.
            """,
        options: [
            Options.dayFrom, Options.dayTo, Options.dayEvery, Options.daySpan, Options.nightEvery, Options.nightSpan,
        ],
        example: .init(
            """
            {"configurationId": "porch", "kind": "Weather", "timeZone": "America/New_York", "strategy": "dayNight"}
            """, at: "2026-11-21T03:30:00Z"))

    package var dayFrom: LocalTime
    package var dayTo: LocalTime
    package var dayEvery: CalendarDuration
    package var daySpan: CalendarDuration
    package var nightEvery: CalendarDuration
    package var nightSpan: CalendarDuration

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        dayFrom = try options.read(Options.dayFrom)
        dayTo = try options.read(Options.dayTo)
        dayEvery = try options.read(Options.dayEvery)
        daySpan = try options.read(Options.daySpan)
        nightEvery = try options.read(Options.nightEvery)
        nightSpan = try options.read(Options.nightSpan)
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let isDay = request.configuration.mode == .normal && isDay(request.calendar.time(at: request.at))
        let (every, span) = isDay ? (dayEvery, daySpan) : (nightEvery, nightSpan)
        return IntervalTicks(every: every, span: .duration(span), for: request).draft(interval: every)
    }

    package func reason(ofTickAt date: Instant, for configuration: WidgetConfiguration) -> String? {
        // Which of the two it is, is decided when the timeline is made, not at the tick's date: both are named.
        configuration.mode == .lowFrequency
            ? "every \(nightEvery.inWords)"
            : "every \(dayEvery.inWords) by day, every \(nightEvery.inWords) by night"
    }

    private func isDay(_ time: LocalTime) -> Bool {
        dayFrom <= dayTo ? dayFrom <= time && time < dayTo : dayFrom <= time || time < dayTo
    }
}
