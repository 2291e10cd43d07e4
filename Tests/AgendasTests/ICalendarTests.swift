import Agendas
import TestSupport
import Testing
import Timelines

private func file(_ lines: [String]) -> [UInt8] {
    Array((["BEGIN:VCALENDAR", "VERSION:2.0"] + lines + ["END:VCALENDAR"]).joined(separator: "\r\n").utf8)
}

private func vevent(_ lines: String...) -> [String] {
    ["BEGIN:VEVENT", "UID:e"] + lines + ["END:VEVENT"]
}

/// A zone by the rules of New York, under a name that says nothing.
private let eastern = [
    "BEGIN:VTIMEZONE", "TZID:Ours", "BEGIN:STANDARD", "DTSTART:20071104T020000", "TZOFFSETFROM:-0400",
    "TZOFFSETTO:-0500",
    "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU", "END:STANDARD", "BEGIN:DAYLIGHT", "DTSTART:20070311T020000",
    "TZOFFSETFROM:-0500", "TZOFFSETTO:-0400", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", "END:DAYLIGHT", "END:VTIMEZONE",
]

@Test("A VEVENT becomes an event with all that it says")
func properties() throws {
    let text = file(
        vevent(
            "DTSTART;TZID=Europe/Berlin:20190210T090000", "DTEND;TZID=Europe/Berlin:20190210T100000",
            "SUMMARY:Tea\\, cake", "  and \\n talk", "LOCATION:Café", "STATUS:TENTATIVE", "SEQUENCE:3",
            "DTSTAMP:20190101T000000Z", "LAST-MODIFIED:20190102T030405Z", "RRULE:FREQ=WEEKLY",
            "EXDATE;TZID=Europe/Berlin:20190217T090000", "BEGIN:VALARM", "TRIGGER:-PT10M", "DESCRIPTION:x", "END:VALARM"
        ))
    let found = ICalendar.events(in: text, calendarId: "c")
    #expect(found.problems.isEmpty)
    #expect(
        found.events == [
            try CalendarEvent(
                calendarId: "c", uid: "e", sequence: 3, updatedAt: at("2019-01-02T03:04:05Z"),
                title: "Tea, cake and \n talk",
                location: "Café", start: time("2019-02-10T09:00:00"), end: .at(time("2019-02-10T10:00:00")),
                timeZone: "Europe/Berlin", status: .tentative,
                recurrence: ["RRULE:FREQ=WEEKLY", "EXDATE;TZID=Europe/Berlin:20190217T090000"])
        ])
}

@Test(
    "TZID is an IANA name, one in a wrapper, or a Windows name",
    arguments: [
        ("Europe/Berlin", "Europe/Berlin"), ("/mozilla.org/20050126_1/Europe/Berlin", "Europe/Berlin"),
        ("/freeassociation.sourceforge.net/America/Indiana/Knox", "America/Indiana/Knox"),
        ("W. Europe Standard Time", "Europe/Berlin"), ("\"Tokyo Standard Time\"", "Asia/Tokyo"),
    ])
func zoneNames(_ said: String, _ expected: String) {
    let found = ICalendar.events(
        in: file(
            vevent(
                "DTSTART;TZID=\(said):20190210T090000", "RRULE:FREQ=DAILY", "EXDATE;TZID=\(said):20190211T090000")),
        calendarId: "c")
    #expect(found.problems.isEmpty)
    #expect(found.events.first?.timeZone == expected)
    #expect(found.events.first?.recurrence.last == "EXDATE;TZID=\(expected):20190211T090000")
}

@Test("A zone that only the text knows gives instants, and to a series an IANA zone whose clocks agree")
func definedZones() throws {
    let single = ICalendar.events(
        in: file(vevent("DTSTART;TZID=Ours:20190210T090000", "DURATION:PT1H") + eastern), calendarId: "c")
    #expect(single.problems.isEmpty)
    #expect(single.events.first?.start.text == "2019-02-10T14:00:00Z")
    let series = ICalendar.events(
        in: file(
            eastern
                + vevent(
                    "DTSTART;TZID=Ours:20190210T090000", "RRULE:FREQ=WEEKLY", "EXDATE;TZID=Ours:20190310T090000")),
        calendarId: "c")
    #expect(series.problems.isEmpty)
    #expect(series.events.first?.timeZone == "America/New_York")
    #expect(series.events.first?.recurrence.last == "EXDATE:20190310T130000Z")
}

@Test("Floating times are those of X-WR-TIMEZONE, or stay floating")
func floatingTimes() {
    let lines = vevent("DTSTART:20190210T090000") + ["X-WR-TIMEZONE:Europe/Paris"]
    let found = ICalendar.events(in: file(lines), calendarId: "c")
    #expect(found.timeZone == "Europe/Paris")
    #expect(found.events.first?.timeZone == "Europe/Paris")
    let floating = ICalendar.events(in: file(vevent("DTSTART:20190210T090000")), calendarId: "c")
    #expect(floating.events.first?.timeZone == nil)
    #expect(floating.events.first?.start.text == "2019-02-10T09:00:00")
}

