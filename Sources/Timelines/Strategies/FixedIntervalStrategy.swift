/// The strategy `fixedInterval`: a tick now and at even intervals after it.
package struct FixedIntervalStrategy: ConfigurableStrategy {
    package static let name = "fixedInterval"

    private enum Options {
        static let every = StrategyOption("every", .interval, default: .minutes(15), "From one entry to the next.")
        static let span = StrategyOption(
            "span", .spanOrLimit, default: .duration(.minutes(60)),
            "How far the entries reach; limit: as many as there may be.")
    }

    package static let reference = StrategyReference(
        summary: "Entries at even intervals from now on.",
        discussion: """
            A `tick` at `at`, and one each `every` after it for less than `span`. The next timeline is due at the last \
            of them. In `lowFrequency` no interval is shorter than 15 minutes.
            """,
        options: [Options.every, Options.span],
        example: .init(
            #"{"configurationId": "lobby", "kind": "Clock", "strategy": "fixedInterval"}"#, at: "2026-11-20T10:00:00Z"))

    package var every: CalendarDuration
    package var span: TickSpan

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        every = try options.read(Options.every)
        span = try options.read(Options.span)
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let every = every.slowed(for: request.configuration.mode)
        return IntervalTicks(every: every, span: span, for: request).draft(interval: every)
    }

    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? {
        "every \(every.slowed(for: configuration.mode).inWords)"
    }
}
