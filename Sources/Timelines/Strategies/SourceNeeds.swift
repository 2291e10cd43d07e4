/// What a configuration needs from the tasks of its vehicle and calendars (DESIGN.md, "The flow").
package struct SourceNeeds: Hashable, Sendable {
    package var vehicle: VehicleNeed?
    package var agenda: AgendaNeed?

    package init(vehicle: VehicleNeed? = nil, agenda: AgendaNeed? = nil) {
        self.vehicle = vehicle
        self.agenda = agenda
    }

    package struct VehicleNeed: Hashable, Sendable {
        package var vehicleId: String
        /// Where refresh timers run at the vehicle's task: the interval, and the one of a parked vehicle. Else nil.
        package var refresh: Refresh?
        /// After so long without news of it the vehicle counts as silent, and a timeline is made. Ascending, not empty:
        /// a strategy within another one may have a time of its own.
        package var silences: [ElapsedTime]

        package init(vehicleId: String, refresh: Refresh? = nil, offlineAfter: ElapsedTime...) {
            precondition(!offlineAfter.isEmpty)
            self.vehicleId = vehicleId
            self.refresh = refresh
            silences = Array(Set(offlineAfter)).sorted()
        }

        /// The first of `silences`: from then on the vehicle counts as `Offline`.
        package var offlineAfter: ElapsedTime {
            get { silences[0] }
            set { silences = [newValue] }
        }
    }

    package struct Refresh: Hashable, Sendable {
        package var every: CalendarDuration
        package var parkedEvery: CalendarDuration
        /// The configuration's, for intervals of local days.
        package var timeZone: String

        package init(every: CalendarDuration, parkedEvery: CalendarDuration, timeZone: String = "UTC") {
            self.every = every
            self.parkedEvery = parkedEvery
            self.timeZone = timeZone
        }
    }

    /// The agenda of local days that a timeline made at some instant shows.
    package struct AgendaNeed: Hashable, Sendable {
        package var calendarIds: [String]
        /// Local days from today's midnight on; 0: nothing is shown, only whether the calendars can be read counts.
        package var days: Int
        /// The lead where an event names none.
        package var preEventLead: CalendarDuration

        package init(calendarIds: [String], days: Int, preEventLead: CalendarDuration) {
            self.calendarIds = calendarIds
            self.days = days
            self.preEventLead = preEventLead
        }
    }
}

extension SourceNeeds.AgendaNeed {
    /// The window of `events` with its defaults, where the configuration names calendars (T11).
    package init?(ofTicks configuration: WidgetConfiguration) {
        guard !configuration.calendarIds.isEmpty else { return nil }
        self.init(calendarIds: configuration.calendarIds, days: 2, preEventLead: configuration.preEventLead)
    }

    /// The configuration's calendars without anything of them being shown.
    static func unshown(of configuration: WidgetConfiguration) -> Self? {
        guard !configuration.calendarIds.isEmpty else { return nil }
        return Self(calendarIds: configuration.calendarIds, days: 0, preEventLead: CalendarDuration())
    }
}
