package import Timelines

/// A telemetry record as producers make it (M3).
package struct TelemetryMessage: Hashable, Sendable {
    package var vehicleId: String
    package var observedAt: Instant
    package var status: VehicleStatus?
    package var ignition: Bool?
    /// km/h
    package var speed: Double?
    /// Degrees, WGS 84.
    package var latitude: Double?
    package var longitude: Double?
    /// Degrees clockwise from north.
    package var heading: Double?
    package var address: String?
    package var customAddressIcon: String?
    package var registration: String?
    package var alias: String?
    /// Written where there are any.
    package var series: [Vehicle.Series] = []

    package init(vehicleId: String, observedAt: Instant) {
        self.vehicleId = vehicleId
        self.observedAt = observedAt
    }

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
        if !series.isEmpty { json.series("series", series) }
        json.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func series(_ key: StaticString, _ series: [Vehicle.Series]) {
        self.key(key)
        beginObject()
        for series in series {
            self.key(named: series.name)
            beginArray()
            for point in series.points {
                beginObject()
                instant("at", point.at)
                number("value", point.value)
                endObject()
            }
            endArray()
        }
        endObject()
    }
}
