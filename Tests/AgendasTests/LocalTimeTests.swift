import Agendas
import TestSupport
import Testing
import Timelines

// Berlin skips 02:00 to 03:00 on 2019-03-31 and shows it twice on 2019-10-27.

@Test("A single start in a gap takes the offset before it, an end that lands before its start means no length")
func singleInGap() throws {
    let events = calendar(
        try event("a", start: "2019-03-31T02:30:00", end: "2019-03-31T03:00:00", zone: "Europe/Berlin"),
        try event("b", start: "2019-03-31T02:30:00", end: "2019-03-31T04:00:00", zone: "Europe/Berlin"))
    #expect(
        try events.extents("2019-03-31T00:00:00Z", "2019-04-01T00:00:00Z") == [
            "2019-03-31T01:30:00Z/2019-03-31T01:30:00Z", "2019-03-31T01:30:00Z/2019-03-31T02:00:00Z",
        ])
}

@Test("An instance that only a rule makes does not exist in a gap and is not counted")
func ruleInGap() throws {
    let series = calendar(
        try event(
            start: "2019-03-30T02:30:00", zone: "Europe/Berlin", recurrence: ["RRULE:FREQ=DAILY;COUNT=3"]))
    #expect(
        try series.starts("2019-03-01T00:00:00Z", "2019-05-01T00:00:00Z", in: "Europe/Berlin")
            == ["2019-03-30T02:30:00", "2019-04-01T02:30:00", "2019-04-02T02:30:00"])
}

@Test("The start of a series and an RDATE exist in a gap, with the offset before it")
func namedInGap() throws {
    let series = calendar(
        try event("a", start: "2019-03-31T02:30:00", zone: "Europe/Berlin", recurrence: ["RRULE:FREQ=DAILY;COUNT=2"]),
        try event("b", start: "2019-03-01T02:30:00", zone: "Europe/Berlin", recurrence: ["RDATE:20190331T023000"]))
    #expect(
        try series.starts("2019-03-31T00:00:00Z", "2019-05-01T00:00:00Z", in: "UTC")
            == ["2019-03-31T01:30:00", "2019-03-31T01:30:00", "2019-04-01T00:30:00"])
}

@Test("A series keeps its wall-clock time over a change of the clocks, and a time shown twice is the first one")
func overChange() throws {
    let series = calendar(
        try event(
            start: "2019-10-26T02:30:00", duration: "PT30M", zone: "Europe/Berlin",
            recurrence: ["RRULE:FREQ=DAILY;COUNT=3"]))
    #expect(
        try series.extents("2019-10-01T00:00:00Z", "2019-11-01T00:00:00Z") == [
            "2019-10-26T00:30:00Z/2019-10-26T01:00:00Z", "2019-10-27T00:30:00Z/2019-10-27T01:00:00Z",
            "2019-10-28T01:30:00Z/2019-10-28T02:00:00Z",
        ])
}

@Test("Days of a duration are local days, its rest and the length to a said end are elapsed time")
func lengths() throws {
    let daily = ["RRULE:FREQ=DAILY;COUNT=2"]
    let events = calendar(
        try event("day", start: "2019-03-29T12:00:00", duration: "P1D", zone: "Europe/Berlin", recurrence: daily),
        try event("hours", start: "2019-03-29T12:00:00", duration: "PT24H", zone: "Europe/Berlin", recurrence: daily),
        try event(
            "said", start: "2019-03-29T12:00:00", end: "2019-03-30T12:00:00", zone: "Europe/Berlin", recurrence: daily),
        try event("gap", start: "2019-03-30T02:30:00", duration: "P1D", zone: "Europe/Berlin"))
    let found = events.occurrences(from: at("2019-03-29T00:00:00Z"), to: at("2019-04-02T00:00:00Z"), in: .utc)
    let ends = Dictionary(grouping: found, by: \.uid).mapValues { $0.map { String($0.extent.suffix(20)) } }
    #expect(ends["day"] == ["2019-03-30T11:00:00Z", "2019-03-31T10:00:00Z"])
    #expect(ends["hours"] == ["2019-03-30T11:00:00Z", "2019-03-31T11:00:00Z"])
    #expect(ends["said"] == ["2019-03-30T11:00:00Z", "2019-03-31T11:00:00Z"])
    #expect(ends["gap"] == ["2019-03-31T01:30:00Z"])
}

