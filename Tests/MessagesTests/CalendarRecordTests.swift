import Agendas
import Messages
import Testing
import Timelines

@Suite("Events in other forms than the contract's JSON")
struct CalendarRecordTests {
    func batch(
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

    func single(_ text: String, contentType: String? = nil) throws -> CalendarEvent {
        let found = try batch(text, contentType: contentType)
        #expect(found.problems == [])
        try #require(found.events.count == 1)
        return found.events[0]
    }

    func time(_ text: String) throws -> EventTime { try #require(EventTime(text: text)) }

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

    @Test("A record whose series would keep a process from its work is refused, with what to do")
    func tooManySteps() throws {
        func calendar(_ rule: String, _ events: Int) -> String {
            let parts = (0..<events).map {
                "BEGIN:VEVENT\nUID:\($0)\nDTSTART:17600101T000000Z\nRRULE:\(rule)\nEND:VEVENT\n"
            }
            return "BEGIN:VCALENDAR\n" + parts.joined() + "END:VCALENDAR"
        }
        for (rule, allowed) in [
            ("FREQ=SECONDLY", 100), ("FREQ=DAILY;COUNT=99000", 100), ("FREQ=DAILY", 1000),
            ("FREQ=MINUTELY;INTERVAL=15", 1000),
        ] {
            try batch(calendar(rule, allowed)).checkSteps()
        }
        for rule in ["FREQ=SECONDLY", "FREQ=DAILY;COUNT=99000;BYHOUR=1,2", "FREQ=MINUTELY;BYSECOND=1,2,3,4"] {
            #expect {
                try batch(calendar(rule, 150)).checkSteps()
            } throws: { error in
                "\(error)".contains("at most 10000000") && "\(error)".contains("UNTIL")
            }
        }
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
}
