/// The strategy `fetched`: one entry with what is known, or a placeholder if the data failed.
package struct FetchedStrategy: ConfigurableStrategy {
    package static let name = "fetched"

    private enum Options {
        static let every = StrategyOption("every", .interval, default: .minutes(15), "Until the next timeline.")
        static let retryAfter = StrategyOption(
            "retryAfter", .interval, default: .minutes(5), "Until the next timeline after a failure.")
        static let offlineAfter = StrategyOption(
            "offlineAfter", .offlineAfter, default: .minutes(30), "After so long without news a vehicle is silent.")
    }

    package static let reference = StrategyReference(
        summary: "One entry with what is known now; a placeholder, and a sooner retry, where that failed.",
        discussion: """
            One `tick` dated `at`, and the next timeline `every` later. On failure one `placeholder`, and the next \
            timeline `retryAfter` later. The data has failed where the vehicle that the configuration names has not \
            been heard of, is silent for `offlineAfter` with its ignition on, or the newest record of it or of a \
            calendar named could not be read. In `lowFrequency` `every` is at least 15 minutes.
            """,
        options: [Options.every, Options.retryAfter, Options.offlineAfter],
        example: .init(
            """
            {"configurationId": "van", "kind": "Van", "vehicleId": "van-7", "strategy": "fetched"}
            """, at: "2026-11-20T10:00:00Z",
            telemetry: """
                {"vehicleId": "van-7", "observedAt": "2026-11-20T09:58:20Z", "ignition": true, "speed": 32, \
                "address": "Market Street 5"}
                """))

    package var every: CalendarDuration
    package var retryAfter: CalendarDuration
    private let silentAfter: CalendarDuration

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        every = try options.read(Options.every)
        retryAfter = try options.read(Options.retryAfter)
        silentAfter = try options.read(Options.offlineAfter)
    }

    package var offlineAfter: CalendarDuration? { silentAfter }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let calendar = request.calendar
        guard request.failure(offlineAfter: silentAfter.nominal) == nil else {
            let vehicleId = request.configuration.chosenVehicle ?? "0"
            return TimelineDraft(
                entries: [.placeholder(at: request.at, vehicleId: vehicleId)],
                policy: .after(calendar.adding(retryAfter, to: request.at)))
        }
        let every = every.slowed(for: request.configuration.mode)
        return TimelineDraft([.tick(request.at)], policy: .after(calendar.adding(every, to: request.at)))
    }

    package func reason(ofTickAt date: Instant, for configuration: WidgetConfiguration) -> String? {
        "what is known"
    }
}

/// The reason why the data of a timeline counts as failed (T26).
enum DataFailure: Hashable {
    case vehicleUnknown(String)
    case silent(String)
    case unreadable

    var message: TimelineEntry.Message {
        switch self {
        case .vehicleUnknown(let id): .init("Nothing was heard of vehicle \(id) yet.", code: .vehicleUnknown)
        case .silent(let id): .init("Vehicle \(id) has fallen silent.", code: .silent)
        case .unreadable: .init("The newest data could not be read.", code: .unreadable)
        }
    }
}

extension TimelineRequest {
    /// The failure of the data, `nil` if there is none. The first of these counts: the vehicle that the configuration
    /// names was not heard of; it is silent for `offlineAfter` and not `IgnitionOff`; the newest record of it or of a
    /// calendar named could not be read. A calendar of which nothing was heard is an empty calendar.
    func failure(offlineAfter: ElapsedTime) -> DataFailure? {
        if let vehicleId = configuration.chosenVehicle {
            guard let vehicle, vehicle.hasBeenHeardOf else { return .vehicleUnknown(vehicleId) }
            if vehicle.isSilent(at: at, offlineAfter: offlineAfter) { return .silent(vehicleId) }
        }
        return hasUnreadableSource ? .unreadable : nil
    }
}
