import Agendas
import TestSupport
import Testing
import Timelines

/// A calendar that changes at random, record by record: single events, series of every bound, overrides.
private struct RandomCalendar {
    var random: SplitMix64
    var calendar = EventCalendar()
    private var held: [Int: [EventKey]] = [:]
    private var arrival: UInt64 = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// - Returns: the UIDs of the series that have changed.
    mutating func change() throws -> Set<String> {
        let record = Int.random(in: 0..<30, using: &random)
        var events: [CalendarEvent] = []
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            let event = try event()
            if !events.contains(where: { $0.key == event.key }) { events.append(event) }
        }
        arrival += 1
        let holder = EventCalendar.Holder(record: record, arrival: arrival)
        let changed = calendar.file(events, insteadOf: held[record] ?? [], of: holder)
        held[record] = events.map(\.key)
        return changed
    }

    private mutating func event() throws -> CalendarEvent {
        let month = Int.random(in: 1...12, using: &random)
        let day = "2019-\(month < 10 ? "0" : "")\(month)-\(Int.random(in: 10...28, using: &random))"
        let rules = [
            "FREQ=DAILY;COUNT=3", "FREQ=WEEKLY;COUNT=30;BYDAY=MO,WE", "FREQ=MONTHLY;COUNT=9", "FREQ=YEARLY;COUNT=3",
            "FREQ=WEEKLY;UNTIL=20190801T000000Z", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=MONTHLY;COUNT=4;BYDAY=5MO",
            "FREQ=HOURLY;INTERVAL=7;COUNT=40", "FREQ=DAILY;UNTIL=20190401", "FREQ=MONTHLY;COUNT=6;BYMONTHDAY=31",
        ]
        var lines: [String] = []
        let original = Int.random(in: 0..<4, using: &random) == 0 ? "\(day)T09:00:00" : nil
        if original == nil, Bool.random(using: &random) {
            lines.append("RRULE:\(rules.randomElement(using: &random)!)")
            if Int.random(in: 0..<4, using: &random) == 0 { lines.append("RDATE:20181111T080000,20200202T080000") }
        }
        let zones = ["Pacific/Auckland", "America/Los_Angeles", nil]
        return try AgendasTests.event(
            "u\(Int.random(in: 0..<40, using: &random))", of: original, start: "\(day)T09:00:00",
            duration: ["PT1H", "P3D", "P40D"].randomElement(using: &random)!,
            zone: zones.randomElement(using: &random)!,
            title: "\(arrival)", sequence: Int.random(in: 0..<3, using: &random), recurrence: lines)
    }
}

@Test(
    "A window that is kept up while a calendar changes is what the calendar comes to",
    arguments: 1...8 as ClosedRange<UInt64>)
func keptWindows(_ seed: UInt64) throws {
    var world = RandomCalendar(seed: seed)
    let zones = [LocalCalendar.utc, try zone("Asia/Tokyo"), try zone("America/New_York")]
    let lead = try #require(CalendarDuration(iso8601: "PT30M"))
    let windows = zones.flatMap { zone in
        ["2019-03-30T12:00:00Z", "2019-08-01T12:00:00Z", "2020-02-01T00:00:00Z", "2021-03-01T00:00:00Z"].map {
            AgendaWindow(at: at($0), days: 10, preEventLead: lead, in: zone)
        }
    }
    var kept = windows.map { WindowAgenda($0, of: world.calendar) }
    var seen = 0
    for round in 0..<40 {
        let changed = try world.change()
        for index in kept.indices {
            let before = kept[index].placed
            let isOther = kept[index].update(changed, of: world.calendar)
            #expect(isOther == (kept[index].placed != before))
            #expect(kept[index].placed == WindowAgenda(windows[index], of: world.calendar).placed)
        }
        guard round % 10 == 9 else { continue }
        for zone in zones {
            // By way of a stretch of time in which every series lies.
            let all = world.calendar.occurrences(
                from: at("2017-01-01T00:00:00Z"), to: at("2023-01-01T00:00:00Z"), in: zone)
            for (window, kept) in zip(windows, kept) where window.calendar.timeZone == zone.timeZone {
                #expect(kept.placed.map(\.occurrence) == all.filter(window.includes))
                seen += kept.placed.count
            }
        }
    }
    #expect(seen > 100)
}

