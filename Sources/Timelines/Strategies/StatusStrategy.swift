/// The strategy `status`: how a vehicle is doing, refreshed while it moves and less often while it is parked.
package struct StatusStrategy: TimelineStrategy {
    package static let name = "status"

    package var every: CalendarDuration
    package var parkedEvery: CalendarDuration
    package var offlineAfter: CalendarDuration

    package init(options: inout StrategyOptions) throws(ConfigurationProblem) {
        every = try options.duration("every", default: .minutes(2))
        parkedEvery = try options.duration("parkedEvery", default: .minutes(15))
        offlineAfter = try options.duration("offlineAfter", default: .minutes(30), in: .offlineAfter)
    }

    package func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        guard let vehicleId = configuration.chosenVehicle else { return SourceNeeds() }
        return SourceNeeds(
            vehicle: .init(
                vehicleId: vehicleId, refresh: refresh(of: configuration), offlineAfter: offlineAfter.nominal))
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let at = request.at
        guard let vehicleId = request.configuration.chosenVehicle else {
            return TimelineDraft(entries: [.selectVehicle(at: at)], policy: .after(at + .minutes(15)))
        }
        let refresh = refresh(of: request.configuration)
        let status = request.vehicle?.status(at: at, offlineAfter: offlineAfter.nominal)
        let due = refresh.nextUpdate(after: at, status: status)
        guard let vehicle = request.vehicle, let status else {
            return TimelineDraft(entries: [.placeholder(at: at, vehicleId: vehicleId)], policy: .after(due))
        }
        let view = TimelineEntry.VehicleView(vehicle, status: status)
        guard !vehicle.isSilent(at: at, offlineAfter: offlineAfter.nominal) else {
            return TimelineDraft(entries: [TimelineEntry(.stale, at: at, vehicle: view)], policy: .after(due))
        }
        let staleFrom = request.calendar.adding(refresh.interval(for: status) * 3, to: at)
        return TimelineDraft(
            entries: [
                TimelineEntry(.status, at: at, vehicle: view),
                TimelineEntry(.stale, at: staleFrom, vehicle: view),
            ],
            policy: .after(due))
    }

    /// In `lowFrequency` every vehicle is refreshed as if it were parked (STRATEGIES.md 1.14).
    private func refresh(of configuration: WidgetConfiguration) -> SourceNeeds.Refresh {
        SourceNeeds.Refresh(
            every: configuration.mode == .lowFrequency ? parkedEvery : every, parkedEvery: parkedEvery,
            timeZone: configuration.timeZone)
    }
}

extension SourceNeeds.Refresh {
    /// The interval of a vehicle with this status, as it counts at the time: `Offline` when silent. Nil: not heard of.
    package func interval(for status: VehicleStatus?) -> CalendarDuration {
        status == .ignitionOff || status == .offline ? parkedEvery : every
    }

    /// When a vehicle is due again: the `nextUpdate` of a `status` timeline made at `at`.
    package func nextUpdate(after at: Instant, status: VehicleStatus?) -> Instant {
        (LocalCalendar(timeZone) ?? .utc).adding(interval(for: status), to: at)
    }
}
