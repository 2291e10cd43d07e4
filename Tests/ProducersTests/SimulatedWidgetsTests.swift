import Messages
import Producers
import Testing
import Timelines

@Suite("The simulated widgets")
struct SimulatedWidgetsTests {
    private let start = Instant(milliseconds: 1_790_000_000_000)

    private func widgets(_ fleet: Int, seed: UInt64 = 1) -> SimulatedWidgets {
        SimulatedWidgets(fleet: fleet, seed: seed, start: start, every: .seconds(20))
    }

    private func message(_ record: SourceRecord) throws -> ConfigurationMessage? {
        var parser = JSONParser()
        return try record.value?.withUnsafeBytes { try ConfigurationMessage.decode($0, with: &parser) }
    }

    @Test("each vehicle has a status widget, and agendas show the fleet's calendars; all of them can be used")
    func beginning() throws {
        let records = try widgets(12).records(19)
        #expect(records.allSatisfy { $0.due == start })
        var vehicles: Set<String> = []
        var calendars: Set<String> = []
        var recipients: [String: Int] = [:]
        var families: Set<WidgetFamily> = []
        var timeZones: Set<String> = []
        for record in records {
            guard case .usable(let widget) = try message(record) else {
                Issue.record("\(record.keyText)")
                continue
            }
            #expect(widget.configurationId == record.keyText)
            if widget.kind == "TrackerStatusWidget" { vehicles.insert(widget.vehicleId ?? "") }
            if widget.kind == "AgendaWidget" { calendars.formUnion(widget.calendarIds) }
            recipients[widget.recipient, default: 0] += 1
            families.insert(widget.family)
            timeZones.insert(widget.timeZone)
        }
        #expect(vehicles == Set(FleetSimulator(count: 12, seed: 1, start: start).vehicleIds))
        #expect(calendars == Set(FleetCalendars.all))
        #expect(recipients["phone-0001"] == 4 && families.count >= 4 && timeZones.count >= 4)
    }

    @Test("afterwards something happens every twenty seconds, each kind of thing within two minutes, and is undone")
    func changes() throws {
        let source = widgets(12)
        var latest: [String: SourceRecord] = [:]
        var beginning: [String: SourceRecord] = [:]
        for record in try source.records(19) { (latest[record.keyText], beginning[record.keyText]) = (record, record) }
        var (signedOut, others, removed, mistakes) = (0, 0, 0, 0)
        while let record = source.next(), record.due! <= start + .minutes(2) {
            #expect(record.due! > start && (record.due! - start).milliseconds % 20_000 == 0)
            #expect(beginning[record.keyText] != nil, "no new keys")
            #expect(latest[record.keyText]?.value != record.value, "something has changed")
            let isBack = record.value == beginning[record.keyText]?.value
            switch try message(record) {
            case nil: removed += 1
            case .unusable?: mistakes += 1
            case .usable(let widget)?:
                if !widget.isSignedIn { signedOut += 1 }
                if !isBack && widget.isSignedIn { others += 1 }
            }
            latest[record.keyText] = record
        }
        #expect(signedOut > 0 && others > 0 && removed > 0 && mistakes > 0)
        // Everything comes back.
        let later = try source.records(200).filter { $0.due! > start + .minutes(4) }
        for key in later.map(\.keyText) {
            #expect(later.contains { $0.keyText == key && $0.value == beginning[key]?.value })
            break
        }
    }

    @Test("is the same, byte for byte, for the same seed, and another for another seed")
    func deterministic() throws {
        let first = try widgets(12).records(200)
        #expect(try widgets(12).records(200) == first)
        #expect(try widgets(12, seed: 2).records(200) != first)
    }

    @Test("a change that is late happens now")
    func catchesUp() throws {
        var now = start
        let source = SimulatedWidgets(fleet: 3, seed: 1, start: start, every: .seconds(20), clock: { now })
        _ = try source.records(7)
        now = start + .hours(5)
        #expect(source.next()?.due == now)
    }
}
