import Agendas
import TestSupport
import Testing
import Timelines

private let february = ("2019-02-01T00:00:00Z", "2019-03-01T00:00:00Z")

private func weekly() throws -> CalendarEvent {
    try event(
        start: "2019-02-04T09:00:00", end: "2019-02-04T10:00:00", zone: "Europe/Berlin", title: "Team",
        recurrence: ["RRULE:FREQ=WEEKLY;COUNT=4"])
}

@Test("Overrides move, retitle and cancel instances, whatever form their recurrenceId has")
func overrides() throws {
    let events = calendar(
        try weekly(),
        try event(of: "2019-02-11T08:00:00Z", start: "2019-02-12T15:00:00", zone: "Europe/Berlin", title: "Moved"),
        try event(of: "2019-02-18T09:00:00", start: "2019-02-18T09:00:00", zone: "Europe/Berlin", status: .cancelled),
        try event(of: "2019-02-25", start: "2019-02-25", title: "All day"))
    let found = try events.occurrences(from: at(february.0), to: at(february.1), in: zone("Europe/Berlin"))
    #expect(
        found.map { "\($0.title) \($0.extent) \($0.original ?? "-")" } == [
            "Team 2019-02-04T08:00:00Z/2019-02-04T09:00:00Z 2019-02-04T08:00:00Z",
            "Moved 2019-02-12T14:00:00Z/2019-02-12T14:00:00Z 2019-02-11T08:00:00Z",
            "All day 2019-02-25/2019-02-26 2019-02-25",
        ])
}

@Test("An override is an occurrence of its own without its master, before it comes and after it is gone")
func orphan() throws {
    var events = calendar(
        try event(of: "2019-02-11T08:00:00Z", start: "2019-02-12T15:00:00", zone: "Europe/Berlin", title: "Moved"))
    #expect(try events.extents(february.0, february.1) == ["2019-02-12T14:00:00Z/2019-02-12T14:00:00Z"])
    events.apply(try weekly())
    #expect(try events.extents(february.0, february.1).count == 4)
    events.remove(EventKey(calendarId: "c", uid: "e"))
    #expect(try events.extents(february.0, february.1).count == 1)
    events.remove(try EventKey(text: "c/e/2019-02-11T08:00:00Z"))
    #expect(events.isEmpty)
}

@Test("The highest sequence wins, then the newest update, then the later to arrive")
func merge() throws {
    func version(_ title: String, _ sequence: Int, _ updatedAt: String?) throws -> CalendarEvent {
        try event(start: "2019-02-04T09:00:00Z", title: title, sequence: sequence, updatedAt: updatedAt)
    }
    let key = EventKey(calendarId: "c", uid: "e")
    var events = calendar(try version("a", 1, "2019-01-02T00:00:00Z"))
    #expect(events.apply(try version("older sequence", 0, "2019-01-09T00:00:00Z")) == false)
    #expect(events.apply(try version("older update", 1, "2019-01-01T00:00:00Z")) == false)
    #expect(events.apply(try version("no update", 1, nil)) == false)
    #expect(events.apply(try version("same again", 1, "2019-01-02T00:00:00Z")) == true)
    #expect(events.apply(try version("same again", 1, "2019-01-02T00:00:00Z")) == false)
    #expect(events[key]?.title == "same again")
    #expect(events.apply(try version("newer sequence", 2, nil)) == true)
    #expect(events[key]?.title == "newer sequence")
    #expect(events.count == 1)
}

@Test("A cancelled event has no occurrence, a tentative one says so")
func status() throws {
    let events = calendar(
        try event("gone", start: "2019-02-04T09:00:00Z", status: .cancelled),
        try event("maybe", start: "2019-02-04T09:00:00Z", status: .tentative))
    let found = events.occurrences(from: at(february.0), to: at(february.1), in: .utc)
    #expect(found.map(\.uid) == ["maybe"])
    #expect(found.first?.isTentative == true)
}

@Test(
    "A key's text is read back to the same key",
    arguments: [
        ("c/e", nil), ("c%2Fd/50%25", nil), ("c/e/2019-02-10", "2019-02-10"),
        // Marks that combine with the slash before them.
        ("c/\u{301}e", nil), ("c/\u{1F3FB}<e", nil), ("c%2F\u{301}/e", nil),
        ("c/e/2019-02-10T09:00:00", "2019-02-10T09:00:00"), ("c/e/2019-02-10T09:00:00Z", "2019-02-10T09:00:00Z"),
    ] as [(String, String?)])
func keys(_ text: String, _ original: String?) throws {
    let key = try EventKey(text: text)
    #expect(key.text == text)
    #expect(key.recurrenceId?.text == original)
}

@Test("Keys that more than needed is encoded in, or another offset, mean the same")
func lenientKeys() throws {
    #expect(try EventKey(text: "caf%c3%A9/%65") == EventKey(calendarId: "café", uid: "e"))
    #expect(try EventKey(text: "c/e/2019-02-10T10:00:00+01:00").text == "c/e/2019-02-10T09:00:00Z")
}

@Test(
    "What is no key is refused",
    arguments: ["", "c", "c/", "/e", "c/e/", "c/e/soon", "c/e/2019-02-30", "a/b/c/d", "c/%2", "c/%FF"])
func wrongKeys(_ text: String) {
    #expect(throws: CalendarEventProblem.self) { try EventKey(text: text) }
}
