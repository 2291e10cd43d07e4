/// The state of a vehicle (M3).
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
    /// The vehicle's name in telemetry and configurations.
    public var vehicleId: String
    /// The number plate.
    public var registration: String?
    /// The name that people gave the vehicle.
    public var alias: String?
    /// The icon that is shown beside the address.
    public var customAddressIcon: String?
    /// The newest status that telemetry said; silence is no part of it, see `status(at:offlineAfter:)`.
    public var status: VehicleStatus?
    /// The speed in km/h.
    public var speed: Double?
    /// Degrees north of the equator, in WGS 84.
    public var latitude: Double?
    /// Degrees east of Greenwich, in WGS 84.
    public var longitude: Double?
    /// The direction in degrees clockwise from north.
    public var heading: Double?
    /// The address of the position, as telemetry says it.
    public var address: String?
    /// The instant at which the status and position were observed; `nil` until the first such record.
    public var observedAt: Instant?
    /// Values of several dates, such as a forecast: ascending by name (UTF-8 bytes), each series ascending by time.
    public var series: [Series]

    /// A vehicle of which nothing else is known.
    public init(vehicleId: String) {
        self.vehicleId = vehicleId
        self.series = []
    }

    /// The values of one name.
    public struct Series: Hashable, Sendable {
        /// The name, as telemetry says it.
        public var name: String
        /// The values, ascending by time.
        public var points: [Point]

        /// A series of this name.
        public init(name: String, points: [Point]) {
            self.name = name
            self.points = points
        }
    }

    /// A value from one instant on.
    public struct Point: Hashable, Sendable {
        /// The instant from which on the value holds.
        public var at: Instant
        /// The value.
        public var value: Double

        /// A value from this instant on.
        public init(at: Instant, value: Double) {
            self.at = at
            self.value = value
        }
    }

    /// True if a status is known.
    public var hasBeenHeardOf: Bool { status != nil && observedAt != nil }
}

extension Vehicle {
    /// The status as it counts at `at`: `Offline` if the vehicle has been silent for `offlineAfter`, `nil` if it was
    /// not heard of yet (T23).
    public func status(at: Instant, offlineAfter: ElapsedTime) -> VehicleStatus? {
        VehicleStatus.effective(status, observedAt: observedAt, at: at, offlineAfter: offlineAfter)
    }

    /// True if nothing was heard of the vehicle for `offlineAfter`. With the ignition off it may be silent.
    public func isSilent(at: Instant, offlineAfter: ElapsedTime) -> Bool {
        Self.silentFrom(status, observedAt: observedAt, offlineAfter: offlineAfter).map { at >= $0 } ?? false
    }

    /// The instant from which on a vehicle with this status counts as silent if no more is heard; `nil` means that it
    /// never does.
    package static func silentFrom(
        _ status: VehicleStatus?, observedAt: Instant?, offlineAfter: ElapsedTime
    ) -> Instant? {
        guard let status, let observedAt, status != .ignitionOff else { return nil }
        return observedAt + offlineAfter
    }
}

extension TimelineEntry.VehicleView {
    /// The vehicle as an entry shows it, with the status as it counts for the timeline.
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
    /// The address, or "latitude, longitude" with 5 decimals; `nil` means that neither is known.
    public var location: String? {
        if let address, !address.isEmpty { return address }
        guard let latitude, let longitude else { return nil }
        return "\(fiveDecimals(latitude)), \(fiveDecimals(longitude))"
    }
}

extension VehicleStatus {
    /// The status as it counts at `at`, by the rule of `Vehicle.status(at:offlineAfter:)`, without a vehicle.
    @inlinable
    package static func effective(
        _ status: VehicleStatus?, observedAt: Instant?, at: Instant, offlineAfter: ElapsedTime
    ) -> VehicleStatus? {
        guard let status, let observedAt else { return nil }
        if status == .ignitionOff { return status }
        return at.milliseconds - observedAt.milliseconds >= offlineAfter.milliseconds ? .offline : status
    }
}
