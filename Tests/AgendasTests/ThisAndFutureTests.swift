import Agendas
import TestSupport
import Testing
import Timelines

private func override(
    _ original: String, start: String, duration: String? = nil, title: String, status: EventStatus = .confirmed
) throws -> CalendarEvent {
    try CalendarEvent(
        calendarId: "c", uid: "e", recurrenceId: time(original), isThisAndFuture: true, sequence: 1, title: title,
        start: time(start), end: duration.map { .after(try #require(CalendarDuration(iso8601: $0))) },
        timeZone: "Europe/Berlin", status: status)
}

private func series(_ rule: String = "RRULE:FREQ=WEEKLY;COUNT=5") throws -> CalendarEvent {
    try event(
        start: "2019-03-18T09:00:00", duration: "PT1H", zone: "Europe/Berlin", title: "Before", recurrence: [rule])
}

/// `title start` in Berlin.
private func told(_ calendar: EventCalendar) throws -> [String] {
    let berlin = try zone("Europe/Berlin")
    return calendar.occurrences(from: at("2019-03-01T00:00:00Z"), to: at("2019-06-01T00:00:00Z"), in: berlin)
        .map { occurrence in
            let (start, end) = berlin.interval(of: occurrence.when)
            let wall = EventTime.local(berlin.date(at: start), berlin.time(at: start)).text
            return "\(occurrence.title) \(wall) \((end - start).milliseconds / 60_000)"
        }
}

@Test("THISANDFUTURE moves all later instances on the wall, as long as it is, and the series ends where it did")
func thisAndFuture() throws {
    let events = calendar(
        try series(),
        try override("2019-03-25T08:00:00Z", start: "2019-03-26T10:30:00", duration: "PT2H", title: "After"))
    #expect(
        try told(events) == [
            "Before 2019-03-18T09:00:00 60", "After 2019-03-26T10:30:00 120", "After 2019-04-02T10:30:00 120",
            "After 2019-04-09T10:30:00 120", "After 2019-04-16T10:30:00 120",
        ])
    let later = events.occurrences(from: at("2019-04-02T00:00:00Z"), to: at("2019-04-03T00:00:00Z"), in: .utc)
    #expect(later.map(\.original) == ["2019-04-01T07:00:00Z"])
}

@Test("Of several THISANDFUTURE the last before an instance counts, and single overrides stay")
func severalThisAndFuture() throws {
    let single = try event(
        of: "2019-04-08T07:00:00Z", start: "2019-04-08T20:00:00", zone: "Europe/Berlin", title: "Single", sequence: 1)
    let events = calendar(
        try series(), single, try override("2019-03-25T08:00:00Z", start: "2019-03-25T10:00:00", title: "First"),
        try override("2019-04-01T07:00:00Z", start: "2019-04-01T11:00:00", title: "Second"))
    #expect(
        try told(events) == [
            "Before 2019-03-18T09:00:00 60", "First 2019-03-25T10:00:00 0", "Second 2019-04-01T11:00:00 0",
            "Single 2019-04-08T20:00:00 0", "Second 2019-04-15T11:00:00 0",
        ])
}

@Test("A cancelled THISANDFUTURE ends the series, an all-day one makes days of the rest")
func cancelledThisAndFuture() throws {
    let ended = calendar(
        try series(), try override("2019-04-01T07:00:00Z", start: "2019-04-01T09:00:00", title: "", status: .cancelled))
    #expect(try told(ended) == ["Before 2019-03-18T09:00:00 60", "Before 2019-03-25T09:00:00 60"])
    let days = calendar(try series(), try override("2019-04-01T07:00:00Z", start: "2019-04-02", title: "Day"))
    #expect(
        try told(days).suffix(3) == [
            "Day 2019-04-02T00:00:00 1440", "Day 2019-04-09T00:00:00 1440", "Day 2019-04-16T00:00:00 1440",
        ])
}

@Test("A series that began long ago and was moved far is seen in a window of its new days")
func movedFar() throws {
    let events = calendar(
        try series("RRULE:FREQ=MONTHLY"),
        try override("2019-04-18T07:00:00Z", start: "2019-05-10T09:00:00", title: "Late"))
    let found = events.occurrences(from: at("2025-07-01T00:00:00Z"), to: at("2025-08-01T00:00:00Z"), in: .utc)
    #expect(found.map(\.extent) == ["2025-07-10T07:00:00Z/2025-07-10T07:00:00Z"])
    #expect(found.map(\.original) == ["2025-06-18T07:00:00Z"])
}
