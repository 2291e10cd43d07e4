/// What a vehicle is doing (M3).
public enum VehicleStatus: String, CaseIterable, Sendable {
    case moving = "Moving"
    case idling = "Idling"
    case stopped = "Stopped"
    case ignitionOff = "IgnitionOff"
    case charging = "Charging"
    case offline = "Offline"
}

/// What is known of a vehicle: the newest telemetry, with the master data that stays known.
///
/// A vehicle has been *heard of* once a status is known; a record of master data alone does not do that.
public struct Vehicle: Hashable, Sendable {
    public var vehicleId: String
    public var registration: String?
    public var alias: String?
    public var customAddressIcon: String?
    public var status: VehicleStatus?
    /// km/h
    public var speed: Double?
    /// Degrees, WGS 84.
    public var latitude: Double?
    public var longitude: Double?
    /// Degrees clockwise from north.
    public var heading: Double?
    public var address: String?
    /// When the status and position were observed; nil until the first such record.
    public var observedAt: Instant?
    /// Ascending by name (UTF-8 bytes), each series ascending by time.
    public var series: [Series]

    public init(vehicleId: String) {
        self.vehicleId = vehicleId
        self.series = []
    }

    public struct Series: Hashable, Sendable {
        public var name: String
        public var points: [Point]

        public init(name: String, points: [Point]) {
            self.name = name
            self.points = points
        }
    }

    public struct Point: Hashable, Sendable {
        public var at: Instant
        public var value: Double

        public init(at: Instant, value: Double) {
            self.at = at
            self.value = value
        }
    }

    public var hasBeenHeardOf: Bool { status != nil && observedAt != nil }
}