@Test("A change expands its own series alone, and only where that can lie in the window")
func expansions() throws {
    var calendar = EventCalendar()
    func file(_ record: Int, _ day: String) throws -> Set<String> {
        let event = try event("e\(record)", start: "\(day)T09:00:00Z", duration: "PT1H")
        return calendar.file(
            [event], insteadOf: [event.key], of: EventCalendar.Holder(record: record, arrival: UInt64(record)))
    }
    for record in 0..<100 { _ = try file(record, record < 50 ? "2019-02-04" : "2019-05-04") }
    let lead = try #require(CalendarDuration(iso8601: "PT0S"))
    let window = AgendaWindow(at: at("2019-02-04T00:00:00Z"), days: 2, preEventLead: lead, in: .utc)
    var expanded: [String] = []
    var agenda = WindowAgenda(window, of: calendar) { expanded.append($0) }
    #expect(expanded.count == 50 && agenda.placed.count == 50)
    expanded = []
    #expect(agenda.update(try file(70, "2019-02-05"), of: calendar) { expanded.append($0) })
    #expect(expanded == ["e70"] && agenda.placed.count == 51)
    expanded = []
    #expect(agenda.update(try file(3, "2019-06-05"), of: calendar) { expanded.append($0) })
    #expect(expanded == [] && agenda.placed.count == 50)
    #expect(try file(3, "2019-06-05").isEmpty)
}

@Test("A lead that an event names brings it into windows long before its start")
func leads() throws {
    var calendar = EventCalendar()
    let start = try time("2019-03-01T09:00:00Z")
    calendar.apply(
        try CalendarEvent(
            calendarId: "c", uid: "e", title: "", start: start, preEventLead: CalendarDuration(iso8601: "P20D")))
    let window = AgendaWindow(
        at: at("2019-02-08T00:00:00Z"), days: 2, preEventLead: CalendarDuration(days: 0), in: .utc)
    #expect(WindowAgenda(window, of: calendar).placed.map(\.start) == [at("2019-03-01T09:00:00Z")])
}

@Test("Of an event that several records hold the newest is shown, whatever the order in which they come and go")
func holders() throws {
    let versions = try [
        event(start: "2019-02-04T09:00:00Z", title: "0"),
        event(start: "2019-02-04T09:00:00Z", title: "dated", updatedAt: "2019-01-01T00:00:00Z"),
        event(start: "2019-02-04T09:00:00Z", title: "1", sequence: 1),
        event(start: "2019-02-04T09:00:00Z", title: "later 1", sequence: 1),
    ]
    var random = SplitMix64(seed: 3)
    for _ in 0..<200 {
        var calendar = EventCalendar()
        for record in versions.indices.shuffled(using: &random) {
            _ = calendar.file([versions[record]], insteadOf: [], of: .init(record: record, arrival: UInt64(record)))
        }
        var left = Set(versions.indices)
        while let newest = left.max() {
            #expect(calendar.events.map(\.title) == [versions[newest].title])
            let gone = try #require(left.randomElement(using: &random))
            let changed = calendar.file([], insteadOf: [versions[gone].key], of: .init(record: gone, arrival: 9))
            #expect(changed.isEmpty == (gone != newest))
            left.remove(gone)
        }
        #expect(calendar.isEmpty)
    }
}

@Test("A series with COUNT is found in the window of its last instance, however many periods had none")
func lastOfCount() throws {
    let calendar = calendar(
        try event("31st", start: "2019-01-31T09:00:00Z", recurrence: ["RRULE:FREQ=MONTHLY;COUNT=9"]),
        try event("leap", start: "2020-02-29T09:00:00Z", recurrence: ["RRULE:FREQ=YEARLY;COUNT=3"]),
        try event("gap", start: "2019-03-24T02:30:00", zone: "Europe/Berlin", recurrence: ["RRULE:FREQ=WEEKLY;COUNT=2"])
    )
    for (uid, last) in [("31st", "2020-03-31"), ("leap", "2028-02-29"), ("gap", "2019-04-07")] {
        let window = AgendaWindow(
            at: at("\(last)T12:00:00Z"), days: 1, preEventLead: CalendarDuration(days: 0), in: .utc)
        #expect(WindowAgenda(window, of: calendar).placed.map(\.occurrence.uid) == [uid])
    }
}
