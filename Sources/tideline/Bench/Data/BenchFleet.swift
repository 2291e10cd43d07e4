import Messages
import Producers
import SplitMix
import Timelines

/// The telemetry of a fleet, drawn from a seed: each vehicle reports every five seconds of data time, its status
/// changes about once in 60 reports, and one report in 200 is late.
final class BenchFleet: RecordSource {
    private var draws = SplitMix64(seed: 1)
    private var vehicles: [Vehicle]
    private let count: Int
    private var sent = 0

    private struct Vehicle {
        var at: Instant
        var latitude: Double
        var longitude: Double
        /// `nil` before the first report.
        var status: Int?
    }

    private static let statuses = ["Moving", "Idling", "Stopped", "IgnitionOff"]
    /// 2026-11-20T06:00:00Z.
    private static let begin = Instant(milliseconds: 1_795_154_400_000)

    /// - Parameter records: so many reports are made in all.
    init(vehicles count: Int, records: Int) {
        self.count = records
        vehicles = []
        vehicles.reserveCapacity(count)
        for _ in 0..<count {
            vehicles.append(
                Vehicle(
                    at: Self.begin + ElapsedTime(milliseconds: .random(in: 0..<5000, using: &draws)),
                    latitude: 52 + .random(in: 0..<1, using: &draws),
                    longitude: 13 + .random(in: 0..<1, using: &draws)))
        }
    }

    var fractionDone: Double? { Double(sent) / Double(max(count, 1)) }

    func next() -> SourceRecord? {
        guard sent < count else { return nil }
        sent += 1
        let number = Int.random(in: vehicles.indices, using: &draws)
        var vehicle = vehicles[number]
        defer { vehicles[number] = vehicle }
        let isNew = vehicle.status == nil || Int.random(in: 0..<60, using: &draws) == 0
        let status = isNew ? ((vehicle.status ?? 0) + Int.random(in: 1...3, using: &draws)) % 4 : vehicle.status ?? 0
        vehicle.status = status
        vehicle.at = vehicle.at + .seconds(5)
        var speed = 0.0
        if status == 0 {
            speed = .random(in: 20..<110, using: &draws)
            vehicle.latitude += .random(in: -0.0005..<0.0005, using: &draws)
            vehicle.longitude += .random(in: -0.0005..<0.0005, using: &draws)
        }
        let isLate = Int.random(in: 0..<200, using: &draws) == 0
        let report = Self.report(
            of: number, at: isLate ? vehicle.at - .seconds(12) : vehicle.at,
            status: Self.statuses[isLate ? (status + 1) % 4 : status], speed: speed, latitude: vehicle.latitude,
            longitude: vehicle.longitude, heading: Int.random(in: 0..<360, using: &draws))
        return SourceRecord(key: Self.vehicleId(number), value: report)
    }

    static func vehicleId(_ number: Int) -> [UInt8] { Array("vehicle-\(number)".utf8) }

    /// One report, of about 185 bytes.
    static func report(
        of number: Int, at instant: Instant, status: String, speed: Double, latitude: Double, longitude: Double,
        heading: Int
    ) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 256)
        json.beginObject()
        json.string("vehicleId", "vehicle-\(number)")
        json.instant("observedAt", instant)
        json.string("status", status)
        json.number("speed", (speed * 10).rounded() / 10)
        json.number("latitude", (latitude * 1e6).rounded() / 1e6)
        json.number("longitude", (longitude * 1e6).rounded() / 1e6)
        json.integer("heading", heading)
        json.string("registration", "B-TL \(number)")
        json.endObject()
        return json.bytes
    }
}

/// Records by their numbers, from 0.
final class BenchRecords: RecordSource {
    private let count: Int
    private let make: (_ number: Int) -> SourceRecord
    private var sent = 0

    init(_ count: Int, make: @escaping (_ number: Int) -> SourceRecord) {
        self.count = count
        self.make = make
    }

    var fractionDone: Double? { Double(sent) / Double(max(count, 1)) }

    func next() -> SourceRecord? {
        guard sent < count else { return nil }
        defer { sent += 1 }
        return make(sent)
    }
}
