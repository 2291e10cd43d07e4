import Agendas
import Messages
import Testing
import Timelines

@Suite struct CalendarEventMessageTests {
    private func event(_ text: String, contentType: String? = nil) throws(MessageProblem) -> CalendarEvent {
        var parser = JSONParser()
        return try withBytes(text) { bytes throws(MessageProblem) in
            try CalendarEventMessage.decode(bytes, contentType: contentType, with: &parser)
        }
    }

    private let full = #"""
        {"calendarId": "c", "uid": 9, "sequence": 2, "updatedAt": "2026-11-01T00:00:00Z", "title": "Trip",
         "location": "Depot", "start": "2026-11-20T09:00:00", "end": "2026-11-20T10:00:00",
         "timeZone": "Europe/Berlin", "allDay": false, "status": "tentative",
         "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"], "preEventLead": "PT45M", "vehicleId": "bus"}
        """#

    @Test("every field of an event is read")
    func everyField() throws {
        let day = LocalDate(year: 2026, month: 11, day: 20)
        let expected = try CalendarEvent(
            calendarId: "c", uid: "9", sequence: 2, updatedAt: instant("2026-11-01T00:00:00Z"), title: "Trip",
            location: "Depot", start: .local(day, LocalTime(hour: 9, minute: 0)),
            end: .at(.local(day, LocalTime(hour: 10, minute: 0))), timeZone: "Europe/Berlin", status: .tentative,
            recurrence: ["RRULE:FREQ=DAILY;COUNT=3"], preEventLead: .minutes(45), vehicleId: "bus")
        #expect(try event(full) == expected)
        #expect(try event(full, contentType: "application/json; charset=utf-8") == expected)
    }

    @Test("a start may be an instant, milliseconds, or a date")
    func times() throws {
        let timed = try event(#"{"calendarId": "c", "uid": "u", "title": "", "start": 1000, "duration": "PT1H"}"#)
        #expect(timed.start == .instant(Instant(milliseconds: 1000)))
        #expect(timed.end == .after(CalendarDuration(time: .hours(1))))
        let text = #"{"calendarId": "c", "uid": "u", "title": "", "start": "2026-11-20T09:00:00+01:00"}"#
        #expect(try event(text).start == .instant(instant("2026-11-20T08:00:00Z")))
        let allDay = try event(#"{"calendarId": "c", "uid": "u", "title": "", "start": "2026-11-20", "allDay": true}"#)
        #expect(allDay.start == .date(LocalDate(year: 2026, month: 11, day: 20)))
        #expect(allDay.end == nil)
    }

    @Test("an override is filed under its original start, a cancelled one needs no title")
    func override() throws {
        let text = #"""
            {"calendarId": "c", "uid": "u", "recurrenceId": "2026-11-20T09:00:00Z", "start": 1, "status": "cancelled"}
            """#
        let read = try event(text)
        #expect(read.status == .cancelled)
        #expect(read.key.text == "c/u/2026-11-20T09:00:00Z")
    }

    @Test(
        "what is wrong is named with its field",
        arguments: [
            ("{", nil), (#"{"uid": "u", "title": "t", "start": 1}"#, "calendarId"),
            (#"{"calendarId": "c", "uid": "", "title": "t", "start": 1}"#, "uid"),
            (#"{"calendarId": "c", "uid": "u", "start": 1}"#, "title"),
            (#"{"calendarId": "c", "uid": "u", "title": "t"}"#, "start"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": "2026-02-30"}"#, "start"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": true}"#, "start"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "end": 1}"#, "end"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "end": 3, "duration": "PT1H"}"#, "duration"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "duration": "1h"}"#, "duration"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "timeZone": "Nowhere"}"#, "timeZone"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "allDay": true}"#, "start"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "status": "gone"}"#, "status"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "sequence": -1}"#, "sequence"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "recurrence": ["RRULE:X"]}"#, "recurrence"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "recurrence": "x"}"#, "recurrence"),
            (#"{"calendarId": "c", "uid": "u", "title": "t", "start": 2, "preEventLead": "P40D"}"#, "preEventLead"),
        ] as [(String, String?)])
    func problems(text: String, field: String?) {
        do {
            _ = try event(text)
            Issue.record("was read: \(text)")
        } catch {
            #expect(error.field == field, "\(error)")
        }
    }

    @Test("what is written reads back")
    func roundTrip() throws {
        let texts = [
            full, #"{"calendarId": "a/b", "uid": "u", "title": "", "start": "2026-11-20", "end": "2026-11-22"}"#,
            #"{"calendarId":"c","uid":"u","title":"t","start":"2026-11-20T08:00:00.500Z","duration":"P1DT2H"}"#,
            #"{"calendarId": "c", "uid": "u", "recurrenceId": "2026-11-20", "title": "t", "start": "2026-11-21"}"#,
        ]
        for text in texts {
            let read = try event(text)
            #expect(try event(json { read.write(to: &$0) }) == read)
        }
    }

    @Test("the key of a tombstone says what it removes")
    func keys() throws {
        func key(_ text: String) throws(MessageProblem) -> EventKey {
            try withBytes(text) { bytes throws(MessageProblem) in try EventKey.decode(bytes) }
        }
        #expect(try key("a%2Fb/u") == EventKey(calendarId: "a/b", uid: "u"))
        #expect(throws: MessageProblem.self) { try key("nothing") }
        #expect(throws: MessageProblem.self) { try key("a/u/someday") }
    }

    @Test("iCalendar text is announced by its content type, and not read as JSON")
    func iCalendar() {
        #expect(throws: MessageProblem.self) { try event(full, contentType: "text/calendar; charset=utf-8") }
    }
}
