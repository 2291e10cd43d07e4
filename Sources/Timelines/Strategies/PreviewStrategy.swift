/// The strategy `preview`: samples, to see a widget before there is anything to show in it.
package struct PreviewStrategy: ConfigurableStrategy {
    package static let name = "preview"

    private enum Options {
        static let count = StrategyOption("count", .integer(1...500), default: 5, "How many entries.")
        static let every = StrategyOption("every", .interval, default: .minutes(15), "From one entry to the next.")
    }

    package static let reference = StrategyReference(
        summary: "Samples, to look at a widget without any data.",
        discussion: """
            A `tick` at `at + k·every` with sample `k`: a vehicle that moves, idles, stands, has its ignition off and \
            moves faster, and so on from the beginning. All entries carry `sample: true`. It is made once, for those \
            who are not signed in, too; nothing but a change of the configuration makes it again.
            """,
        options: [Options.count, Options.every],
        example: .init(
            #"{"configurationId": "gallery", "kind": "TrackerStatusWidget", "strategy": "preview"}"#,
            at: "2026-11-20T10:00:00Z"))

    package static let showsSignedOut = true

    package var count: Int
    package var every: CalendarDuration

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        count = try options.read(Options.count)
        every = try options.read(Options.every)
    }

    /// Samples are complete entries: nothing that is known is shown in them.
    package func needs(of configuration: WidgetConfiguration) -> SourceNeeds { SourceNeeds() }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let calendar = request.calendar
        let moments = (0..<count).map { number in
            TimelineDraft.Moment.tick(calendar.adding(every * number, to: request.at), number)
        }
        return TimelineDraft(moments, policy: .never) { .sample($0.index, at: $0.date) }
    }

    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? { "a sample" }
}
