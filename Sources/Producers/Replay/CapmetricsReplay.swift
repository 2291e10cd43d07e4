import Messages
import Timelines

/// A day of city buses: `vehicle_id,timestamp,speed,route_id,trip_id,latitude,longitude,trip_headsign`.
///
/// Speed is metres per second and becomes km/h; timestamps carry their offset. The ignition is not recorded, so the
/// status follows from the speed alone. Rows are grouped by trip, and so most of a bus's rows are late.
final class CapmetricsReplay: RecordSource {
    private let table: CSVTable

    init(file: String) throws(InputProblem) {
        table = try CSVTable(
            file: file, separator: UInt8(ascii: ","),
            required: ["vehicle_id", "timestamp", "speed", "latitude", "longitude"])
    }

    var fractionDone: Double? { table.fractionDone }

    func next() throws(InputProblem) -> SourceRecord? {
        guard let row = try table.next() else { return nil }
        let vehicleId = row["vehicle_id"]
        guard !vehicleId.isEmpty else { throw row.problem("vehicle_id is empty") }
        guard let observedAt = Instant(rfc3339: row["timestamp"]) else {
            throw row.problem("timestamp is \"\(row["timestamp"])\", not a date and time with offset (RFC 3339)")
        }
        var message = TelemetryMessage(vehicleId: vehicleId, observedAt: observedAt)
        // A millionth keeps every digit of the recording and drops those of binary arithmetic.
        message.speed = try row.number("speed", in: 0...1000).map { ($0 * 3.6).rounded(digits: 6) }
        message.latitude = try row.number("latitude", in: -90...90)
        message.longitude = try row.number("longitude", in: -180...180)
        return SourceRecord(message, due: observedAt)
    }
}
