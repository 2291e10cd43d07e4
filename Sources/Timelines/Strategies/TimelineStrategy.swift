/// One way of making timelines: `status`, `events`, … (STRATEGIES.md 2). A strategy is its options.
///
/// Adding one is one file that conforms to this, and one line in `TimelineStrategies.all`.
package protocol TimelineStrategy: Hashable, Sendable {
    /// The name that configurations use.
    static var name: String { get }

    /// Reads the options; those that are absent take their defaults.
    ///
    /// - Throws: what is wrong, naming the key and what is allowed. Keys that are not read are refused by the caller.
    init(options: inout StrategyOptions) throws(ConfigurationProblem)

    /// What the pipeline must know before it can make this timeline, and keep watching for.
    func needs(of configuration: WidgetConfiguration) -> SourceNeeds

    /// Entries in any order and the policy, before the rules for every strategy are applied.
    func draft(for request: TimelineRequest) -> TimelineDraft

    /// Whether the strategy makes its timelines for those who are not signed in, too (STRATEGIES.md 1.13).
    static var showsSignedOut: Bool { get }

    /// Parameters that count where the configuration has none of that name (STRATEGIES.md 1.8).
    var parameterDefaults: Parameters { get }
}

extension TimelineStrategy {
    package static var showsSignedOut: Bool { false }
    package var parameterDefaults: Parameters { Parameters() }
}

/// What is known when a timeline is made; all that a timeline is a function of (STRATEGIES.md 1.1).
package struct TimelineRequest: Sendable {
    package var configuration: WidgetConfiguration
    /// The configuration's vehicle as far as it is known; nil: nothing was ever heard of it.
    package var vehicle: Vehicle?
    /// The newest record of the vehicle, or of one of the calendars, could not be read.
    package var hasUnreadableSource: Bool
    /// Occurrences of the configuration's calendars, not cancelled ones; may reach beyond the window.
    package var occurrences: [Occurrence]
    package var at: Instant

    package init(
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

/// What a configuration needs from the tasks of its vehicle and calendars (DESIGN.md 2, subscriptions).
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
        /// Local days from today's midnight on.
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

/// What a strategy made, before rules 2 to 5 of STRATEGIES.md 1 are applied.
package struct TimelineDraft: Sendable {
    package var entries: [TimelineEntry]
    package var policy: TimelineReloadPolicy
    /// The strategy's interval, where it has one: rule 5 falls back on it.
    package var interval: CalendarDuration?
    /// With the policy `atEnd`: where the end comes later than this, the policy is `after` it.
    package var latestUpdate: Instant?
    /// The earliest date that did not fit in; a strategy of endless dates names the first one that it did not make.
    package var firstLeftOut: Instant?

    package init(
        entries: [TimelineEntry], policy: TimelineReloadPolicy, interval: CalendarDuration? = nil,
        latestUpdate: Instant? = nil, firstLeftOut: Instant? = nil
    ) {
        self.entries = entries
        self.policy = policy
        self.interval = interval
        self.latestUpdate = latestUpdate
        self.firstLeftOut = firstLeftOut
    }
}

/// Why a configuration cannot be used: the key, and a sentence that says what is allowed.
package struct ConfigurationProblem: Error, Hashable, Sendable {
    package var key: String
    package var message: String

    package init(key: String, _ message: String) {
        self.key = key
        self.message = message
    }
}
