/// The strategy `dayNight`: ticks at even intervals, often by day and seldom by night.
package struct DayNightStrategy: ConfigurableStrategy {
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
            is decided by the local time at which the timeline is made. At night the first tick that would not come \
            before the day begins is dated when it begins, and ends the list: the day's rhythm begins at `dayFrom`. \
            The next timeline is due at the last entry. In `lowFrequency` the night's values count by day, too. With \
            `dayFrom` equal to `dayTo` it is always night.
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
        guard !isDay(request.calendar.time(at: request.at)) else {
            let (every, span) = request.configuration.mode == .normal ? (dayEvery, daySpan) : (nightEvery, nightSpan)
            return IntervalTicks(every: every, span: .duration(span), for: request).draft(interval: every)
        }
        let dawn = dawn(after: request.at, in: request.calendar)
        let ticks = IntervalTicks(every: nightEvery, span: .duration(nightSpan), until: dawn, for: request)
        var interval = nightEvery
        if let dawn, dawn < request.calendar.adding(nightEvery, to: request.at) {
            interval = CalendarDuration(time: dawn - request.at)
        }
        return ticks.draft(interval: interval)
    }

    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? {
        guard let calendar = LocalCalendar(configuration.timeZone) else { return nil }
        if isDay(calendar.time(at: at)) {
            return configuration.mode == .normal
                ? "every \(dayEvery.inWords) by day" : "every \(nightEvery.inWords) in lowFrequency"
        }
        return date == dawn(after: at, in: calendar) ? "the day begins" : "every \(nightEvery.inWords) by night"
    }

    /// True if it is day by the clock.
    private func isDay(_ time: LocalTime) -> Bool {
        dayFrom <= dayTo ? dayFrom <= time && time < dayTo : dayFrom <= time || time < dayTo
    }

    /// The first instant after `at`, which is at night, at which it is day; `nil` means that it never is.
    ///
    /// Clocks that change may begin the day at another time of theirs than `dayFrom`, or once more.
    private func dawn(after at: Instant, in calendar: LocalCalendar) -> Instant? {
        guard dayFrom != dayTo else { return nil }
        var from = at
        // A day may lie within what clocks skip: then it is the next one's dawn, behind the change.
        while true {
            let dawn = calendar.next(dayFrom, after: from)
            guard let change = calendar.firstChange(after: from, upTo: dawn) else { return dawn }
            if isDay(calendar.time(at: change)) { return change }
            from = change
        }
    }
}
