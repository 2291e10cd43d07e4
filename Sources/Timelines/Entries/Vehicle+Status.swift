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

/// Degrees with 5 decimals, rounded as C's `%.5f` does, but without a sign on zero.
func fiveDecimals(_ degrees: Double) -> String {
    let units = hundredThousandths(degrees)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(12)
    if units < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.appendDecimal(Int(units.magnitude / 100_000), digits: 1)
    bytes.append(UInt8(ascii: "."))
    bytes.appendDecimal(Int(units.magnitude % 100_000), digits: 5)
    return String(decoding: bytes, as: UTF8.self)
}

/// The value in units of the fifth decimal, rounded to the nearest by the exact value of the binary number.
func hundredThousandths(_ value: Double) -> Int64 {
    let scaled = value * 100_000
    guard scaled.magnitude < 1e15 else { return wholeNumber(scaled) }
    let below = scaled.rounded(.down)
    let fraction = scaled - below
    guard fraction == 0.5 else { return Int64(scaled.rounded()) }
    // A product that looks like a tie may have been rounded to it; what was lost decides, and a true tie goes to even.
    let lost = (-scaled).addingProduct(value, 100_000)
    if lost != 0 { return Int64(below) + (lost > 0 ? 1 : 0) }
    return Int64(scaled.rounded(.toNearestOrEven))
}

/// Rounded to the nearest whole number, within what 64 bits hold; 0 for what is not a number.
func wholeNumber(_ value: Double) -> Int64 {
    Int64(exactly: value.rounded()) ?? (value.isNaN ? 0 : value > 0 ? .max : .min)
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
