import Foundation
import Producers
import Testing
import Timelines

@Suite("The simulated fleet")
struct FleetSimulatorTests {
    private let start = Instant(milliseconds: 1_790_000_000_000)

    /// What a record says, read independently of what wrote it.
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

        var instant: Instant { Instant(rfc3339: observedAt)! }

        /// By the contract's rule.
        var derivedStatus: String {
            if let status { return status }
            if ignition == false { return "IgnitionOff" }
            if speed >= 3 { return "Moving" }
            return ignition == true ? "Idling" : "Stopped"
        }
    }

    private func reports(_ records: [SourceRecord]) throws -> [Report] {
        try records.map { try JSONDecoder().decode(Report.self, from: Data($0.value!)) }
    }

    @Test("is the same, byte for byte, for the same seed, and another for another seed")
    func deterministic() throws {
        let first = try FleetSimulator(count: 20, seed: 7, start: start).take(3000)
        #expect(try FleetSimulator(count: 20, seed: 7, start: start).take(3000) == first)
        #expect(try FleetSimulator(count: 20, seed: 8, start: start).take(3000) != first)
    }

    @Test("a smaller fleet is the beginning of a larger one")
    func prefix() throws {
        let small = try FleetSimulator(count: 5, seed: 7, start: start).take(500)
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
        let records = try FleetSimulator(count: 30, seed: 3, start: start).take(10_000)
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.due! <= $1.due! })
        for (record, report) in zip(records, try reports(records)) {
            #expect(record.keyText == report.vehicleId)
            #expect(report.instant <= record.due! && report.instant >= start)
        }
    }

    @Test("a little of it comes late and out of order, and never by more than 40 s")
    func late() throws {
        let records = try FleetSimulator(count: 30, seed: 3, start: start).take(10_000)
        let delays = zip(records, try reports(records)).map { $0.due! - $1.instant }
        let late = delays.filter { $0 > .zero }
        #expect((50...400).contains(late.count))
        #expect(late.allSatisfy { $0 >= .seconds(5) && $0 <= .seconds(40) })
    }

    @Test("does everything a fleet does: it drives, idles, stops, parks and charges, within the limits")
    func believable() throws {
        let records = try FleetSimulator(count: 100, seed: 11, start: start).take(40_000)
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
        let records = try FleetSimulator(count: 40, seed: 5, start: start).take(20_000)
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
        let records = try FleetSimulator(count: 40, seed: 5, start: start).take(20_000)
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
}
