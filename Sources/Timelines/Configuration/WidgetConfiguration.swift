/// One user's widget: what it shows, for whom, and how (M5).
public struct WidgetConfiguration: Hashable, Sendable {
    public var configurationId: String
    public var kind: String
    public var family: WidgetFamily
    /// Who is told to reload; the configurationId where none is named.
    package var recipient: String
    /// An IANA name that exists on this system.
    public var timeZone: String
    public var isSignedIn: Bool
    public var vehicleId: String?
    /// In the order given, each once.
    public var calendarIds: [String]
    public var parameters: Parameters
    public var strategy: any TimelineStrategy
    public var preEventLead: CalendarDuration
    public var mode: TimelineScheduleMode
    /// 1 … 500; nil: the family's.
    public var maximumEntries: Int?
    /// Which sinks write this configuration's timelines; nil: all of them.
    package var sinks: [String]?
    package var sensitivity: Sensitivity?

    public init(configurationId: String, kind: String, strategy: any TimelineStrategy) {
        self.configurationId = configurationId
        self.kind = kind
        self.family = .systemMedium
        self.recipient = configurationId
        self.timeZone = "UTC"
        self.isSignedIn = true
        self.calendarIds = []
        self.parameters = Parameters()
        self.strategy = strategy
        self.preEventLead = .minutes(30)
        self.mode = .normal
    }

    /// How much a vehicle must change to make a timeline anew without a change of status.
    package struct Sensitivity: Hashable, Sendable {
        /// km/h
        package var speed: Double?
        /// Metres.
        package var distance: Double?

        package init(speed: Double? = nil, distance: Double? = nil) {
            self.speed = speed
            self.distance = distance
        }
    }

    /// The vehicle that is chosen: not missing, empty or "0" (T23).
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
    /// What is allowed, but probably not meant so, for timelines from `at` on; sentences that begin with the key.
    package func warnings(at: Instant) -> [String] {
        let warnings = (strategy as? any ConfigurableStrategy)?.warnings(at: at) ?? []
        return warnings.map { "strategy.\($0)" }
    }
}

extension WidgetConfiguration.Sensitivity {
    /// Whether a vehicle changed by a threshold or more since a timeline was last made. What is not known on both sides
    /// has not changed.
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

    /// How many entries a timeline of this family has at most (T4).
    public var maximumEntries: Int {
        switch self {
        case .systemSmall: 5
        case .systemMedium: 10
        default: 20
        }
    }
}
