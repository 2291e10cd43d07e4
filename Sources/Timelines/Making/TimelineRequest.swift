/// Everything that a timeline is a function of: the configuration, what is known, and the instant (T1).
public struct TimelineRequest: Sendable {
    /// The configuration whose timeline is made.
    public var configuration: WidgetConfiguration
    /// The configuration's vehicle as far as it is known; `nil` means that nothing is known of it.
    public var vehicle: Vehicle?
    /// True if the newest record of the vehicle, or of one of the calendars, could not be read.
    public var hasUnreadableSource: Bool
    /// Occurrences of the configuration's calendars without cancelled ones, in any order. Those outside the window that
    /// a strategy shows are ignored.
    public var occurrences: [Occurrence]
    /// The instant for which the timeline is made.
    public var at: Instant
    /// The silence after which a vehicle counts as `Offline`, if the strategy has no option for it.
    var offlineAfterFallback = TimelineRequest.offlineAfterDefault

    /// A request; what is left out is not known.
    public init(
        configuration: WidgetConfiguration, vehicle: Vehicle? = nil, hasUnreadableSource: Bool = false,
        occurrences: [Occurrence] = [], at: Instant
    ) {
        self.configuration = configuration
        self.vehicle = vehicle
        self.hasUnreadableSource = hasUnreadableSource
        self.occurrences = occurrences
        self.at = at
    }
}

extension TimelineRequest {
    /// Half an hour (T11).
    static let offlineAfterDefault = ElapsedTime.minutes(30)

    /// The silence after which the vehicle counts as `Offline`.
    var offlineAfter: ElapsedTime { configuration.strategy.offlineAfter?.nominal ?? offlineAfterFallback }

    /// The configuration's local time, or UTC if its zone is not known here.
    public var calendar: LocalCalendar { LocalCalendar(configuration.timeZone) ?? .utc }
}

/// What ticks show: what is known at the instant of a request (T11).
struct TickContent {
    private let request: TimelineRequest
    private let vehicle: Indirect<TimelineEntry.VehicleView>?
    private let window: AgendaWindow?
    /// The occurrences of the window, by start, calendarId, uid.
    private let occurrences: [PlacedOccurrence]

    init(of request: TimelineRequest, in calendar: LocalCalendar) {
        self.request = request
        vehicle = request.vehicleView().map(Indirect.init)
        window = request.configuration.strategy.needs(of: request.configuration).agenda?
            .window(at: request.at, in: calendar)
        occurrences = window?.placed(request.occurrences) ?? []
    }

    func tick(at date: Instant) -> TimelineEntry {
        var entry = TimelineEntry(.tick, at: date)
        entry.heldVehicle = vehicle
        entry.values = values(at: date)
        if let window { entry.event = event(at: date, before: window.end) }
        return entry
    }

    /// The occurrence under way at `date` that began last, or else the next one that starts before `end`.
    private func event(at date: Instant, before end: Instant) -> Occurrence? {
        let underWay = occurrences.last { $0.start <= date && (date < $0.end || $0.start == date) }
        return (underWay ?? occurrences.first { $0.start > date && $0.start < end })?.occurrence
    }

    /// The latest point of each series at or before `date`; `nil` means that no series has one.
    private func values(at date: Instant) -> [TimelineEntry.NamedValue]? {
        guard request.configuration.chosenVehicle != nil, let vehicle = request.vehicle else { return nil }
        let values = vehicle.series.compactMap { series in
            series.points.last { $0.at <= date }.map { TimelineEntry.NamedValue(name: series.name, value: $0.value) }
        }
        return values.isEmpty ? nil : values
    }
}

extension TimelineRequest {
    /// The configuration's vehicle as entries show it; `nil` means that it was not heard of yet.
    func vehicleView() -> TimelineEntry.VehicleView? {
        guard configuration.chosenVehicle != nil, let vehicle,
            let status = vehicle.status(at: at, offlineAfter: offlineAfter)
        else { return nil }
        return TimelineEntry.VehicleView(vehicle, status: status)
    }
}
