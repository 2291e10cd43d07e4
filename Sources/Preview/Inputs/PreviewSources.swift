internal import Agendas
package import Timelines

/// The vehicles and calendars of the files. Telemetry is known from its `observedAt` on, events from the beginning.
package struct PreviewSources: TimelineSources {
    private let vehicles: [String: VehicleHistory]
    private let calendars: [String: Calendar]

    /// The events of a calendar, and the longest lead that any of them names.
    struct Calendar {
        var events = EventCalendar()
        var longestLead: CalendarDuration?
    }

    init(vehicles: [String: VehicleHistory], calendars: [String: Calendar]) {
        self.vehicles = vehicles
        self.calendars = calendars
    }

    package func knows(vehicle vehicleId: String) -> Bool { vehicles[vehicleId] != nil }
    package func knows(calendar calendarId: String) -> Bool { calendars[calendarId] != nil }

    package func vehicle(_ vehicleId: String, at instant: Instant) -> Vehicle? {
        vehicles[vehicleId]?.state(at: instant)
    }

    package func nextArrival(of vehicleId: String, after instant: Instant) -> Instant? {
        vehicles[vehicleId]?.nextArrival(after: instant)
    }

    package func occurrences(of calendarId: String, in window: AgendaWindow) -> [Occurrence] {
        guard let calendar = calendars[calendarId] else { return [] }
        let lead = [calendar.longestLead, window.preEventLead].compactMap(\.self).max { $0.nominal < $1.nominal }
        let range = window.range(lead: lead)
        return calendar.events.occurrences(from: range.lowerBound, to: range.upperBound, in: window.calendar)
    }
}
