import Agendas
import Messages
import Testing
import Timelines

@Suite("Events in other forms than the contract's JSON")
struct CalendarRecordTests {
    private func batch(
        _ text: String, contentType: String? = nil, key: String? = "team"
    ) throws(MessageProblem) -> CalendarEventBatch {
        var parser = JSONParser()
        return try withBytes(text) { bytes throws(MessageProblem) in
            try withBytes(key ?? "") { keyBytes throws(MessageProblem) in
                try CalendarEventMessage.decode(
                    bytes, contentType: contentType, key: key == nil ? nil : keyBytes, with: &parser)
            }
        }
    }

    private func single(_ text: String, contentType: String? = nil) throws -> CalendarEvent {
        let found = try batch(text, contentType: contentType)
        #expect(found.problems == [])
        try #require(found.events.count == 1)
        return found.events[0]
    }

    private func time(_ text: String) throws -> EventTime { try #require(EventTime(text: text)) }

    // MARK: - Google

    @Test("An event resource of Google's API becomes an event that recurs in its own zone")
    func googleSeries() throws {
        let found = try single(
            #"""
            {"kind": "calendar#event", "id": "shift1", "status": "tentative", "summary": "Shift", "location": "Depot",
             "updated": "2026-11-01T10:00:00.123Z", "iCalUID": "shift1@google.com", "sequence": 2,
             "start": {"dateTime": "2026-11-20T09:00:00+01:00", "timeZone": "Europe/Berlin"},
             "end": {"dateTime": "2026-11-20T10:00:00+01:00", "timeZone": "Europe/Berlin"},
             "recurrence": ["EXDATE;TZID=Europe/Berlin:20261127T090000", "RRULE:FREQ=WEEKLY;BYDAY=FR"]}
            """#)
        let expected = try CalendarEvent(
            calendarId: "team", uid: "shift1", sequence: 2, updatedAt: instant("2026-11-01T10:00:00.123Z"),
            title: "Shift", location: "Depot", start: time("2026-11-20T08:00:00Z"),
            end: .at(time("2026-11-20T09:00:00Z")), timeZone: "Europe/Berlin", status: .tentative,
            recurrence: ["EXDATE;TZID=Europe/Berlin:20261127T090000", "RRULE:FREQ=WEEKLY;BYDAY=FR"])
        #expect(found == expected)
    }

    @Test("Dates, ends that are not said, and local times with a zone are read as Google means them")
    func googleTimes() throws {
        let day = try single(
            #"{"id": "a", "summary": "Day", "start": {"date": "2026-11-20"}, "end": {"date": "2026-11-21"}}"#)
        #expect(day.isAllDay)
        let open = try single(
            #"""
            {"id": "b", "start": {"dateTime": "2026-11-20T09:00:00", "timeZone": "Asia/Tokyo"},
             "end": {"dateTime": "2026-11-20T09:00:00", "timeZone": "Asia/Tokyo"}, "endTimeUnspecified": true}
            """#)
        #expect(open.end == nil)
        #expect(try open.start == time("2026-11-20T09:00:00"))
        #expect(open.timeZone == "Asia/Tokyo")
        let zones = try single(
            #"""
            {"id": "c", "start": {"dateTime": "2026-11-20T09:00:00", "timeZone": "Asia/Tokyo"},
             "end": {"dateTime": "2026-11-20T09:00:00", "timeZone": "Asia/Singapore"}}
            """#)
        #expect(try zones.end == .at(time("2026-11-20T01:00:00Z")))
    }

    @Test("An instance that was moved or deleted is an override of its series; what was deleted whole is cancelled")
    func googleExceptions() throws {
        let moved = try single(
            #"""
            {"id": "s_20261127T080000Z", "recurringEventId": "s", "summary": "Moved", "sequence": 3,
             "originalStartTime": {"dateTime": "2026-11-27T09:00:00+01:00", "timeZone": "Europe/Berlin"},
             "start": {"dateTime": "2026-11-27T11:00:00+01:00"}, "end": {"dateTime": "2026-11-27T12:00:00+01:00"}}
            """#)
        #expect(moved.key.text == "team/s/2026-11-27T08:00:00Z")
        let deleted = try single(
            #"""
            {"kind": "calendar#event", "id": "s_20261127T080000Z", "status": "cancelled", "recurringEventId": "s",
             "originalStartTime": {"dateTime": "2026-11-27T08:00:00Z"}}
            """#)
        #expect(deleted.key == moved.key)
        #expect(deleted.status == .cancelled)
        var calendar = EventCalendar()
        calendar.apply(moved)
        let hasChanged = calendar.apply(deleted)
        #expect(hasChanged)
        let day = try single(
            #"""
            {"id": "d_20261127", "status": "cancelled", "recurringEventId": "d",
             "originalStartTime": {"date": "2026-11-27"}}
            """#)
        #expect(day.key.text == "team/d/2026-11-27")
        let gone = try single(#"{"id": "s", "status": "cancelled"}"#)
        #expect(gone.key.text == "team/s")
        #expect(gone.status == .cancelled)
    }

    @Test("A page of Google's list gives its events, and reports those that can't be read")
    func googlePage() throws {
        let found = try batch(
            #"""
            {"kind": "calendar#events", "timeZone": "Europe/Paris", "items": [
              {"id": "a", "start": {"dateTime": "2026-11-20T09:00:00"}, "end": {"dateTime": "2026-11-20T10:00:00"}},
              {"id": "b"}, {"id": "c", "start": {"date": "tomorrow"}}]}
            """#)
        #expect(found.events.map(\.uid) == ["a"])
        #expect(found.events.first?.timeZone == "Europe/Paris")
        #expect(found.problems.map(\.field) == ["items[1].start", "items[2].start.date"])
    }

    // MARK: - iCalendar

    @Test(
        "A whole VCALENDAR in a record gives all its events, by its content type or by how it begins",
        arguments: ["text/calendar; charset=utf-8", nil])
    func iCalendar(_ contentType: String?) throws {
        let text = """
            BEGIN:VCALENDAR\r\nX-WR-TIMEZONE:Europe/Berlin\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20261120T090000Z\r
            RRULE:FREQ=DAILY\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:b\r\nDTSTART:never\r\nEND:VEVENT\r\nBEGIN:VEVENT\r
            UID:c\r\nDTSTART;VALUE=DATE:20261120\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n
            """
        let found = try batch(text, contentType: contentType, key: "my%2Fteam/a")
        #expect(found.events.map(\.key.text) == ["my%2Fteam/a", "my%2Fteam/c"])
        #expect(found.events.first?.timeZone == "Europe/Berlin")
        #expect(found.problems.map(\.field) == ["line 10"])
    }

    @Test("A text in which nothing can be read, and a record that names no calendar, are refused")
    func refused() throws {
        let broken = #expect(throws: MessageProblem.self) {
            try batch("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nEND:VEVENT\nEND:VCALENDAR")
        }
        #expect(broken?.field == "line 2")
        let empty = #expect(throws: MessageProblem.self) { try batch("", contentType: "text/calendar") }
        #expect(empty?.kind == .unreadable)
        let keyless = #expect(throws: MessageProblem.self) {
            try batch("BEGIN:VCALENDAR\nEND:VCALENDAR", key: nil)
        }
        #expect(keyless?.field == "key")
        let google = #expect(throws: MessageProblem.self) {
            try batch(#"{"id": "a", "start": {"date": "2026-11-20"}}"#, key: nil)
        }
        #expect(google?.field == "key")
    }

    @Test("The contract's JSON is one event, and its range is read and written")
    func contract() throws {
        let text =
            #"{"calendarId":"c","uid":"u","recurrenceId":"2026-11-20T09:00:00Z","range":"thisAndFuture","title":"New","#
            + #""start":"2026-11-20T10:00:00Z"}"#
        let event = try single(text)
        #expect(event.isThisAndFuture)
        var json = JSONWriter()
        event.write(to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self) == text)
        #expect(throws: MessageProblem.self) {
            try batch(
                #"{"calendarId":"c","uid":"u","range":"thisAndFuture","title":"","start":"2026-11-20T10:00:00Z"}"#)
        }
    }

    // MARK: - JSCalendar

    @Test("A JSCalendar event becomes a series with its overrides (RFC 8984)")
    func jsCalendar() throws {
        let found = try batch(
            #"""
            {"@type": "Event", "uid": "js", "updated": "2026-11-01T00:00:00Z", "sequence": 1, "title": "Course",
             "start": "2026-11-20T09:00:00", "timeZone": "Europe/Berlin", "duration": "PT1H30M",
             "locations": {"2": {"@type": "Location"}, "3": {"@type": "Location", "name": "Room 3"}},
             "recurrenceRules": [{"@type": "RecurrenceRule", "frequency": "weekly", "interval": 2, "count": 5,
               "byDay": [{"@type": "NDay", "day": "fr"}], "firstDayOfWeek": "su"}],
             "recurrenceOverrides": {
               "2026-12-04T09:00:00": {"excluded": true},
               "2026-12-18T09:00:00": {"start": "2026-12-18T11:00:00", "locations/3/name": "Hall", "title": "Exam"},
               "2026-12-20T09:00:00": {}}}
            """#)
        #expect(found.problems == [])
        try #require(found.events.count == 2)
        let series = found.events[0]
        #expect(series.location == "Room 3")
        #expect(
            series.recurrence == [
                "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=5;WKST=SU;BYDAY=FR", "EXDATE:20261204T090000",
                "RDATE:20261218T090000", "RDATE:20261220T090000",
            ])
        let exam = found.events[1]
        #expect(exam.key.text == "team/js/2026-12-18T08:00:00Z")
        #expect(exam.title == "Exam")
        #expect(exam.location == "Hall")
        var calendar = EventCalendar()
        for event in found.events { calendar.apply(event) }
        let occurrences = calendar.occurrences(
            from: instant("2026-11-01T00:00:00Z"), to: instant("2027-03-01T00:00:00Z"), in: .utc)
        let starts = occurrences.map { occurrence in
            if case .timed(let start, _) = occurrence.when { start.rfc3339 } else { "" }
        }
        #expect(
            starts == [
                "2026-11-20T08:00:00Z", "2026-12-18T10:00:00Z", "2026-12-20T08:00:00Z", "2027-01-01T08:00:00Z",
                "2027-01-15T08:00:00Z",
            ])
    }

    @Test("JSCalendar's floating, whole-day and stand-alone events, and groups of them, are read")
    func jsCalendarForms() throws {
        let found = try batch(
            #"""
            {"@type": "Group", "uid": "g", "entries": [
              {"@type": "Event", "uid": "day", "title": "Day", "start": "2026-11-20T00:00:00", "duration": "P2D",
               "showWithoutTime": true, "recurrenceRules": [{"frequency": "yearly", "until": "2028-11-20T00:00:00"}],
               "recurrenceOverrides": {"2027-11-20T00:00:00": {"excluded": true}}},
              {"@type": "Task", "uid": "task", "title": "No event"},
              {"@type": "Event", "uid": "floats", "title": "Floats", "start": "2026-11-20T07:00:00", "timeZone": null},
              {"@type": "Event", "uid": "one", "title": "One", "recurrenceId": "2026-11-20T07:00:00",
               "recurrenceIdTimeZone": "Asia/Tokyo", "start": "2026-11-20T08:00:00", "timeZone": "Europe/Berlin"},
              {"@type": "Event", "uid": "wrong", "title": "Wrong", "start": "2026-11-20"}]}
            """#, contentType: "application/jscalendar+json;type=group")
        #expect(found.events.map(\.key.text) == ["team/day", "team/floats", "team/one/2026-11-19T22:00:00Z"])
        #expect(found.events[0].isAllDay)
        #expect(found.events[0].recurrence == ["RRULE:FREQ=YEARLY;UNTIL=20281120", "EXDATE:20271120"])
        #expect(found.events[1].timeZone == nil)
        #expect(found.problems.map(\.field) == ["entries[4].start"])
    }

    @Test(
        "What a JSCalendar event can't say here is refused by name",
        arguments: [
            (#""start": "2026-11-20T09:00:00Z""#, "start"), (#""title": "x""#, "start"),
            (#""start": "2026-11-20T09:00:00", "timeZone": "Berlin""#, "timeZone"),
            (#""start": "2026-11-20T09:00:00", "duration": "-PT1H""#, "duration"),
            (#""start": "2026-11-20T09:00:00", "recurrenceRules": [{"frequency": "often"}]"#, "recurrence"),
            (
                #""start": "2026-11-20T09:00:00", "recurrenceRules": [{"rscale": "hebrew", "frequency": "daily"}]"#,
                "recurrence"
            ),
            (
                #""start": "2026-11-20T09:00:00", "excludedRecurrenceRules": [{"frequency": "daily"}]"#,
                "excludedRecurrenceRules"
            ),
            (
                #""start": "2026-11-20T09:00:00", "recurrenceOverrides": {"tomorrow": {}}"#,
                "recurrenceOverrides.tomorrow"
            ),
        ])
    func jsCalendarRefused(_ members: String, _ field: String) {
        let problem = #expect(throws: MessageProblem.self) {
            try batch(#"{"@type": "Event", "uid": "u", \#(members)}"#)
        }
        #expect(problem?.field == field)
    }
}
