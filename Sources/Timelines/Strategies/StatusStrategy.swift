/// The strategy `status`: how a vehicle is doing, refreshed while it moves and less often while it is parked.
package struct StatusStrategy: ConfigurableStrategy {
    package static let name = "status"

    private enum Options {
        static let every = StrategyOption("every", .interval, default: .minutes(2), "Until the next timeline.")
        static let parkedEvery = StrategyOption(
            "parkedEvery", .interval, default: .minutes(15),
            "The same of a vehicle whose ignition is off or that is offline, and of all in lowFrequency.")
        static let offlineAfter = StrategyOption(
            "offlineAfter", .offlineAfter, default: .minutes(30), "After so long without news a vehicle is offline.")
    }

    package static let reference = StrategyReference(
        summary: "How a vehicle is doing, refreshed while it moves and less often while it is parked.",
        discussion: """
            One `status` entry dated `at`, and one `stale` entry three intervals later with the same content, which is \
            seen only if no newer timeline arrives. The next timeline is due after the interval; a change of status \
            makes one at once, and so does a change of speed or place that `sensitivity` asks for. Where no vehicle is \
            chosen, `selectVehicle`; where nothing was heard of it, `placeholder`; where it fell silent, `stale` \
            alone, with status `Offline`.
            """,
        options: [Options.every, Options.parkedEvery, Options.offlineAfter],
        example: .init(
            """
            {"configurationId": "my-car", "kind": "TrackerStatusWidget", "vehicleId": "car-1", "strategy": "status"}
            """, at: "2026-11-20T10:00:00Z",
            telemetry: """
                {"vehicleId": "car-1", "observedAt": "2026-11-20T09:59:40Z", "status": "IgnitionOff", "speed": 0, \
                "address": "Harbour Road 1", "registration": "TL 100"}
                """))

    package var every: CalendarDuration
    package var parkedEvery: CalendarDuration
    private let silentAfter: CalendarDuration

    package init(options: StrategyOptions) throws(ConfigurationProblem) {
        every = try options.read(Options.every)
        parkedEvery = try options.read(Options.parkedEvery)
        silentAfter = try options.read(Options.offlineAfter)
    }

    package var offlineAfter: CalendarDuration? { silentAfter }

    package func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        guard let vehicleId = configuration.chosenVehicle else { return SourceNeeds() }
        return SourceNeeds(
            vehicle: .init(
                vehicleId: vehicleId, refresh: refresh(of: configuration), offlineAfter: silentAfter.nominal))
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let at = request.at
        guard let vehicleId = request.configuration.chosenVehicle else {
            return TimelineDraft(entries: [.selectVehicle(at: at)], policy: .after(at + .minutes(15)))
        }
        let refresh = refresh(of: request.configuration)
        let status = request.vehicle?.status(at: at, offlineAfter: silentAfter.nominal)
        let due = refresh.nextUpdate(after: at, status: status)
        guard let vehicle = request.vehicle, let status else {
            return TimelineDraft(entries: [.placeholder(at: at, vehicleId: vehicleId)], policy: .after(due))
        }
        let view = Indirect(TimelineEntry.VehicleView(vehicle, status: status))
        guard !vehicle.isSilent(at: at, offlineAfter: silentAfter.nominal) else {
            return TimelineDraft(entries: [TimelineEntry(.stale, at: at, showing: view)], policy: .after(due))
        }
        let staleFrom = request.calendar.adding(refresh.interval(for: status) * 3, to: at)
        return TimelineDraft(
            entries: [
                TimelineEntry(.status, at: at, showing: view),
                TimelineEntry(.stale, at: staleFrom, showing: view),
            ],
            policy: .after(due))
    }

    /// In `lowFrequency` every vehicle is refreshed as if it were parked (T14).
    private func refresh(of configuration: WidgetConfiguration) -> SourceNeeds.Refresh {
        SourceNeeds.Refresh(
            every: configuration.mode == .lowFrequency ? parkedEvery : every, parkedEvery: parkedEvery,
            timeZone: configuration.timeZone)
    }
}

extension SourceNeeds.Refresh {
    /// The interval of a vehicle with this status, as it counts at the time: `Offline` if it is silent, `nil` if it was
    /// not heard of.
    package func interval(for status: VehicleStatus?) -> CalendarDuration {
        status == .ignitionOff || status == .offline ? parkedEvery : every
    }

    /// When a vehicle is due again: the `nextUpdate` of a `status` timeline made at `at`.
    package func nextUpdate(after at: Instant, status: VehicleStatus?) -> Instant {
        (LocalCalendar(timeZone) ?? .utc).adding(interval(for: status), to: at)
    }
}
