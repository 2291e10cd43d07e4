package import Timelines

/// A telemetry record as producers make it (M3).
package struct TelemetryMessage: Hashable, Sendable {
    package var vehicleId: String
    package var observedAt: Instant
    package var status: VehicleStatus?
    package var ignition: Bool?
    /// Speed in km/h.
    package var speed: Double?
    /// Latitude in degrees (WGS 84), from -90 to 90.
    package var latitude: Double?
    /// Longitude in degrees (WGS 84), from -180 to 180.
    package var longitude: Double?
    /// Heading in degrees clockwise from north.
    package var heading: Double?
    package var address: String?
    package var customAddressIcon: String?
    package var registration: String?
    package var alias: String?
    /// Levels and other numbers over time, ascending by time; left out of the JSON if empty.
    package var series: [Vehicle.Series] = []

    package init(vehicleId: String, observedAt: Instant) {
        self.vehicleId = vehicleId
        self.observedAt = observedAt
    }

    /// Writes the value of the record (M3); fields that are `nil` are left out.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("vehicleId", vehicleId)
        json.instant("observedAt", observedAt)
        json.string("status", status?.rawValue)
        json.bool("ignition", ignition)
        json.number("speed", speed)
        json.number("latitude", latitude)
        json.number("longitude", longitude)
        json.number("heading", heading)
        json.string("address", address)
        json.string("customAddressIcon", customAddressIcon)
        json.string("registration", registration)
        json.string("alias", alias)
        json.object("series", series.isEmpty ? nil : series) { json, series in
            for series in series { json.points(of: series) }
        }
        json.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func points(of series: Vehicle.Series) {
        key(named: series.name)
        beginArray()
        for point in series.points {
            beginObject()
            instant("at", point.at)
            number("value", point.value)
            endObject()
        }
        endArray()
    }
}
