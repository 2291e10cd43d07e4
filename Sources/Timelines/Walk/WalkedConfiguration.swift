/// One configuration on a walk: makes its timelines of what its sources know, and says when the next one is made, and
/// why.
struct WalkedConfiguration {
    let configuration: WidgetConfiguration
    private let sources: any TimelineSources
    private let needs: SourceNeeds
    private let calendar: LocalCalendar
    /// The instant for which the last timeline was made; `nil` means that none was made yet.
    private var madeAt: Instant?
    /// What the last timeline knew of the vehicle; `nil` means that the configuration needs none.
    private var report: VehicleReport?
    private var agenda: Agenda?

    /// The occurrences of a window, which changes only with the local day.
    private struct Agenda {
        var days: Range<Instant>
        var occurrences: [Occurrence]
    }

    init(_ configuration: WidgetConfiguration, _ sources: any TimelineSources) {
        self.configuration = configuration
        self.sources = sources
        needs = TimelineProvider.needs(of: configuration)
        calendar = LocalCalendar(configuration.timeZone) ?? .utc
    }

    // MARK: - Making

    mutating func timeline(at: Instant) -> Timeline {
        let vehicle = needs.vehicle.flatMap { sources.vehicle($0.vehicleId, at: at) }
        madeAt = at
        report = needs.vehicle.map {
            VehicleReport(of: vehicle, at: at, for: $0, sensitivity: configuration.sensitivity)
        }
        return TimelineProvider.timeline(
            for: TimelineRequest(
                configuration: configuration, vehicle: vehicle, occurrences: occurrences(at: at), at: at))
    }

    private mutating func occurrences(at: Instant) -> [Occurrence] {
        guard let need = needs.agenda else { return [] }
        let window = need.window(at: at, in: calendar)
        if let agenda, agenda.days == window.begin..<window.end { return agenda.occurrences }
        let occurrences = need.calendarIds.flatMap { sources.occurrences(of: $0, in: window) }.filter(window.includes)
        agenda = Agenda(days: window.begin..<window.end, occurrences: occurrences)
        return occurrences
    }

    // MARK: - The next timeline

    /// The instant for which the timeline after `timeline`, the last one made, is made, and the cause; `nil` means that
    /// none is made any more.
    func next(after timeline: Timeline) -> (at: Instant, cause: TimelineWalk.Cause)? {
        guard let madeAt else { preconditionFailure("nothing was made yet") }
        guard let need = needs.vehicle, let report else { return timeline.nextUpdate.map { ($0, .renewal) } }
        // A refresh timer at the vehicle's task counts instead of the timeline's own date.
        let renewal = need.refresh?.nextUpdate(after: madeAt, status: report.status) ?? timeline.nextUpdate
        var vehicle = sources.vehicle(need.vehicleId, at: madeAt)
        var arrival = sources.nextArrival(of: need.vehicleId, after: madeAt)
        while true {
            let silence = vehicle.flatMap { report.nextSilence(of: $0, for: need) }
            let due = [renewal, silence?.at].compactMap(\.self).min() ?? Instant(milliseconds: .max)
            if let now = arrival, now <= due {
                vehicle = sources.vehicle(need.vehicleId, at: now)
                if let cause = news(of: vehicle, at: now, since: report, need) { return (now, cause) }
                if now == renewal { return (now, .renewal) }
                arrival = sources.nextArrival(of: need.vehicleId, after: now)
            } else if let silence, silence.at == due {
                return (silence.at, .silence(silence.length))
            } else {
                return renewal.map { ($0, .renewal) }
            }
        }
    }

    /// The cause by which telemetry makes a timeline at once; `nil` means that it brought no news.
    private func news(
        of vehicle: Vehicle?, at: Instant, since report: VehicleReport, _ need: SourceNeeds.VehicleNeed
    ) -> TimelineWalk.Cause? {
        switch vehicle.flatMap({ report.news(of: $0, at: at, for: need, sensitivity: configuration.sensitivity) }) {
        case .status(let before?, let after?): .statusChange(from: before, to: after)
        case .status(nil, _): .firstHeardOf
        case .sensitivity: .sensitivity
        // Nothing that a vehicle said makes it unheard of.
        case .status(_, nil), nil: nil
        }
    }
}
