/// What a vehicle is doing (M3).
package enum VehicleStatus: String, CaseIterable, Sendable {
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
package struct Vehicle: Hashable, Sendable {
    package var vehicleId: String
    package var registration: String?
    package var alias: String?
    package var customAddressIcon: String?
    package var status: VehicleStatus?
    /// km/h
    package var speed: Double?
    /// Degrees, WGS 84.
    package var latitude: Double?
    package var longitude: Double?
    /// Degrees clockwise from north.
    package var heading: Double?
    package var address: String?
    /// When the status and position were observed; nil until the first such record.
    package var observedAt: Instant?
    /// Ascending by name (UTF-8 bytes), each series ascending by time.
    package var series: [Series]

    package init(vehicleId: String) {
        self.vehicleId = vehicleId
        self.series = []
    }

    package struct Series: Hashable, Sendable {
        package var name: String
        package var points: [Point]

        package init(name: String, points: [Point]) {
            self.name = name
            self.points = points
        }
    }

    package struct Point: Hashable, Sendable {
        package var at: Instant
        package var value: Double

        package init(at: Instant, value: Double) {
            self.at = at
            self.value = value
        }
    }

    package var hasBeenHeardOf: Bool { status != nil && observedAt != nil }
}
