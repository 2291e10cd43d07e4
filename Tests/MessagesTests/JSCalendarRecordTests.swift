import Agendas
import Messages
import Testing
import Timelines

extension CalendarRecordTests {
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
