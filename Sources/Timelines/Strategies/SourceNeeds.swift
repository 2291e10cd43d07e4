/// What has to be known before a configuration's timeline can be made: a vehicle, and the events of some local days.
public struct SourceNeeds: Hashable, Sendable {
    /// The vehicle; `nil` means that no vehicle is shown.
    public var vehicle: VehicleNeed?
    /// The events; `nil` means that none are shown.
    public var agenda: AgendaNeed?

    /// The needs for this vehicle and these events.
    public init(vehicle: VehicleNeed? = nil, agenda: AgendaNeed? = nil) {
        self.vehicle = vehicle
        self.agenda = agenda
    }

    /// A vehicle whose state a timeline shows.
    public struct VehicleNeed: Hashable, Sendable {
        /// The name of the vehicle.
        public var vehicleId: String
        /// The intervals of timers that run at the vehicle's task; `nil` means that the timeline's own date counts.
        package var refresh: Refresh?
        /// How long nothing may be heard of the vehicle until a timeline is made: one length or more, ascending. There
        /// are several if a strategy within another one has a length of its own.
        public package(set) var silences: [ElapsedTime]

        /// - Precondition: there is at least one length.
        public init(vehicleId: String, offlineAfter: ElapsedTime...) {
            precondition(!offlineAfter.isEmpty, "A vehicle is silent after some time.")
            self.vehicleId = vehicleId
            silences = Array(Set(offlineAfter)).sorted()
        }

        package init(vehicleId: String, refresh: Refresh?, offlineAfter: ElapsedTime) {
            self.vehicleId = vehicleId
            self.refresh = refresh
            silences = [offlineAfter]
        }

        /// A need that was stored.
        ///
        /// - Precondition: `silences` is not empty and ascends.
        package init(vehicleId: String, refresh: Refresh?, silences: [ElapsedTime]) {
            precondition(!silences.isEmpty, "A vehicle is silent after some time.")
            self.vehicleId = vehicleId
            self.refresh = refresh
            self.silences = silences
        }

        /// The first of `silences`: from then on the vehicle counts as `Offline`.
        public var offlineAfter: ElapsedTime { silences[0] }
    }

    /// The intervals after which a vehicle's timelines are made anew.
    package struct Refresh: Hashable, Sendable {
        package var every: CalendarDuration
        /// The interval of a vehicle whose ignition is off or that is offline.
        package var parkedEvery: CalendarDuration
        /// The configuration's time zone, for intervals of local days.
        package var timeZone: String

        package init(every: CalendarDuration, parkedEvery: CalendarDuration, timeZone: String = "UTC") {
            self.every = every
            self.parkedEvery = parkedEvery
            self.timeZone = timeZone
        }
    }

    /// The agenda of local days that a timeline shows.
    public struct AgendaNeed: Hashable, Sendable {
        /// The calendars whose events are shown.
        public var calendarIds: [String]
        /// The number of local days, today included. With 0 days nothing is shown, but it still counts whether the
        /// calendars can be read.
        public var days: Int
        /// How long before its start an event is announced that has no lead of its own.
        public var preEventLead: CalendarDuration

        /// The agenda of these calendars.
        public init(calendarIds: [String], days: Int, preEventLead: CalendarDuration) {
            self.calendarIds = calendarIds
            self.days = days
            self.preEventLead = preEventLead
        }
    }
}

extension SourceNeeds.AgendaNeed {
    /// The window of `events` with its defaults; `nil` if the configuration names no calendars (T11).
    package init?(ofTicks configuration: WidgetConfiguration) {
        guard !configuration.calendarIds.isEmpty else { return nil }
        self.init(calendarIds: configuration.calendarIds, days: 2, preEventLead: configuration.preEventLead)
    }

    /// The configuration's calendars without anything of them being shown; `nil` if it names none.
    static func unshown(of configuration: WidgetConfiguration) -> Self? {
        guard !configuration.calendarIds.isEmpty else { return nil }
        return Self(calendarIds: configuration.calendarIds, days: 0, preEventLead: CalendarDuration())
    }
}
