/// The strategy `timesOfDay`: a tick at given times on the wall.
package struct TimesOfDayStrategy: ConfigurableStrategy {
    package static let name = "timesOfDay"

    private enum Options {
        static let times = StrategyOption(
            "times", .list(1...48, of: .timeOfDay), default: [9, 12, 15, 18].map { LocalTime(hour: $0, minute: 0) },
            "Local times of day.")
    }

    package static let reference = StrategyReference(
        summary: "Entries at given local times of day.",
        discussion: """
            A `tick` at each of `times` that is still to come today, and at tomorrow's earliest; until the first of \
            them a `tick` dated `at`. The next timeline is due at the last. A time that clocks skip is taken at the \
            first instant after the gap, one that they show twice the first time.
            """,
        options: [Options.times],
        difference: """
            An example provider begins with the first time of the list. Here a `tick` dated `at` stands before it \
            whenever all times are in the future, so that there is something to show at once; leave the first entry \
            out where its `date` equals `generatedAt` to have the example's list.
            """,
        example: .init(
            """
            {"configurationId": "menu", "kind": "Canteen", "timeZone": "Europe/Berlin", "strategy": "timesOfDay"}
            """, at: "2026-11-20T10:30:00Z"))

    package var times: [LocalTime]

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        times = try options.read(Options.times)
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let calendar = request.calendar
        let today = calendar.day(at: request.at)
        let tomorrow = calendar.day(after: today)
        var dates = times.map { calendar.instant(of: today.date, at: $0) }.filter { $0 > request.at }
        if let earliest = times.min() { dates.append(calendar.instant(of: tomorrow.date, at: earliest)) }
        return TimelineDraft(dates.map { .tick($0) }, policy: .atEnd)
    }

    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? {
        guard let calendar = LocalCalendar(configuration.timeZone) else { return nil }
        let day = calendar.date(at: date)
        // A time that clocks skip has its date where they skip it to.
        let time = times.first { calendar.instant(of: day, at: $0) == date }
        return time.map { time in
            "\(time.hoursAndMinutes) local time" + (calendar.time(at: date) == time ? "" : ", which the clocks skip")
        }
    }
}
