/// The strategy `events`: what comes, begins and ends in the next local days (STRATEGIES.md 2, events).
package struct EventsStrategy: TimelineStrategy {
    package static let name = "events"

    /// Nil: the configuration's.
    package var preEventLead: CalendarDuration?
    /// Local days, 1 … 31, today included.
    package var days: Int
    /// Whether local midnights get entries, so that "tomorrow" never stays on screen.
    package var dayEntries: Bool

    package init(options: inout StrategyOptions) throws(ConfigurationProblem) {
        preEventLead = try options.optionalDuration("preEventLead", in: .lead)
        days = try options.integer("days", default: 2, in: 1...31)
        dayEntries = try options.bool("dayEntries", default: true)
    }

    package func needs(of configuration: WidgetConfiguration) -> SourceNeeds {
        let vehicle = configuration.chosenVehicle.map {
            SourceNeeds.VehicleNeed(vehicleId: $0, offlineAfter: TimelineRequest.offlineAfterDefault)
        }
        guard !configuration.calendarIds.isEmpty else { return SourceNeeds(vehicle: vehicle) }
        return SourceNeeds(vehicle: vehicle, agenda: agenda(of: configuration))
    }

    package func draft(for request: TimelineRequest) -> TimelineDraft {
        let window = agenda(of: request.configuration).window(at: request.at, in: request.calendar)
        let agenda = EventsAgenda(
            window: window, occurrences: window.placed(request.occurrences),
            chosenVehicle: request.configuration.chosenVehicle,
            vehicle: request.vehicleView(offlineAfter: TimelineRequest.offlineAfterDefault))
        var entries = agenda.occurrenceEntries()
        guard dayEntries else {
            return TimelineDraft(entries: entries, policy: .atEnd, latestUpdate: window.nextMidnight)
        }
        entries += agenda.dayEntries(besides: entries)
        return TimelineDraft(entries: entries, policy: .after(window.nextMidnight))
    }

    private func agenda(of configuration: WidgetConfiguration) -> SourceNeeds.AgendaNeed {
        SourceNeeds.AgendaNeed(
            calendarIds: configuration.calendarIds, days: days,
            preEventLead: preEventLead ?? configuration.preEventLead)
    }
}
