import Agendas
import Messages
import Producers
import RecordLog
import Simulation
import Testing
import Timelines

@Suite("The simulated calendars")
struct SimulatedCalendarsTests {
    private let start = Instant(milliseconds: 1_790_000_000_000)

    private func calendars(at now: Instant, published: PublishedEvents? = nil) -> SimulatedCalendars {
        SimulatedCalendars(fleet: 12, seed: 1, start: now, every: .seconds(20), published: published)
    }

    private func event(_ record: SourceRecord) throws -> CalendarEvent? {
        var parser = JSONParser()
        return try record.value?.withUnsafeBytes { try CalendarEventMessage.decode($0, with: &parser) }
    }

    /// All records that are due until then.
    private func records(_ source: SimulatedCalendars, until end: Instant) -> [SourceRecord] {
        var records: [SourceRecord] = []
        while let record = source.next(), record.due! <= end { records.append(record) }
        return records
    }

    @Test("whenever it begins, an announcement, a start and an end of a round come within two minutes")
    func near() throws {
        for minute in 0..<8 {
            let now = start + .seconds(Int64(minute) * 37)
            var (leads, starts, ends, titles) = (0, 0, 0, Set<String>())
            for record in records(calendars(at: now), until: now) {
                let event = try #require(try event(record))
                #expect(event.key.text == record.keyText)
                titles.insert(event.title)
                guard case .instant(let begin) = event.start, case .at(.instant(let end)) = event.end else { continue }
                #expect(event.preEventLead == .minutes(1) && event.vehicleId?.hasPrefix("vehicle-00") == true)
                let soon = now...(now + .minutes(2))
                if soon.contains(begin - .minutes(1)) { leads += 1 }
                if soon.contains(begin) { starts += 1 }
                if soon.contains(end) { ends += 1 }
            }
            #expect(leads > 0 && starts > 0 && ends > 0, "\(now.rfc3339)")
            #expect(titles.contains("Drivers' briefing"))
        }
    }

    @Test("afterwards events are moved, renamed, cancelled, confirmed and added, and the versions go up")
    func changes() throws {
        let source = calendars(at: start)
        var known: [String: CalendarEvent] = [:]
        var (moved, renamed, cancelled, confirmed, added, tentative) = (0, 0, 0, 0, 0, 0)
        for record in records(source, until: start + .minutes(10)) {
            guard let event = try event(record) else { continue }
            defer { known[record.keyText] = event }
            if event.status == .tentative { tentative += 1 }
            guard let before = known[record.keyText] else {
                if event.uid.hasPrefix("extra-") { added += 1 }
                continue
            }
            #expect(event.sequence == before.sequence + 1 && event.updatedAt == record.due)
            if event.start != before.start { moved += 1 }
            if event.title != before.title { renamed += 1 }
            if event.status == .cancelled { cancelled += 1 }
            if before.status == .tentative && event.status == .confirmed { confirmed += 1 }
        }
        for count in [moved, renamed, cancelled, confirmed, added, tentative] { #expect(count > 0) }
    }

    @Test("there is always a next round, and what was over for an hour is removed")
    func goesOn() throws {
        let end = start + .hours(4)
        var known: [String: CalendarEvent] = [:]
        for record in records(calendars(at: start), until: end) { known[record.keyText] = try event(record) }
        for calendarId in FleetCalendars.all {
            let coming = known.values.filter { event in
                guard event.calendarId == calendarId, case .instant(let begin) = event.start else { return false }
                return begin > end && begin < end + .minutes(6)
            }
            #expect(!coming.isEmpty)
        }
        let old = known.values.filter { event in
            guard case .instant(let begin) = event.start else { return false }
            return begin < end - .hours(2)
        }
        #expect(old.isEmpty && known.count < 150)
    }

    @Test("started again, it sends no event that the topic holds, and newer versions of the others")
    func restart() throws {
        let cluster = MemoryCluster()
        try cluster.makeAdmin().createTopic(
            NewTopic(name: "e", partitions: 3, settings: [.init("cleanup.policy", "compact")]), timeout: .seconds(1))
        let producer = try cluster.makePlainProducer(clientId: "test")
        let middle = start + .minutes(7)
        let first = records(calendars(at: start), until: middle)
        _ = try Publisher(producer: producer, clock: SteppingClock()).publish(ListSource(first), to: "e")
        let ids = Set(FleetCalendars.all.map { Array($0.utf8) })
        let published = try #require(
            try PublishedEvents.read(topic: "e", calendars: ids, of: cluster, clock: SteppingClock()))

        var known: [String: CalendarEvent] = [:]
        for record in first { known[record.keyText] = try event(record) }
        var changed = 0
        for record in records(calendars(at: middle, published: published), until: middle + .minutes(5)) {
            guard let event = try event(record) else { continue }
            if let before = known[record.keyText] {
                #expect(event.sequence > before.sequence, "\(record.keyText)")
                #expect(event.updatedAt! >= before.updatedAt!)
                changed += 1
            }
            known[record.keyText] = event
        }
        #expect(changed > 0)
    }

    @Test("all of it may be one calendar")
    func oneCalendar() throws {
        let source = SimulatedCalendars(
            fleet: 3, seed: 1, calendarIds: ["rounds"], start: start, every: .seconds(20))
        #expect(try source.records(60).allSatisfy { $0.keyText.hasPrefix("rounds/") })
    }
}
