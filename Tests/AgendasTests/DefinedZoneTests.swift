import Agendas
import TestSupport
import Testing
import Timelines

/// Clocks that no IANA zone has: an hour and 17 minutes to and fro, on the days of New York.
private func ours(_ name: String = "Ours") -> [String] {
    [
        "BEGIN:VTIMEZONE", "TZID:\(name)", "X-LIC-LOCATION:Nowhere", "BEGIN:STANDARD", "DTSTART:20071104T020000",
        "TZOFFSETFROM:-0400", "TZOFFSETTO:-0517", "TZNAME:OST", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
        "END:STANDARD", "BEGIN:DAYLIGHT", "DTSTART:20070311T020000", "TZOFFSETFROM:-0517", "TZOFFSETTO:-0400",
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", "END:DAYLIGHT", "END:VTIMEZONE",
    ]
}

private func events(_ lines: [String], zone: [String] = ours()) -> ICalendarImport {
    let text = ["BEGIN:VCALENDAR", "VERSION:2.0"] + lines + zone + ["END:VCALENDAR", ""]
    return ICalendar.events(in: Array(text.joined(separator: "\r\n").utf8), calendarId: "c")
}

private func vevent(_ lines: String...) -> [String] { ["BEGIN:VEVENT", "UID:e"] + lines + ["END:VEVENT"] }

private let daily = vevent("DTSTART;TZID=Ours:20190309T090000", "DTEND;TZID=Ours:20190309T100000", "RRULE:FREQ=DAILY")

@Test("A series in a zone that only its text knows recurs there for decades, whatever the season")
func seriesOfDefinedZone() throws {
    let found = events(daily)
    #expect(found.problems == [])
    let event = try #require(found.events.first)
    #expect(event.recurrence == ["RRULE:FREQ=DAILY"] && event.timeZone == nil)
    #expect(event.start.text == "2019-03-09T09:00:00" && event.definedZone?.name == "Ours")
    let calendar = calendar(event)
    for (day, hour) in [
        ("2019-03-09", "14:17"), ("2019-03-10", "13:00"), ("2034-07-01", "13:00"), ("2035-12-31", "14:17"),
        ("2052-07-01", "13:00"), ("2052-12-01", "14:17"), ("2099-11-02", "14:17"),
    ] {
        #expect(
            calendar.occurrences(from: at("\(day)T00:00:00Z"), to: at("\(day)T23:59:59Z"), in: .utc).map {
                $0.recurrenceId.map { "\($0.text)" } ?? ""
            } == ["\(day)T\(hour):00Z"])
    }
}

@Test("Its rules make nothing in a gap, its lengths are elapsed time or days of the zone, its dates are excluded")
func detailsOfDefinedZone() throws {
    let night = events(vevent("DTSTART;TZID=Ours:20190309T023000", "DURATION:P1D", "RRULE:FREQ=DAILY;COUNT=3"))
    #expect(
        try calendar(#require(night.events.first)).extents("2019-03-01T00:00:00Z", "2019-04-01T00:00:00Z") == [
            // 02:30 does not exist on the 10th; a day from the 9th ends where 02:30 would be.
            "2019-03-09T07:47:00Z/2019-03-10T07:47:00Z", "2019-03-11T06:30:00Z/2019-03-12T06:30:00Z",
            "2019-03-12T06:30:00Z/2019-03-13T06:30:00Z",
        ])
    let excluding = events(
        vevent(
            "DTSTART;TZID=Ours:20190309T090000", "RRULE:FREQ=DAILY;UNTIL=20190312T130000Z",
            "EXDATE;TZID=Ours:20190310T090000", "RDATE;TZID=Ours:20190701T080000"))
    #expect(
        try calendar(#require(excluding.events.first)).extents("2019-01-01T00:00:00Z", "2020-01-01T00:00:00Z").map {
            $0.prefix(20)
        } == ["2019-03-09T14:17:00Z", "2019-03-11T13:00:00Z", "2019-03-12T13:00:00Z", "2019-07-01T12:00:00Z"])
}

@Test("An override of such a series is an event of its own, at instants, and stands for its instance")
func overrideInDefinedZone() throws {
    let moved = vevent(
        "RECURRENCE-ID;TZID=Ours:20190310T090000", "DTSTART;TZID=Ours:20190310T160000", "DURATION:PT15M")
    let found = events(daily + moved)
    #expect(found.events.map(\.key.text) == ["c/e", "c/e/2019-03-10T13:00:00Z"])
    #expect(found.events[1].definedZone == nil && found.events[1].iCalendarText == nil)
    var calendar = EventCalendar()
    for event in found.events { calendar.apply(event) }
    #expect(
        try calendar.extents("2019-03-10T00:00:00Z", "2019-03-11T15:00:00Z") == [
            "2019-03-10T20:00:00Z/2019-03-10T20:15:00Z", "2019-03-11T13:00:00Z/2019-03-11T14:00:00Z",
        ])
    // And all later ones, moved on the wall of the zone.
    let later = vevent(
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Ours:20191101T090000", "DTSTART;TZID=Ours:20191101T100000",
        "DURATION:PT15M")
    let both = events(daily + later)
    calendar = EventCalendar()
    for event in both.events { calendar.apply(event) }
    #expect(
        try calendar.extents("2019-11-02T00:00:00Z", "2019-11-04T00:00:00Z") == [
            "2019-11-02T14:00:00Z/2019-11-02T14:15:00Z", "2019-11-03T15:17:00Z/2019-11-03T15:32:00Z",
        ])
}