@Test("An override names its instance by an instant, whatever zone the text names it in")
func importedOverride() throws {
    let lines =
        vevent("DTSTART;TZID=Europe/Berlin:20190204T090000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=2")
        + vevent("DTSTART;VALUE=DATE:20190212", "RECURRENCE-ID;TZID=Europe/Berlin:20190211T090000", "SUMMARY:Moved")
    let found = ICalendar.events(in: file(lines), calendarId: "c")
    #expect(found.events.last?.key.text == "c/e/2019-02-11T08:00:00Z")
    var events = EventCalendar()
    for event in found.events { events.apply(event) }
    #expect(
        try events.extents("2019-02-01T00:00:00Z", "2019-03-01T00:00:00Z")
            == ["2019-02-04T08:00:00Z/2019-02-04T09:00:00Z", "2019-02-12/2019-02-13"])
}

@Test(
    "A broken component is left out and reported with its line; the others are read",
    arguments: [
        (["DTSTART:20190230T090000Z"], 4, "DTSTART"), (["SUMMARY:no start"], 2, "DTSTART"),
        (["DTSTART:20190210T090000Z", "DTEND:tomorrow"], 5, "tomorrow"),
        (["DTSTART:20190210T090000Z", "RRULE:FREQ=WEEKLY;BYDAY=XX"], 5, "XX"),
        (["DTSTART:20190210T090000Z", "DURATION:an hour"], 5, "DURATION"),
        (["DTSTART:20190210T090000Z", "RRULE:FREQ=DAILY;BYHOUR=24"], 5, "BYHOUR"),
    ])
func broken(_ lines: [String], _ line: Int, _ says: String) {
    let good = ["BEGIN:VEVENT", "UID:good", "DTSTART:20190210T090000Z", "END:VEVENT"]
    let text = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:bad"] + lines + ["END:VEVENT"] + good + ["END:VCALENDAR"]
    let found = ICalendar.events(in: Array(text.joined(separator: "\n").utf8), calendarId: "c")
    #expect(found.events.map(\.uid) == ["good"])
    #expect(found.problems.map(\.line) == [line])
    #expect(found.problems.first?.reason.contains(says) == true, "\(found.problems)")
}

@Test(
    "What can mean one thing only is taken for it, and remarked with its line",
    arguments: [
        (["DTSTART:20190210T090000Z", "DTEND:20190210T080000Z"], "2019-02-10T08:00:00Z/2019-02-10T09:00:00Z"),
        (["DTSTART:20190210T090000Z", "DURATION:-PT1H"], "2019-02-10T08:00:00Z/2019-02-10T09:00:00Z"),
        (["DTSTART;TZID=Elsewhere:20190210T090000"], "2019-02-10T09:00:00Z/2019-02-10T09:00:00Z"),
        (["DTSTART;VALUE=DATE:20190210", "DURATION:PT1H"], "2019-02-10T00:00:00Z/2019-02-10T01:00:00Z"),
        (["DTSTART:20190210T090000Z", "DTEND;VALUE=DATE:20190211"], "2019-02-10T09:00:00Z/2019-02-11T00:00:00Z"),
        (["DTSTART:20190210T090000Z", "EXRULE:FREQ=DAILY"], "2019-02-10T09:00:00Z/2019-02-10T09:00:00Z"),
        (["DTSTART:20190210T090000Z", "EXDATE:never"], "2019-02-10T09:00:00Z/2019-02-10T09:00:00Z"),
    ])
func taken(_ lines: [String], _ extent: String) throws {
    let text = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:odd"] + lines + ["END:VEVENT", "END:VCALENDAR"]
    let found = ICalendar.events(in: Array(text.joined(separator: "\n").utf8), calendarId: "c")
    #expect(found.problems.map(\.isLeftOut) == [false])
    #expect(found.problems.allSatisfy { 4...5 ~= $0.line }, "\(found.problems)")
    let agenda = try found.agenda(from: at("2019-02-01T00:00:00Z"), to: at("2019-03-01T00:00:00Z"), in: zone("UTC"))
    #expect(agenda.occurrences.map(\.extent) == [extent])
}

@Test("Texts cut short, of another kind, or empty give what they hold and no more")
func otherTexts() {
    #expect(ICalendar.events(in: [], calendarId: "c").events.isEmpty)
    #expect(ICalendar.events(in: Array("{\"a\": 1}".utf8), calendarId: "c").problems.count == 1)
    let whole = file(vevent("DTSTART:20190210T090000Z") + vevent("DTSTART:20190211T090000Z"))
    for length in 0...whole.count { _ = ICalendar.events(in: whole.prefix(length), calendarId: "c") }
    let cut = ICalendar.events(in: whole.dropLast(30), calendarId: "c")
    #expect(cut.events.count == 1)
    #expect(cut.problems.count == 1)
}

@Test(
    "An override of the first or last day that can be written stays as it is written",
    arguments: [("00010101T000000", "Asia/Tokyo"), ("99991231T230000", "America/New_York")])
func extremeOverrides(_ original: String, _ zone: String) throws {
    let master = ["BEGIN:VEVENT", "UID:u", "DTSTART;TZID=\(zone):20261120T090000", "RRULE:FREQ=DAILY", "END:VEVENT"]
    let override = [
        "BEGIN:VEVENT", "UID:u", "RECURRENCE-ID:\(original)", "DTSTART;TZID=\(zone):20261121T100000", "END:VEVENT",
    ]
    let text = (["BEGIN:VCALENDAR"] + master + override + ["END:VCALENDAR"]).joined(separator: "\n")
    let found = ICalendar.events(in: Array(text.utf8), calendarId: "c")
    #expect(found.events.count == 2)
    #expect(found.events.compactMap(\.recurrenceId).map { $0.text.prefix(4) } == [original.prefix(4)])
}
