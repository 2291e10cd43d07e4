import Agendas
import TestSupport
import Testing
import Timelines

/// The occurrences of one VEVENT of 2024, in UTC or as dates.
private func extents(_ lines: [String], head: [String] = []) throws -> [String] {
    let text = ["BEGIN:VCALENDAR"] + head + ["BEGIN:VEVENT", "UID:e"] + lines + ["END:VEVENT", "END:VCALENDAR"]
    let found = ICalendar.events(in: Array(text.joined(separator: "\r\n").utf8), calendarId: "c")
    let agenda = found.agenda(from: at("2024-01-01T00:00:00Z"), to: at("2025-01-01T00:00:00Z"), in: .utc)
    return agenda.occurrences.map(\.extent)
}

private let minutes = "DURATION:PT15M"

@Test("A series in UTC recurs in X-WR-TIMEZONE, a single event and one with a zone of its own do not move")
func calendarZone() throws {
    let head = ["X-WR-TIMEZONE:Europe/Berlin"]
    #expect(
        try extents(["DTSTART:20240330T080000Z", minutes, "RRULE:FREQ=DAILY;COUNT=2"], head: head)
            == ["2024-03-30T08:00:00Z/2024-03-30T08:15:00Z", "2024-03-31T07:00:00Z/2024-03-31T07:15:00Z"])
    #expect(
        try extents(["DTSTART:20240330T080000Z", minutes, "RRULE:FREQ=DAILY;COUNT=2"])
            == ["2024-03-30T08:00:00Z/2024-03-30T08:15:00Z", "2024-03-31T08:00:00Z/2024-03-31T08:15:00Z"])
    #expect(
        try extents(["DTSTART:20240701T080000Z", minutes], head: head) == ["2024-07-01T08:00:00Z/2024-07-01T08:15:00Z"])
    #expect(
        try extents(["DTSTART;TZID=Asia/Tokyo:20240701T080000", minutes], head: head)
            == ["2024-06-30T23:00:00Z/2024-06-30T23:15:00Z"])
    #expect(
        try extents(["DTSTART:20240701T080000", minutes], head: head) == ["2024-07-01T06:00:00Z/2024-07-01T06:15:00Z"])
}

@Test("A series in UTC of a calendar with a zone is written so that it recurs there everywhere")
func calendarZoneOfRecord() throws {
    let text = """
        BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e\nDTSTART:20240330T080000Z\nRRULE:FREQ=DAILY\nEND:VEVENT
        X-WR-TIMEZONE:Europe/Berlin\nEND:VCALENDAR
        """
    let event = try #require(ICalendar.events(in: Array(text.utf8), calendarId: "c").events.first)
    #expect(event.start.text == "2024-03-30T08:00:00Z")
    #expect(event.timeZone == "Europe/Berlin")
}

@Test(
    "The instant of a time is that of its TZID: IANA's name, then a wrapper or Windows name, then the text's own zone",
    arguments: [
        ("Europe/Berlin", "07"), ("\"Europe/Berlin\"", "07"), ("/mozilla.org/20050126_1/Europe/Berlin", "07"),
        ("/freeassociation.sourceforge.net/Europe/Berlin", "07"), ("/citadel.org/20210210_1/America/New_York", "13"),
        ("W. Europe Standard Time", "07"), ("Central Standard Time (Mexico)", "15"), ("UTC", "09"),
        ("Europe/berlin", "05"), ("\"(UTC+04:00) Here, there\"", "05"), ("(UTC+04:00) Here, there", "05"),
        ("Nowhere", "09"),
    ])
func zoneOfTime(_ name: String, _ hour: String) throws {
    func definition(_ name: String) -> [String] {
        [
            "BEGIN:VTIMEZONE", "TZID:\(name)", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0400",
            "TZOFFSETTO:+0400", "END:STANDARD", "END:VTIMEZONE",
        ]
    }
    let head = ["Europe/Berlin", "Europe/berlin", "(UTC+04:00) Here\\, there", "UTC"].flatMap(definition)
    #expect(
        try extents(["DTSTART;TZID=\(name):20240701T090000", minutes], head: head)
            == ["2024-07-01T\(hour):00:00Z/2024-07-01T\(hour):15:00Z"])
}

@Test(
    "A definition that can't be reckoned is left out with its line, and its times float",
    arguments: [
        "RRULE:FREQ=SECONDLY", "RRULE:FREQ=YEARLY;BYSECOND=1,2,3", "TZOFFSETTO:east", "TZOFFSETTO:+9900",
        "DTSTART:yesterday", "RDATE:never",
    ])
func unusableDefinition(_ line: String) throws {
    let text = [
        "BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Ours", "BEGIN:STANDARD", "DTSTART:19700101T000000",
        "TZOFFSETFROM:+0400", "TZOFFSETTO:+0400", line, "END:STANDARD", "END:VTIMEZONE", "BEGIN:VEVENT", "UID:e",
        "DTSTART;TZID=Ours:20240701T090000", "RRULE:FREQ=DAILY;COUNT=2", "END:VEVENT", "END:VCALENDAR",
    ]
    let found = ICalendar.events(in: Array(text.joined(separator: "\n").utf8), calendarId: "c")
    #expect(found.problems.map(\.line) == [2, 13])
    #expect(found.events.first?.start.text == "2024-07-01T09:00:00")
}

@Test(
    "UNTIL ends a series inclusively, whatever form it has",
    arguments: [
        ("TZID=Europe/Berlin:20240101T090000", "20240103T080000Z"),
        ("TZID=Europe/Berlin:20240101T090000", "20240103T090000"), ("TZID=Europe/Berlin:20240101T090000", "20240103"),
        ("VALUE=DATE-TIME:20240101T090000", "20240103T090000"), ("VALUE=DATE:20240101", "20240103"),
        ("VALUE=DATE:20240101", "20240103T000000Z"), ("VALUE=DATE:20240101", "20240103T090000"),
    ])
func untilForms(_ start: String, _ until: String) throws {
    #expect(try extents(["DTSTART;\(start)", "RRULE:FREQ=DAILY;UNTIL=\(until)"]).count == 3)
}

@Test("A series whose UNTIL lies before its start has no instance, but for its RDATEs")
func untilBeforeStart() throws {
    #expect(try extents(["DTSTART:20240201T090000Z", "RRULE:FREQ=DAILY;UNTIL=20240131T090000Z"]) == [])
    #expect(
        try extents([
            "DTSTART:20240201T090000Z", "RRULE:FREQ=DAILY;UNTIL=20240131T090000Z", "RDATE:20240301T090000Z",
        ]) == ["2024-03-01T09:00:00Z/2024-03-01T09:00:00Z"])
}
