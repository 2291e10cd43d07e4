/// The strategy `withRetry`: another strategy, or an error with a retry if the data failed.
package struct WithRetryStrategy: ConfigurableStrategy {
    package static let name = "withRetry"

    private enum Options {
        static let inner = StrategyOption(
            "inner", .innerStrategy, default: InnerStrategy(FetchedStrategy.self),
            "The strategy that makes the entries.")
        static let retryAfter = StrategyOption(
            "retryAfter", .interval, default: .minutes(1), "Until the next timeline after a failure.")
        static let offlineAfter = StrategyOption(
            "offlineAfter", .offlineAfter, default: .minutes(30), "After so long without news a vehicle is silent.")
    }

    package static let reference = StrategyReference(
        summary: "Any other strategy, with an error and a quick retry where its data failed.",
        discussion: """
            The timeline of `inner`. Where the data has failed, as `fetched` defines it, one `error` entry dated `at` \
            that says what is wrong, and the next timeline `retryAfter` later. Being signed out, having no vehicle \
            chosen and a `stale` entry are no failure. `inner` is not `withRetry` again.
            """,
        options: [Options.inner, Options.retryAfter, Options.offlineAfter],
        example: .init(
            """
            {"configurationId": "truck", "kind": "Truck", "vehicleId": "truck-1", \
            "strategy": {"name": "withRetry", "inner": "status"}}
            """, at: "2026-11-20T10:00:00Z"))

    package var inner: InnerStrategy
    package var retryAfter: CalendarDuration
    private let silentAfter: CalendarDuration

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        inner = try options.read(Options.inner)
        retryAfter = try options.read(Options.retryAfter)
        silentAfter = try options.read(Options.offlineAfter)
    }

    package var offlineAfter: CalendarDuration? { silentAfter }
    package var parameterDefaults: Parameters { inner.strategy.parameterDefaults }

    /// What the inner strategy shows, and all that can fail: a vehicle and calendars that it does not show, too.
    package func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        var needs = inner.strategy.needs(of: configuration)
        needs.vehicle = configuration.chosenVehicle.map { vehicleId in
            // The next one is due at another time where the data failed: this task's timers tell, not the vehicle's.
            var need = SourceNeeds.VehicleNeed(vehicleId: vehicleId, offlineAfter: silentAfter.nominal)
            if let other = inner.strategy.offlineAfter?.nominal {
                need = .init(vehicleId: vehicleId, offlineAfter: silentAfter.nominal, other)
            }
            return need
        }
        if needs.agenda == nil { needs.agenda = .unshown(of: configuration) }
        return needs
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        guard let failure = request.failure(offlineAfter: silentAfter.nominal) else {
            return inner.draft(for: request, offlineAfter: silentAfter.nominal)
        }
        let error = TimelineEntry(.error, at: request.at, message: failure.message)
        return TimelineDraft(
            entries: [error], policy: .after(request.calendar.adding(retryAfter, to: request.at)))
    }

    package func reason(
        ofTickAt date: Instant, madeAt at: Instant, for configuration: WidgetConfiguration
    ) -> String? {
        inner.strategy.reason(ofTickAt: date, madeAt: at, for: configuration)
    }

    package func warnings(at: Instant) -> [String] { inner.strategy.warnings(at: at) }
}
