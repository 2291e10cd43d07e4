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
