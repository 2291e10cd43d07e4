extension TimelineRequest {
    /// Rule 11: what is known at `at`, as a tick of `date` (`at` where none is named) shows it.
    ///
    /// Of the occurrences, those of the window that the strategy needs count; none where it needs no agenda.
    package func tick(date: Instant? = nil) -> TimelineEntry {
        let date = date ?? at
        let needs = configuration.strategy.needs(of: configuration)
        var entry = TimelineEntry(.tick, at: date)
        guard configuration.chosenVehicle != nil || needs.agenda != nil else { return entry }
        let offlineAfter = needs.vehicle?.offlineAfter ?? TimelineRequest.offlineAfterDefault
        entry.vehicle = vehicleView(offlineAfter: offlineAfter)
        entry.values = values(at: date)
        if let agenda = needs.agenda {
            let window = agenda.window(at: at, in: calendar)
            entry.event = window.placed(occurrences).present(at: date, before: window.end)?.occurrence
        }
        return entry
    }

    /// The configuration's vehicle as entries show it; nil until it has been heard of.
    func vehicleView(offlineAfter: ElapsedTime) -> TimelineEntry.VehicleView? {
        guard configuration.chosenVehicle != nil, let vehicle,
            let status = vehicle.status(at: at, offlineAfter: offlineAfter)
        else { return nil }
        return TimelineEntry.VehicleView(vehicle, status: status)
    }

    /// Of each series the latest point at or before `date`; nil where no series has one.
    private func values(at date: Instant) -> [TimelineEntry.NamedValue]? {
        guard configuration.chosenVehicle != nil, let vehicle else { return nil }
        let values = vehicle.series.compactMap { series in
            series.points.last { $0.at <= date }.map { TimelineEntry.NamedValue(name: series.name, value: $0.value) }
        }
        return values.isEmpty ? nil : values
    }

    static let offlineAfterDefault = ElapsedTime.minutes(30)
}

extension [PlacedOccurrence] {
    /// Of occurrences by start, calendarId, uid: the one under way at `date` that began last, else the next one that
    /// starts before `end`.
    fileprivate func present(at date: Instant, before end: Instant) -> PlacedOccurrence? {
        let underWay = last { $0.start <= date && (date < $0.end || $0.start == date) }
        return underWay ?? first { $0.start > date && $0.start < end }
    }
}
