/// What is known when a timeline is made; all that a timeline is a function of (T1).
public struct TimelineRequest: Sendable {
    public var configuration: WidgetConfiguration
    /// The configuration's vehicle as far as it is known; nil: nothing was ever heard of it.
    public var vehicle: Vehicle?
    /// The newest record of the vehicle, or of one of the calendars, could not be read.
    public var hasUnreadableSource: Bool
    /// Occurrences of the configuration's calendars, not cancelled ones; may reach beyond the window.
    public var occurrences: [Occurrence]
    public var at: Instant
    /// After how long without news a vehicle counts as `Offline`, where the strategy has no option for it.
    var offlineAfterFallback = TimelineRequest.offlineAfterDefault

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
    /// PT30M (T11)
    static let offlineAfterDefault = ElapsedTime.minutes(30)

    /// After how long without news the vehicle counts as `Offline`.
    var offlineAfter: ElapsedTime { configuration.strategy.offlineAfter?.nominal ?? offlineAfterFallback }

    /// The configuration's local time; UTC where its zone is not known here.
    public var calendar: LocalCalendar { LocalCalendar(configuration.timeZone) ?? .utc }
}

/// T11: what is known at the instant of a request, as its ticks show it.
struct Present {
    private let request: TimelineRequest
    private let vehicle: TimelineEntry.VehicleView?
    private let window: AgendaWindow?
    /// The window's, by start, calendarId, uid.
    private let occurrences: [PlacedOccurrence]

    init(of request: TimelineRequest, in calendar: LocalCalendar) {
        self.request = request
        vehicle = request.vehicleView()
        window = request.configuration.strategy.needs(of: request.configuration).agenda?
            .window(at: request.at, in: calendar)
        occurrences = window?.placed(request.occurrences) ?? []
    }

    func tick(at date: Instant) -> TimelineEntry {
        var entry = TimelineEntry(.tick, at: date)
        entry.vehicle = vehicle
        entry.values = values(at: date)
        if let window { entry.event = event(at: date, before: window.end) }
        return entry
    }

    /// The occurrence under way at `date` that began last, else the next one that starts before `end`.
    private func event(at date: Instant, before end: Instant) -> Occurrence? {
        let underWay = occurrences.last { $0.start <= date && (date < $0.end || $0.start == date) }
        return (underWay ?? occurrences.first { $0.start > date && $0.start < end })?.occurrence
    }

    /// Of each series the latest point at or before `date`; nil where no series has one.
    private func values(at date: Instant) -> [TimelineEntry.NamedValue]? {
        guard request.configuration.chosenVehicle != nil, let vehicle = request.vehicle else { return nil }
        let values = vehicle.series.compactMap { series in
            series.points.last { $0.at <= date }.map { TimelineEntry.NamedValue(name: series.name, value: $0.value) }
        }
        return values.isEmpty ? nil : values
    }
}

extension TimelineRequest {
    /// The configuration's vehicle as entries show it; nil until it has been heard of.
    func vehicleView() -> TimelineEntry.VehicleView? {
        guard configuration.chosenVehicle != nil, let vehicle,
            let status = vehicle.status(at: at, offlineAfter: offlineAfter)
        else { return nil }
        return TimelineEntry.VehicleView(vehicle, status: status)
    }
}
