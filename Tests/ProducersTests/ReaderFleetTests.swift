import Agendas
import Messages
import Positions
import Producers
import Testing
import Timelines

@Suite("The simulated readers")
struct ReaderFleetTests {
    private let start = Instant(milliseconds: 1_790_000_000_000)

    private func fleet(_ count: Int, seed: UInt64 = 1, hasFaults: Bool = true) -> ReaderFleet {
        ReaderFleet(count: count, seed: seed, start: start, every: .seconds(20), hasFaults: hasFaults)
    }

    /// What a record says; `nil` for a tombstone.
    ///
    /// - Throws: if the pipeline would refuse it.
    private func message(_ record: SourceRecord) throws -> PositionRecord? {
        var parser = JSONParser()
        return try record.value?.withUnsafeBytes { try PositionRecord.decode($0, with: &parser) }
    }

    private func decodes(_ record: SourceRecord) -> Bool {
        do {
            _ = try message(record)
            return true
        } catch {
            return false
        }
    }

    @Test("is the same, byte for byte, for the same seed; a smaller fleet is the beginning of a larger one")
    func deterministic() throws {
        let first = try fleet(6).records(800)
        #expect(try fleet(6).records(800) == first)
        #expect(try fleet(6, seed: 2).records(800) != first)
        let ids = (1...6).map { "reader-000\($0)/" }
        var same: [SourceRecord] = []
        let large = fleet(20)
        while same.count < 800, let record = large.next() {
            if ids.contains(where: { record.keyText.hasPrefix($0) }) { same.append(record) }
        }
        #expect(same == first)
    }

