import Foundation
import Producers
import Testing
import Timelines

@Suite("The simulated fleet")
struct FleetSimulatorTests {
    private let start = Instant(milliseconds: 1_790_000_000_000)

    /// The fields of a record, read independently of the code that wrote it.
    private struct Report: Decodable {
        var vehicleId: String
        var observedAt: String
        var status: String?
        var ignition: Bool?
        var speed: Double
        var latitude: Double
        var longitude: Double
        var address: String
        var registration: String?
        var alias: String?
        var series: [String: [Point]]?

        var instant: Instant { Instant(rfc3339: observedAt)! }

        /// The status by the contract's rule.
        var derivedStatus: String {
            if let status { return status }
            if ignition == false { return "IgnitionOff" }
            if speed >= 3 { return "Moving" }
            return ignition == true ? "Idling" : "Stopped"
        }
    }

    private struct Point: Decodable {
        var at: String
        var value: Double
    }

    private func reports(_ records: [SourceRecord]) throws -> [Report] {
        try records.map { try JSONDecoder().decode(Report.self, from: Data($0.value!)) }
    }

    @Test("is the same, byte for byte, for the same seed, and another for another seed")
    func deterministic() throws {
        let first = try FleetSimulator(count: 20, seed: 7, start: start).records(3000)
        #expect(try FleetSimulator(count: 20, seed: 7, start: start).records(3000) == first)
        #expect(try FleetSimulator(count: 20, seed: 8, start: start).records(3000) != first)
    }

    @Test("a smaller fleet is the beginning of a larger one")
    func prefix() throws {
        let small = try FleetSimulator(count: 5, seed: 7, start: start).records(500)
        let large = FleetSimulator(count: 12, seed: 7, start: start)
        let ids = Set(large.vehicleIds.prefix(5))
        var same: [SourceRecord] = []
        while same.count < 500 {
            let record = large.next()!
            if ids.contains(record.keyText) { same.append(record) }
        }
        #expect(same == small)
    }

