/// Makes one configuration's timelines out of what its sources know, and says when the next one is made and why.
struct TimelineMaking {
    let configuration: WidgetConfiguration
    private let sources: any TimelineSources
    private let needs: SourceNeeds
    private let calendar: LocalCalendar
    private var told: Told?
    private var agenda: Agenda?

    /// What the configuration's vehicle was when the last timeline was made.
    private struct Told {
        var at: Instant
        var vehicle: Vehicle?
        /// As it counted then; nil: not heard of.
        var status: VehicleStatus?
        /// How many of the need's silences had passed.
        var silences: Int
    }

    /// The occurrences of a window; it changes only with the local day.
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
        let status = needs.vehicle.flatMap { vehicle?.status(at: at, offlineAfter: $0.offlineAfter) }
        let silences = needs.vehicle?.silencesPassed(of: vehicle, at: at) ?? 0
        told = Told(at: at, vehicle: vehicle, status: status, silences: silences)
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

    // MARK: - What comes next

    /// When the timeline after this one, the last one made, is made; nil: never.
    func next(after timeline: Timeline) -> (at: Instant, cause: TimelineWalk.Cause)? {
        guard let told else { preconditionFailure("nothing was made yet") }
        // Where refresh timers run at the vehicle, they count instead of the timeline's own date.
        let renewal = needs.vehicle?.refresh?.nextUpdate(after: told.at, status: told.status) ?? timeline.nextUpdate
        guard let need = needs.vehicle else { return renewal.map { ($0, .renewal) } }
        var vehicle = told.vehicle
        var arrival = sources.nextArrival(of: need.vehicleId, after: told.at)
        while true {
            let silence = vehicle.flatMap { need.nextSilence(of: $0, after: told.at) }
            let due = [renewal, silence?.at].compactMap(\.self).min()
            if let now = arrival, due.map({ now <= $0 }) ?? true {
                vehicle = sources.vehicle(need.vehicleId, at: now)
                if let cause = news(of: vehicle, at: now, since: told, need) { return (now, cause) }
                if now == renewal { return (now, .renewal) }
                arrival = sources.nextArrival(of: need.vehicleId, after: now)
            } else if let silence, silence.at == due {
                return (silence.at, .silence(silence.length))
            } else {
                return renewal.map { ($0, .renewal) }
            }
        }
    }

    /// What telemetry has brought that makes a timeline at once: a change of status, or what `sensitivity` asks for.
    private func news(
        of vehicle: Vehicle?, at: Instant, since told: Told, _ need: SourceNeeds.VehicleNeed
    ) -> TimelineWalk.Cause? {
        guard let vehicle, let status = vehicle.status(at: at, offlineAfter: need.offlineAfter) else { return nil }
        guard let before = told.status else { return .firstHeardOf }
        let isHeardAgain = need.silencesPassed(of: vehicle, at: at) != told.silences
        if status != before || isHeardAgain { return .statusChange(from: before, to: status) }
        guard let old = told.vehicle, let sensitivity = configuration.sensitivity else { return nil }
        return sensitivity.isExceeded(from: old, to: vehicle) ? .sensitivity : nil
    }
}

extension SourceNeeds.VehicleNeed {
    /// The first instant later than `instant` at which the vehicle has been silent for one of `silences`, and for
    /// which of them; nil where none comes unless more is heard. A vehicle may be silent while its ignition is off.
    package func nextSilence(of vehicle: Vehicle, after instant: Instant) -> (at: Instant, length: ElapsedTime)? {
        silences.lazy.compactMap { length in
            vehicle.silentFrom(offlineAfter: length).map { (at: $0, length: length) }
        }.first { $0.at > instant }
    }

    /// How many of `silences` have passed at `at`; none where the vehicle may be silent, or was never heard of.
    package func silencesPassed(of vehicle: Vehicle?, at: Instant) -> Int {
        guard let vehicle else { return 0 }
        return silences.count { vehicle.isSilent(at: at, offlineAfter: $0) }
    }
}
