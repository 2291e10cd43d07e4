/// The strategy `hourly`: a tick each hour, for what is forecast by the hour.
package struct HourlyStrategy: ConfigurableStrategy {
    package static let name = "hourly"

    private enum Options {
        static let hours = StrategyOption("hours", .integer(1...744), default: 12, "How many entries.")
        static let defaults = StrategyOption(
            "defaults", .parameters, default: Parameters(),
            "Parameters that count where neither the configuration nor its kind has them.")
    }

    package static let reference = StrategyReference(
        summary: "An entry for each hour from now on, with parameters of its own.",
        discussion: """
            A `tick` at `at` and at each full hour of elapsed time after it, `hours` of them. The next timeline is due \
            at the last. Where the vehicle's telemetry brings `series`, each entry carries their latest values up to \
            its date.
            """,
        options: [Options.hours, Options.defaults],
        difference: """
            A forecast of 12 hours needs 12 entries, and `systemMedium` has 10 at most: name a family of 20 entries, \
            or `maximumEntries`, to have them all.
            """,
        example: .init(
            """
            {"configurationId": "forecast", "kind": "Forecast", "family": "systemLarge", "strategy": "hourly"}
            """, at: "2026-11-20T10:00:00Z",
            kinds: """
                kinds:
                  Forecast:
                    parameters:
                      city: {title: City, type: string, default: San Francisco}
                """))

    package var hours: Int
    package var defaults: Parameters

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        hours = try options.read(Options.hours)
        defaults = try options.read(Options.defaults)
    }

    package var parameterDefaults: Parameters { defaults }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let hour = CalendarDuration.minutes(60)
        return IntervalTicks(every: hour, span: .duration(hour * hours), for: request).draft(interval: hour)
    }

    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? { "every hour" }
}