    @Test("records come in the order of their due times, and each says its vehicle's id")
    func order() throws {
        let records = try FleetSimulator(count: 30, seed: 3, start: start, hasFaults: false).records(10_000)
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.due! <= $1.due! })
        for (record, report) in zip(records, try reports(records)) {
            #expect(record.keyText == report.vehicleId)
            #expect(report.instant <= record.due! && report.instant >= start)
        }
    }

    @Test("does everything a fleet does: it drives, idles, stops, parks and charges, within the limits")
    func believable() throws {
        let records = try FleetSimulator(count: 100, seed: 11, start: start, hasFaults: false).records(40_000)
        let reports = try reports(records)
        var statuses: [String: Int] = [:]
        for report in reports { statuses[report.derivedStatus, default: 0] += 1 }
        for status in ["Moving", "Idling", "Stopped", "IgnitionOff", "Charging"] {
            #expect(statuses[status, default: 0] > 20, "\(status) in \(statuses)")
        }
        #expect(statuses["Moving"]! > reports.count / 2)
        #expect(reports.allSatisfy { (0...63).contains($0.speed) && !$0.address.isEmpty })
        #expect(reports.contains { $0.speed > 55 })
        #expect(Set(reports.map(\.address)).count > 1000)
        let named = reports.filter { $0.registration != nil && $0.alias != nil }
        #expect(Set(named.map(\.vehicleId)).count == 100)
        #expect(Set(named.map(\.registration)).count == 100)
    }

    @Test("no vehicle jumps: between two reports it goes no farther than its speed allows")
    func continuous() throws {
        try expectNoJumps(FleetSimulator(count: 40, seed: 5, start: start, hasFaults: false).records(20_000))
    }

    private func expectNoJumps(_ records: [SourceRecord]) throws {
        var last: [String: Report] = [:]
        for report in try reports(records).sorted(by: { $0.instant < $1.instant }) {
            defer { last[report.vehicleId] = report }
            guard let before = last[report.vehicleId] else { continue }
            let seconds = Double((report.instant - before.instant).milliseconds) / 1000
            let north = (report.latitude - before.latitude) * 111_320
            let east = (report.longitude - before.longitude) * 111_320 * cos(report.latitude * .pi / 180)
            let metres = (north * north + east * east).squareRoot()
            // 62.4 km/h is the fastest; 6 m are the receivers' error, twice.
            #expect(metres <= seconds * 62.4 / 3.6 + 6, "\(before) \(report)")
        }
    }

    @Test("reports every few seconds on the way and rarely when parked")
    func intervals() throws {
        let records = try FleetSimulator(count: 40, seed: 5, start: start, hasFaults: false).records(20_000)
        let end = records.last!.due! - .minutes(1)
        var last: [String: Report] = [:]
        for report in try reports(records).sorted(by: { $0.instant < $1.instant }) {
            defer { last[report.vehicleId] = report }
            // The last minute's late reports are still on their way.
            guard let before = last[report.vehicleId], before.speed > 0, report.instant < end else { continue }
            #expect(report.instant - before.instant <= .seconds(6))
        }
        #expect(records.last!.due! - start > .minutes(20), "parked vehicles are quiet")
    }

    @Test("over two days, through changes of shifts, nobody jumps and everybody goes on driving")
    func shifts() throws {
        let fleet = FleetSimulator(count: 6, seed: 9, start: start, rate: 0.1, hasFaults: false)
        let records = try fleet.records(2 * 8640)
        try expectNoJumps(records)
        let moving = try reports(records.suffix(8640)).filter { $0.derivedStatus == "Moving" }
        #expect(Set(moving.map(\.vehicleId)).count == 6)
    }

    @Test("started again later, vehicles are where they would have been")
    func restart() throws {
        let first = FleetSimulator(count: 15, seed: 5, start: start, rate: 10, hasFaults: false)
        let before = try first.records(10 * 600)
        let later = FleetSimulator(count: 15, seed: 5, start: before.last!.due!, rate: 10, hasFaults: false)
        try expectNoJumps(before + later.records(600))
    }

    @Test("with a rate sends so many a second in all, vehicle by vehicle, each with the time at which it is due")
    func rate() throws {
        let records = try FleetSimulator(count: 8, seed: 5, start: start, rate: 20, hasFaults: false).records(2000)
        for (index, record) in records.enumerated() {
            #expect(record.due == start + ElapsedTime(milliseconds: Int64(index) * 50))
        }
        for (record, report) in zip(records, try reports(records)) { #expect(report.instant == record.due) }
        var counts: [String: Int] = [:]
        for record in records { counts[record.keyText, default: 0] += 1 }
        // Who is in a garage without reception is not heard.
        #expect(counts.values.filter { $0 >= 250 }.count >= 6, "\(counts)")
    }

    @Test("with a rate counts late and double records, too")
    func rateWithFaults() throws {
        let records = try FleetSimulator(count: 8, seed: 5, start: start, rate: 20).records(2000)
        #expect(records.last!.due! - start == ElapsedTime(milliseconds: 1999 * 50))
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.due! < $1.due! })
    }

    @Test("with a rate begins when its first record is taken, so that nothing is caught up with")
    func begins() throws {
        let now = start + .seconds(3)
        let fleet = FleetSimulator(count: 8, seed: 5, start: start, rate: 20, hasFaults: false, clock: { now })
        #expect(try fleet.records(3).map { $0.due! - now } == [0, 50, 100].map { ElapsedTime(milliseconds: $0) })
    }

    @Test("goes on from now where nobody took its records for a while")
    func catchesUp() throws {
        for rate in [nil, 20.0] {
            var now = start
            let fleet = FleetSimulator(count: 8, seed: 5, start: start, rate: rate, hasFaults: false, clock: { now })
            _ = try fleet.records(100)
            now = start + .hours(3)
            let records = try fleet.records(9)
            let early = records.filter { $0.due! < now }
            #expect(early.count <= 1 && records.last!.due! - now < .minutes(1), "\(String(describing: rate))")
        }
    }

    @Test("says its batteries' and tanks' levels as series, which go down on the way")
    func series() throws {
        let records = try FleetSimulator(count: 40, seed: 5, start: start, hasFaults: false).records(20_000)
        let series = try reports(records).compactMap(\.series)
        #expect(Set(series.flatMap(\.keys)) == ["battery", "fuel"])
        let points = series.flatMap(\.values)
        #expect(points.allSatisfy { (1...6).contains($0.count) && $0.allSatisfy { (0...100).contains($0.value) } })
        #expect(points.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0.at <= $1.at } })
        #expect(points.contains { zip($0, $0.dropFirst()).contains { $0.value > $1.value } })
    }
}