@Test("The text of such an event holds all of it, with its zone; it is read as the same event and written the same")
func textOfEvent() throws {
    let lines = vevent(
        "DTSTAMP:20190102T030405Z", "SEQUENCE:3", "STATUS:TENTATIVE", "LOCATION:Café\\; \\, back",
        "SUMMARY:Tea\\, cake\\n\\\\ and \(String(repeating: "ünfoldable ", count: 20))",
        "DTSTART;TZID=\"Ours, at 01:17\":20190309T090000", "DTEND;TZID=\"Ours, at 01:17\":20190309T100000",
        "RRULE:FREQ=WEEKLY;BYDAY=SA,SU;COUNT=1000", "EXDATE;TZID=\"Ours, at 01:17\":20190310T090000")
    let found = events(lines, zone: ours("Ours\\, at 01:17"))
    #expect(found.problems == [])
    let event = try #require(found.events.first)
    let text = try #require(event.iCalendarText)
    let again = ICalendar.events(in: text, calendarId: "c")
    #expect(again.problems == [] && again.events == [event])
    #expect(again.events.first?.iCalendarText == text)
    #expect(event.sequence == 3 && event.status == .tentative && event.title.hasPrefix("Tea, cake\n\\ and "))
    let written = String(decoding: text, as: UTF8.self)
    #expect(written.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
    #expect(!written.replacing("\r\n", with: "").contains("\n"))
    #expect(written.contains("\r\nTZID:Ours\\, at 01:17\r\n") && written.contains("\r\nDTSTAMP:20190102T030405Z\r\n"))
}

@Test("An event that JSON can say has no such text: a zone of IANA's clocks, a single event, dates, no zone at all")
func otherEvents() throws {
    let same = ours().map { $0.replacing("-0517", with: "-0500") }
    for (lines, zone) in [
        (daily, same), (vevent("DTSTART;TZID=Ours:20190309T090000"), ours()),
        (vevent("DTSTART;VALUE=DATE;TZID=Ours:20190309", "RRULE:FREQ=DAILY"), ours()),
        (vevent("DTSTART:20190309T090000", "RRULE:FREQ=DAILY"), ours()),
    ] {
        let event = try #require(events(lines, zone: zone).events.first)
        #expect(event.iCalendarText == nil && event.definedZone == nil)
    }
}

@Test("Thousands of such series in one file are all kept whole")
func manySeries() throws {
    let lines = (0..<3000).flatMap { number in
        ["BEGIN:VEVENT", "UID:e\(number)", "DTSTART;TZID=Ours:20190309T090000", "RRULE:FREQ=DAILY", "END:VEVENT"]
    }
    let found = events(lines)
    #expect(found.problems == [] && found.events.count == 3000)
    #expect(found.events.allSatisfy { $0.recurrence == ["RRULE:FREQ=DAILY"] && $0.definedZone != nil })
}

@Test(
    "Clocks follow the parts of a definition: rules that end, RDATEs, several changes of law, one offset for ever",
    arguments: [
        // The United States until 2006 and from 2007 on.
        (
            [
                "DAYLIGHT -0500 -0400 19870405T020000 RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z",
                "STANDARD -0400 -0500 19871025T020000 RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z",
                "DAYLIGHT -0500 -0400 20070311T020000 RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
                "STANDARD -0400 -0500 20071104T020000 RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
            ],
            [
                "20060401T120000 17", "20060402T120000 16", "20061028T120000 16", "20061029T120000 17",
                "20070310T120000 17", "20070311T120000 16", "20071103T120000 16", "20071104T120000 17",
            ]
        ),
        (
            ["STANDARD +0400 +0300 20111030T020000 RDATE:20111030T020000", "STANDARD +0300 +0400 20120325T020000 X:1"],
            [
                "20111029T120000 08", "20111030T120000 09", "20120324T120000 09", "20120325T120000 08",
                "20500101T120000 08",
            ]
        ),
        (["STANDARD +0530 +0530 19700101T000000 X:1"], ["19600101T123000 07", "20990101T123000 07"]),
    ])
func definedClocks(parts: [String], times: [String]) throws {
    let zone = parts.flatMap { part in
        let words = part.split(separator: " ").map(String.init)
        return [
            "BEGIN:\(words[0])", "TZOFFSETFROM:\(words[1])", "TZOFFSETTO:\(words[2])", "DTSTART:\(words[3])", words[4],
            "END:\(words[0])",
        ]
    }
    let found = events(
        times.flatMap { ["BEGIN:VEVENT", "UID:\($0)", "DTSTART;TZID=Ours:\($0.prefix(15))", "END:VEVENT"] },
        zone: ["BEGIN:VTIMEZONE", "TZID:Ours"] + zone + ["END:VTIMEZONE"])
    #expect(found.problems == [])
    #expect(found.events.map { "\($0.start.text.dropFirst(11).prefix(2))" } == times.map { "\($0.suffix(2))" })
}
