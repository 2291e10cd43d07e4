import Agendas
import Testing
import Timelines

private struct Refusal: Sendable {
    var start = "2019-02-10T09:00:00Z"
    var end: String?
    var zone: String?
    var recurrence: [String] = []
    var original: String?
    /// What the message must begin with, and contain.
    var field: String
    var says: String
}

@Test(
    "An event that cannot be is refused with its field and what is allowed",
    arguments: [
        Refusal(end: "2019-02-10T08:59:59Z", field: "end", says: "lies before start"),
        Refusal(start: "2019-02-10", end: "2019-02-09", field: "end", says: "lies before start"),
        Refusal(start: "2019-02-10", end: "2019-02-10T10:00:00Z", field: "end", says: "allowed is a date"),
        Refusal(end: "2019-02-11", field: "end", says: "allowed is a date-time"),
        Refusal(end: "2019-02-10T12:00:00", field: "timeZone", says: "is needed"),
        Refusal(
            start: "2019-02-10T09:00:00", end: "2019-02-10T08:00:00", zone: "Europe/Berlin", field: "end",
            says: "before"),
        Refusal(zone: "Europe/lisbon", field: "timeZone", says: "IANA"),
        Refusal(zone: "CEST", field: "timeZone", says: "IANA"),
        Refusal(
            recurrence: ["RRULE:FREQ=DAILY;COUNT=3"], original: "2019-02-10", field: "recurrence",
            says: "recurrenceId"),
        Refusal(recurrence: ["FREQ=DAILY"], field: "recurrence", says: "RRULE:FREQ=DAILY"),
        Refusal(recurrence: ["RRULE:FREQ=OFTEN"], field: "recurrence", says: "SECONDLY, MINUTELY"),
        Refusal(recurrence: ["RRULE:COUNT=2"], field: "recurrence", says: "FREQ"),
        Refusal(recurrence: ["RRULE:FREQ=DAILY;BYHOUR=24"], field: "recurrence", says: "0 to 23"),
        Refusal(recurrence: ["RRULE:FREQ=DAILY;BYMONTHDAY=0"], field: "recurrence", says: "all but 0"),
        Refusal(recurrence: ["RRULE:FREQ=DAILY;BYWEEKNO=2"], field: "recurrence", says: "YEARLY"),
        Refusal(recurrence: ["RRULE:FREQ=DAILY;UNTIL=tomorrow"], field: "recurrence", says: "20190331"),
        Refusal(recurrence: ["RRULE:FREQ=DAILY;FREQ=DAILY"], field: "recurrence", says: "twice"),
        Refusal(recurrence: ["EXDATE:20190230"], field: "recurrence", says: "20190230"),
        Refusal(recurrence: ["RDATE;TZID=Nowhere:20190210T090000"], field: "recurrence", says: "Nowhere"),
        Refusal(recurrence: ["RDATE:20190210T090000Z/P36526D"], field: "recurrence", says: "PT0S to P36525D"),
        Refusal(start: "2019-02-10", recurrence: ["RRULE:FREQ=HOURLY"], field: "recurrence", says: "all-day"),
    ])
private func refusal(_ expected: Refusal) throws {
    let problem = #expect(throws: CalendarEventProblem.self) {
        try event(
            of: expected.original, start: expected.start, end: expected.end, zone: expected.zone,
            recurrence: expected.recurrence)
    }
    #expect(problem?.field == expected.field)
    #expect(problem?.reason.contains(expected.says) == true, "\(problem?.description ?? "")")
}

@Test("allDay must agree with the start, and days that do not exist are refused")
func impossibleStarts() throws {
    let start = try time("2019-02-10T09:00:00Z")
    #expect(throws: CalendarEventProblem.self) {
        try CalendarEvent(calendarId: "c", uid: "e", title: "", start: start, allDay: true)
    }
    #expect(throws: CalendarEventProblem.self) {
        try CalendarEvent(
            calendarId: "c", uid: "e", title: "", start: .date(LocalDate(year: 2019, month: 2, day: 30)))
    }
    #expect(throws: CalendarEventProblem.self) {
        try CalendarEvent(calendarId: "", uid: "e", title: "", start: start)
    }
}

@Test("Without an end an all-day event is a day long, any other has no length")
func missingEnd() throws {
    let events = calendar(try event("a", start: "2019-02-10"), try event("b", start: "2019-02-10T09:00:00Z"))
    #expect(
        try events.extents("2019-02-10T00:00:00Z", "2019-02-11T00:00:00Z")
            == ["2019-02-10/2019-02-11", "2019-02-10T09:00:00Z/2019-02-10T09:00:00Z"])
}
