import Agendas
import TestSupport
import Testing
import Timelines

/// Versions of a series and of overrides of it, each with a version of its own.
private func versions() throws -> [CalendarEvent] {
    var events: [CalendarEvent] = []
    for (sequence, updated) in [(0, nil), (0, "2019-01-01T00:00:00Z"), (0, "2019-01-02T00:00:00Z"), (2, nil)] {
        let title = "\(sequence) \(updated ?? "-")"
        events.append(
            try event(
                start: "2019-02-04T09:00:00", zone: "Europe/Berlin", title: title, sequence: sequence,
                updatedAt: updated, recurrence: ["RRULE:FREQ=DAILY;COUNT=\(5 + sequence)"]))
        events.append(
            try event(
                of: "2019-02-05T08:00:00Z", start: "2019-02-05T1\(sequence):00:00", zone: "Europe/Berlin",
                title: title, sequence: sequence, updatedAt: updated))
        events.append(
            try event(
                of: "2019-02-07T09:00:00", start: "2019-02-07T15:00:00", zone: "Europe/Berlin", title: title,
                sequence: sequence, updatedAt: updated, status: sequence == 0 ? .confirmed : .cancelled))
    }
    return events
}

@Test("Records that come in any order, some of them twice, give the same calendar")
func anyOrder() throws {
    let events = try versions()
    var random = SplitMix64(seed: 7)
    var expected: EventCalendar?
    for _ in 0..<500 {
        var calendar = EventCalendar()
        for event in (events + events.prefix(5)).shuffled(using: &random) { calendar.apply(event) }
        let (from, to) = (at("2019-02-01T00:00:00Z"), at("2019-03-01T00:00:00Z"))
        if let expected {
            #expect(calendar.events == expected.events)
            #expect(
                calendar.occurrences(from: from, to: to, in: .utc) == expected.occurrences(from: from, to: to, in: .utc)
            )
        } else {
            let found = calendar.occurrences(from: from, to: to, in: .utc)
            #expect(found.count == 6)
            #expect(found.allSatisfy { $0.title == "2 -" })
            expected = calendar
        }
    }
}

@Test("A text gives the same events in whatever order its components come")
func anyOrderOfComponents() throws {
    let components = [
        ["UID:a", "DTSTART:20190204T090000Z", "RRULE:FREQ=DAILY;COUNT=4", "SUMMARY:one", "SEQUENCE:1"],
        ["UID:a", "DTSTART:20190204T100000Z", "RRULE:FREQ=DAILY;COUNT=3", "SUMMARY:two", "SEQUENCE:2"],
        ["UID:a", "DTSTART:20190205T120000Z", "RECURRENCE-ID:20190205T100000", "DTSTAMP:20190101T000000Z"],
        ["UID:a", "DTSTART:20190205T130000Z", "RECURRENCE-ID:20190205T100000", "DTSTAMP:20190102T000000Z"],
        ["UID:b", "DTSTART;TZID=Ours:20190204T090000", "SUMMARY:zoned"],
    ].map { (["BEGIN:VEVENT"] + $0 + ["END:VEVENT"]).joined(separator: "\n") }
    let zone = """
        BEGIN:VTIMEZONE\nTZID:Ours\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0545\nTZOFFSETTO:+0545
        END:STANDARD\nEND:VTIMEZONE
        """
    var random = SplitMix64(seed: 11)
    for _ in 0..<100 {
        let body = (components + [zone]).shuffled(using: &random).joined(separator: "\n")
        let text = "BEGIN:VCALENDAR\n\(body)\nX-WR-TIMEZONE:UTC\nEND:VCALENDAR"
        let found = ICalendar.events(in: Array(text.utf8), calendarId: "c")
        let agenda = found.agenda(from: at("2019-02-01T00:00:00Z"), to: at("2019-03-01T00:00:00Z"), in: .utc)
        #expect(
            agenda.occurrences.map(\.extent) == [
                "2019-02-04T03:15:00Z/2019-02-04T03:15:00Z", "2019-02-04T10:00:00Z/2019-02-04T10:00:00Z",
                "2019-02-05T13:00:00Z/2019-02-05T13:00:00Z", "2019-02-06T10:00:00Z/2019-02-06T10:00:00Z",
            ])
    }
}

@Test("A bare cancellation, which says no version, counts by its arrival; one of a whole series takes older overrides")
func cancellations() throws {
    let moved = try event(
        of: "2019-02-05T08:00:00Z", start: "2019-02-05T10:00:00Z", title: "Moved", sequence: 3,
        updatedAt: "2019-01-01T00:00:00Z")
    let bare = try event(of: "2019-02-05T08:00:00Z", start: "2019-02-05T08:00:00Z", status: .cancelled)
    #expect(try calendar(moved, bare).extents("2019-02-01T00:00:00Z", "2019-03-01T00:00:00Z") == [])
    #expect(try calendar(bare, moved).extents("2019-02-01T00:00:00Z", "2019-03-01T00:00:00Z").count == 1)

    let rule = ["RRULE:FREQ=DAILY;COUNT=3"]
    let older = try event(
        start: "2019-02-04T08:00:00Z", title: "Off", sequence: 2, status: .cancelled, recurrence: rule)
    let newer = try event(
        start: "2019-02-04T08:00:00Z", title: "Off", sequence: 4, status: .cancelled, recurrence: rule)
    #expect(try calendar(older, moved).extents("2019-02-01T00:00:00Z", "2019-03-01T00:00:00Z").count == 1)
    #expect(try calendar(newer, moved).extents("2019-02-01T00:00:00Z", "2019-03-01T00:00:00Z") == [])
}