@Test("Floating times and all-day events are those of whoever looks")
func floating() throws {
    let events = calendar(
        try event("day", start: "2019-02-10"), try event("float", start: "2019-02-10T09:00:00", duration: "PT1H"),
        try event("until", start: "2019-02-08T23:00:00", recurrence: ["RRULE:FREQ=DAILY;UNTIL=20190210T230000"]))
    #expect(
        try events.extents("2019-02-10T05:00:00Z", "2019-02-11T05:00:00Z", in: "America/New_York")
            == [
                "2019-02-10/2019-02-11", "2019-02-10T14:00:00Z/2019-02-10T15:00:00Z",
                "2019-02-11T04:00:00Z/2019-02-11T04:00:00Z",
            ])
    #expect(
        try events.extents("2019-02-09T15:00:00Z", "2019-02-10T12:00:00Z", in: "Asia/Tokyo")
            == ["2019-02-10/2019-02-11", "2019-02-10T00:00:00Z/2019-02-10T01:00:00Z"])
}

@Test("All-day series repeat by dates: UNTIL counts by its day, ends are exclusive, a missing end is one day")
func allDaySeries() throws {
    let events = calendar(
        try event(
            start: "2019-03-30", end: "2019-04-01",
            recurrence: ["RRULE:FREQ=WEEKLY;UNTIL=20190413", "EXDATE;VALUE=DATE:20190406"]))
    #expect(
        try events.extents("2019-03-01T00:00:00Z", "2019-05-01T00:00:00Z", in: "Europe/Berlin")
            == ["2019-03-30/2019-04-01", "2019-04-13/2019-04-15"])
}

@Test("A window takes what overlaps it, and of no length what starts in it")
func window() throws {
    let events = calendar(
        try event("before", start: "2019-02-10T08:00:00Z", end: "2019-02-10T09:00:00Z"),
        try event("into", start: "2019-02-10T08:00:00Z", end: "2019-02-10T09:00:01Z"),
        try event("point", start: "2019-02-10T09:00:00Z"), try event("after", start: "2019-02-10T10:00:00Z"))
    let found = events.occurrences(from: at("2019-02-10T09:00:00Z"), to: at("2019-02-10T10:00:00Z"), in: .utc)
    #expect(found.map(\.uid) == ["into", "point"])
}

@Test("Occurrences of one instant are in the order of the UTF-8 bytes of their uids")
func order() throws {
    let uids = ["b", "B", "é", "z", "a"]
    var events = EventCalendar()
    for uid in uids { events.apply(try event(uid, start: "2019-02-10T08:00:00Z")) }
    let found = events.occurrences(from: at("2019-02-10T00:00:00Z"), to: at("2019-02-11T00:00:00Z"), in: .utc)
    #expect(found.map(\.uid) == ["B", "a", "b", "z", "é"])
}

@Test("Days of an event's own lead are local days of its zone, whoever shows it; without a zone, the viewer's")
func leadInTheEventsZone() throws {
    // New York's clocks go back on 1 November 2026, Berlin's went on 25 October.
    func announcement(zone name: String?, lead: String) throws -> String {
        let start = name == nil ? "2026-11-01T17:00:00Z" : "2026-11-01T12:00:00"
        let events = calendar(try event(start: start, duration: "PT1H", zone: name, lead: lead))
        let berlin = try zone("Europe/Berlin")
        let occurrences = events.occurrences(
            from: at("2026-11-01T00:00:00Z"), to: at("2026-11-02T00:00:00Z"), in: berlin)
        let lead = try #require(occurrences.first?.preEventLead)
        return berlin.subtracting(lead, from: berlin.interval(of: occurrences[0].when).start).rfc3339
    }
    #expect(try announcement(zone: "America/New_York", lead: "P1D") == "2026-10-31T16:00:00Z")
    #expect(try announcement(zone: "America/New_York", lead: "P1DT1H") == "2026-10-31T15:00:00Z")
    #expect(try announcement(zone: nil, lead: "P1D") == "2026-10-31T17:00:00Z")
    #expect(try announcement(zone: "America/New_York", lead: "PT24H") == "2026-10-31T17:00:00Z")
}
