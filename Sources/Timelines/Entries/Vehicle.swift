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

extension Vehicle {
    /// What the vehicle is taken to be doing at `at`: `Offline` once silent for `offlineAfter`; nil until it has been
    /// heard of (T23).
    public func status(at: Instant, offlineAfter: ElapsedTime) -> VehicleStatus? {
        VehicleStatus.effective(status, observedAt: observedAt, at: at, offlineAfter: offlineAfter)
    }

    /// Whether nothing was heard of it for `offlineAfter`. A vehicle with its ignition off may be silent.
    public func isSilent(at: Instant, offlineAfter: ElapsedTime) -> Bool {
        silentFrom(offlineAfter: offlineAfter).map { at >= $0 } ?? false
    }

    /// From when on it counts as silent if no more is heard; nil where that never comes.
    package func silentFrom(offlineAfter: ElapsedTime) -> Instant? {
        guard let status, let observedAt, status != .ignitionOff else { return nil }
        return observedAt + offlineAfter
    }
}

extension TimelineEntry.VehicleView {
    /// The vehicle as an entry shows it, with its status as of the timeline.
    public init(_ vehicle: Vehicle, status: VehicleStatus) {
        self.init(vehicleId: vehicle.vehicleId)
        registration = vehicle.registration
        alias = vehicle.alias
        self.status = status.rawValue
        speed = vehicle.speed
        location = vehicle.location
        latitude = vehicle.latitude
        longitude = vehicle.longitude
        customAddressIcon = vehicle.customAddressIcon
        observedAt = vehicle.observedAt
    }
}

extension Vehicle {
    /// The address, or "lat, lon" with 5 decimals; nil where neither is known.
    public var location: String? {
        if let address, !address.isEmpty { return address }
        guard let latitude, let longitude else { return nil }
        return "\(fiveDecimals(latitude)), \(fiveDecimals(longitude))"
    }
}

extension VehicleStatus {
    /// What a vehicle with this newest status counts as at `at`; the rule of `Vehicle.status(at:offlineAfter:)` for who
    /// has the two values at hand.
    @inlinable
    package static func effective(
        _ status: VehicleStatus?, observedAt: Instant?, at: Instant, offlineAfter: ElapsedTime
    ) -> VehicleStatus? {
        guard let status, let observedAt else { return nil }
        if status == .ignitionOff { return status }
        return at.milliseconds - observedAt.milliseconds >= offlineAfter.milliseconds ? .offline : status
    }
}