    @Test("records come in order of their due times, under their keys; without faults each can be read")
    func order() throws {
        let records = try fleet(12, hasFaults: false).records(4000)
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.due! <= $1.due! })
        for record in records {
            guard let message = try message(record) else { continue }
            #expect(record.keyText == PositionKey(of: message).text)
            #expect(message.position.observedAt <= record.due!)
        }
    }

    @Test("readers do everything: they scroll, change devices, go offline, come back, dismiss and sign out")
    func believable() throws {
        let records = try fleet(12, hasFaults: false).records(6000)
        let messages = try records.compactMap { try message($0) }
        #expect(Set(messages.map(\.readerId)).count == 12)
        #expect(Set(messages.map(\.deviceId)) == ["phone", "tablet", nil])
        #expect(Set(messages.map { $0.configurationId.prefix(5) }) == ["agend", "board"])
        #expect(Set(messages.map(\.position.restorationMethod)) == [.manual, .exactMatch, .temporalProximity])
        let offline = messages.filter { !$0.history.isEmpty }
        #expect(offline.count > 100)
        #expect(offline.allSatisfy { late in late.history.allSatisfy { $0.observedAt <= late.position.observedAt } })
        #expect(messages.contains { !$0.readEntries.isEmpty } && messages.contains { !$0.dismissed.isEmpty })
        let tombstones = records.filter { $0.value == nil }
        #expect((20...400).contains(tombstones.count), "\(tombstones.count)")
        #expect(tombstones.allSatisfy { $0.keyText.split(separator: "/").count >= 2 })
        #expect(messages.contains { $0.position.entryDate != nil } && messages.contains { $0.position.title == nil })
    }

    @Test("the entries are those that a timeline of the fleet's calendars has")
    func entries() throws {
        let calendars = SimulatedCalendars(fleet: 12, seed: 1, start: start, every: .hours(10))
        var parser = JSONParser()
        var rounds: Set<String> = []
        for record in try calendars.records(40) {
            let event = try record.value?.withUnsafeBytes { try CalendarEventMessage.decode($0, with: &parser) }
            guard case .instant(let begin)? = event?.start, let event else { continue }
            for phase in ["preEvent", "start", "end"] {
                rounds.insert("\(phase)/\(event.calendarId)/\(event.uid)/\(begin.rfc3339)")
            }
        }
        let soon = try fleet(12, hasFaults: false).records(100).filter { $0.due! < start + .minutes(4) }
        #expect(soon.count > 20)
        for record in soon {
            guard let message = try message(record) else { continue }
            #expect(rounds.contains(message.position.entryId), "\(message.position.entryId)")
            guard let index = message.position.index else { continue }
            #expect((0...9).contains(index))
        }
    }

    @Test("with faults some records are late, double or broken, and one phone of 20 has a wrong clock")
    func faults() throws {
        let records = try fleet(30).records(12_000)
        let broken = records.filter { !decodes($0) }
        #expect((10...120).contains(broken.count), "\(broken.count)")
        #expect(Set(records).count < records.count - 40)
        var wrong: Set<String> = []
        for record in records where decodes(record) {
            guard let message = try message(record), let due = record.due else { continue }
            if message.isFromFuture(arrival: due) { wrong.insert(record.keyText.split(separator: "/")[0] + "") }
        }
        #expect(wrong == ["reader-0008"])
    }

    @Test("devices that hear the same agree, whatever the faults")
    func agreement() throws {
        // The servers hear the records in another order, as tasks do after a rebalance.
        var records = try fleet(3).records(600).filter { $0.value != nil && decodes($0) }
        let settings = PositionSettings()
        func merged(_ records: [SourceRecord]) throws -> [String: ReaderPositions] {
            var readers: [String: ReaderPositions] = [:]
            for record in records {
                guard let message = try message(record), let due = record.due else { continue }
                readers[message.readerId + message.configurationId, default: ReaderPositions()]
                    .record(message, arrival: due, settings: settings)
            }
            return readers
        }
        let first = try merged(records)
        records.reverse()
        let second = try merged(records)
        #expect(first.count == second.count && first.count >= 3)
        for (reader, positions) in first {
            #expect(second[reader]?.position?.entryId == positions.position?.entryId, "\(reader)")
            #expect(second[reader]?.devices.map(\.deviceId) == positions.devices.map(\.deviceId))
            #expect(second[reader]?.readEntries == positions.readEntries)
        }
    }

    @Test("a move that is late happens now")
    func catchesUp() throws {
        var now = start
        let source = ReaderFleet(
            count: 3, seed: 1, start: start, every: .seconds(20), hasFaults: false, clock: { now })
        _ = try source.records(7)
        now = start + .hours(5)
        let late = try source.records(8)
        #expect(late.last?.due.map { $0 >= now } == true)
    }

    @Test("JSON is judged: faults are named with line, column and what is allowed")
    func judged() throws {
        let text = """
            {"readerId":"ana","configurationId":"wall","entryId":"a","observedAt":"2026-11-20T10:00:00Z"}
            {"readerId":"ana","configurationId":"wall","entryId":"a","observedAt":"yesterday"}
            {"readerId":"ana","configurationId":"wall","entryId":"a","observedAt":0,"fraction":42}
            {"readerId":"ana","entryId":"a","observedAt":0}
            {"readerId":"ana","configurationId":"wall","deviceId":"phone","deleted":true}
            {"readerId":"ana","configurationId":"wall","entryId":"a","observedAt":0,"history":[{"entryId":"b"}]}
            """
        let inputs = try Inputs()
        let file = try inputs.file("in.json", text)
        let judge = InputJudge(.positions)
        let check = try JSONCheck(InputFile(file), content: .positions, judge: judge)
        let problems = check.problems.lines.map { $0.replacing(/^.*in.json:/, with: "") }
        #expect(check.records == 2 && check.faulty == 4)
        for (problem, begin) in zip(
            problems,
            [
                "2:58: observedAt: ", "3:73: fraction: must be a number from 0 to 1", "4:1: configurationId",
                "6:73: history[0].observedAt: is missing",
            ])
        {
            #expect(problem.hasPrefix(begin), "\(problem)")
        }
        #expect(problems.count == 4)
    }

    @Test("JSON has keys of reader, configuration and device, percent-encoded, tombstones too")
    func keys() throws {
        let inputs = try Inputs()
        let text = """
            {"readerId":"a/b","configurationId":"100%","deviceId":17}
            {"readerId":"ana","configurationId":"wall","deviceId":""}
            {"readerId":"ana","configurationId":"wall","deviceId":"tv","deleted":true}
            """
        let records = try JSONReplay(file: try inputs.file("in.json", text), content: .positions).records()
        #expect(records.map(\.keyText) == ["a%2Fb/100%25/17", "ana/wall", "ana/wall/tv"])
        #expect(records.map { $0.value == nil } == [false, false, true])
    }
}
