import Messages
import Producers
import Testing
import Timelines

@Suite("What goes wrong in a fleet")
struct FleetFaultsTests {
    private let start = Instant(milliseconds: 1_790_000_000_000)

    /// The vehicle and time of a record, as the pipeline reads them; `nil` if the record cannot be read.
    private func read(_ records: [SourceRecord]) -> [(vehicleId: String, observedAt: Instant)?] {
        var reader = TelemetryReader()
        return records.map { record in
            record.value!.withUnsafeBytes { bytes in
                let view = try? reader.read(bytes)
                return view.map { (String($0.vehicleId), $0.observedAt) }
            }
        }
    }

    @Test("a little of it comes late, by 5 to 40 s; a little comes twice; a little cannot be read")
    func shares() throws {
        let records = try FleetSimulator(count: 16, seed: 3, start: start, rate: 10).records(40_000)
        let read = read(records)
        let broken = read.filter { $0 == nil }.count
        #expect((50...150).contains(broken), "\(broken)")
        let delays = zip(records, read).compactMap { record, read in read.map { record.due! - $0.observedAt } }
        let late = delays.filter { $0 >= .seconds(5) }
        #expect((200...1000).contains(late.count), "\(late.count)")
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .seconds(45) })
        var seen: Set<[UInt8]> = []
        let duplicates = records.filter { !seen.insert($0.value!).inserted }.count
        #expect((100...400).contains(duplicates), "\(duplicates)")
    }

    @Test("of twenty vehicles at 20 records a second a broken one comes within the first 15 seconds")
    func soon() throws {
        let records = try FleetSimulator(count: 20, seed: 1, start: start, rate: 20).records(300)
        #expect(read(records).contains { $0 == nil })
    }

    @Test("one vehicle of a hundred has a wrong clock: far ahead, three hours behind, two hours ahead")
    func clocks() throws {
        let records = try FleetSimulator(count: 300, seed: 1, start: start, rate: 100).records(3000)
        var wrong: [String: ElapsedTime] = [:]
        for (record, read) in zip(records, read(records)) {
            guard let read else { continue }
            let difference = read.observedAt - record.due!
            if difference > .minutes(1) || difference < ElapsedTime(milliseconds: -60_000) {
                wrong[read.vehicleId] = difference
            }
        }
        #expect(wrong.keys.sorted() == ["vehicle-0017", "vehicle-0117", "vehicle-0217"])
        #expect(wrong["vehicle-0017"]! > .hours(24 * 365 * 60))
        #expect(wrong["vehicle-0117"]! < .zero && wrong["vehicle-0217"]! > .zero)
    }

    @Test("without faults every record is good, in order and once")
    func none() throws {
        let records = try FleetSimulator(count: 300, seed: 1, start: start, rate: 100, hasFaults: false).records(5000)
        for (record, read) in zip(records, read(records)) { #expect(read?.observedAt == record.due) }
        #expect(Set(records.map { $0.value! }).count == records.count)
    }

    @Test("is the same, byte for byte, for the same seed")
    func deterministic() throws {
        let first = try FleetSimulator(count: 120, seed: 7, start: start, rate: 50).records(4000)
        #expect(try FleetSimulator(count: 120, seed: 7, start: start, rate: 50).records(4000) == first)
    }
}
