/// One widget of one user: what it shows, for whom, and how (M5).
///
/// A million configurations have a few hundred ways to be shown: copies share that part until one of them changes it.
public struct WidgetConfiguration: Hashable, Sendable {
    /// The name of this configuration; its timelines have it, too.
    public var configurationId: String
    /// The recipient of reloads; the configurationId if none is named.
    package var recipient: String
    /// False if the user has signed out: then most strategies make a `signedOut` timeline (T13).
    public var isSignedIn: Bool
    /// The vehicle as the configuration names it; see `chosenVehicle`.
    public var vehicleId: String?
    /// The calendars whose events are shown, in the order given, each once.
    public var calendarIds: [String]
    private var presentation: Indirect<Presentation>

    /// What does not name anybody.
    private struct Presentation {
        var kind: String
        var family: WidgetFamily
        var timeZone: String
        var parameters: Parameters
        var strategy: any TimelineStrategy
        var preEventLead: CalendarDuration
        var mode: TimelineScheduleMode
        var maximumEntries: Int?
        var sinks: [String]?
        var sensitivity: Sensitivity?
    }

    /// A signed-in configuration of family `systemMedium` in UTC, without vehicle, calendars and parameters.
    public init(configurationId: String, kind: String, strategy: any TimelineStrategy) {
        self.configurationId = configurationId
        self.recipient = configurationId
        self.isSignedIn = true
        self.calendarIds = []
        presentation = Indirect(
            Presentation(
                kind: kind, family: .systemMedium, timeZone: "UTC", parameters: Parameters(), strategy: strategy,
                preEventLead: .minutes(30), mode: .normal))
    }

    /// The widget kind.
    public var kind: String {
        get { presentation.value.kind }
        set { change { $0.kind = newValue } }
    }

    /// The size of the widget, which limits how many entries a timeline has.
    public var family: WidgetFamily {
        get { presentation.value.family }
        set { change { $0.family = newValue } }
    }

    /// The time zone of local days and times, by its name in the IANA database.
    public var timeZone: String {
        get { presentation.value.timeZone }
        set { change { $0.timeZone = newValue } }
    }

    /// Values that every entry carries to whoever draws it (T8).
    public var parameters: Parameters {
        get { presentation.value.parameters }
        set { change { $0.parameters = newValue } }
    }

    /// The strategy that makes the timelines.
    public var strategy: any TimelineStrategy {
        get { presentation.value.strategy }
        set { change { $0.strategy = newValue } }
    }

    /// How long before its start an event is announced that has no lead of its own.
    public var preEventLead: CalendarDuration {
        get { presentation.value.preEventLead }
        set { change { $0.preEventLead = newValue } }
    }

    /// How often timelines may have entries (T14).
    public var mode: TimelineScheduleMode {
        get { presentation.value.mode }
        set { change { $0.mode = newValue } }
    }

    /// The limit of entries, 1 to 500; `nil` stands for the family's.
    public var maximumEntries: Int? {
        get { presentation.value.maximumEntries }
        set { change { $0.maximumEntries = newValue } }
    }

    /// The sinks that write this configuration's timelines; `nil` means all of them.
    package var sinks: [String]? {
        get { presentation.value.sinks }
        set { change { $0.sinks = newValue } }
    }

    package var sensitivity: Sensitivity? {
        get { presentation.value.sensitivity }
        set { change { $0.sensitivity = newValue } }
    }

    private mutating func change(_ body: (inout Presentation) -> Void) {
        var changed = presentation.value
        body(&changed)
        presentation = Indirect(changed)
    }

    /// How much a vehicle must change to make a timeline anew without a change of status.
    package struct Sensitivity: Hashable, Sendable {
        /// The change of speed in km/h; `nil` means that speed does not count.
        package var speed: Double?
        /// The distance in metres; `nil` means that the place does not count.
        package var distance: Double?

        package init(speed: Double? = nil, distance: Double? = nil) {
            self.speed = speed
            self.distance = distance
        }
    }

    /// The vehicle that is chosen; `nil` if `vehicleId` is missing, empty or "0" (T23).
    public var chosenVehicle: String? {
        guard let vehicleId, !vehicleId.isEmpty, vehicleId != "0" else { return nil }
        return vehicleId
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.configurationId == right.configurationId && left.kind == right.kind && left.family == right.family
            && left.recipient == right.recipient && left.timeZone == right.timeZone
            && left.isSignedIn == right.isSignedIn && left.vehicleId == right.vehicleId
            && left.calendarIds == right.calendarIds && left.parameters == right.parameters
            && AnyHashable(left.strategy) == AnyHashable(right.strategy) && left.preEventLead == right.preEventLead
            && left.mode == right.mode && left.maximumEntries == right.maximumEntries && left.sinks == right.sinks
            && left.sensitivity == right.sensitivity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(configurationId)
        hasher.combine(kind)
        hasher.combine(AnyHashable(strategy))
    }
}

extension WidgetConfiguration {
    /// What is allowed, but hardly meant, in timelines from `at` on: sentences that begin with the key.
    package func warnings(at: Instant) -> [String] {
        let warnings = (strategy as? any ConfigurableStrategy)?.warnings(at: at) ?? []
        return warnings.map { "strategy.\($0)" }
    }
}

extension WidgetConfiguration.Sensitivity {
    /// True if a vehicle changed by a threshold or more. What is not known on both sides has not changed.
    package func isExceeded(from old: Vehicle, to new: Vehicle) -> Bool {
        if let speed, let before = old.speed, let after = new.speed, (after - before).magnitude >= speed { return true }
        guard let distance, let metres = old.distance(to: new) else { return false }
        return metres >= distance
    }
}

/// WidgetKit's widget families, by their names there.
public enum WidgetFamily: String, CaseIterable, Sendable {
    case systemSmall, systemMedium, systemLarge, systemExtraLarge, systemExtraLargePortrait
    case accessoryCircular, accessoryRectangular, accessoryInline, accessoryCorner

    /// How many entries a timeline of this family has at most, if its configuration does not say (T4).
    public var maximumEntries: Int {
        switch self {
        case .systemSmall: 5
        case .systemMedium: 10
        default: 20
        }
    }
}
