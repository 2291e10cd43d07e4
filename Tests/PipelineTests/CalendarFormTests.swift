import Messages
import Pipeline
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Calendars as people keep them, as records of `calendar.events` (M4).
    @Suite("Calendar records of every form") struct CalendarFormTests {
        static let configuration =
            #""calendarIds": ["team"], "family": "systemLarge", "preEventLead": "PT0S", "strategy": "#
            + #"{"name": "events", "dayEntries": false}"#

        enum Form: String, CaseIterable, CustomTestStringConvertible {
            case contract, google, iCalendar, iCalendarByItself, jsCalendar

            var testDescription: String { rawValue }

            func put(_ uid: String, _ start: String, _ end: String, into pipeline: PipelineFixture) {
                let key = "team/\(uid)"
                switch self {
                case .contract: pipeline.event("team", uid, start, end)
                case .google: pipeline.google(key, id: uid, start, end)
                case .iCalendar: pipeline.iCalendar(key, ICalendarEvent(uid, start, end))
                case .iCalendarByItself:
                    let text = PipelineFixture.iCalendarText([ICalendarEvent(uid, start, end)])
                    pipeline.put(pipeline.topics.calendarEvents, key: key, text)
                case .jsCalendar: pipeline.jsCalendar(key, uid: uid, start)
                }
            }
        }

        @Test(
            "is shown, replaced and removed, wherever its record comes, and after a restart", arguments: Form.allCases)
        func each(_ form: Form) async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                // The record's partition is that of its key, its task that of its calendar.
                for uid in ["a", "b", "c"] { form.put(uid, "12:00", "13:00", into: pipeline) }
                try await pipeline.settle()
                pipeline.configuration("c1", Self.configuration)
                try await pipeline.settle()
                let starts = ["a", "b", "c"].map { "start 12:00 \($0)" }
                let ends = ["a", "b", "c"].map { "end 13:00 \($0)" }
                #expect(try pipeline.outline("c1") == ["tick 08:00 a"] + starts + ends)
                try await pipeline.restart()
                form.put("a", "14:00", "15:00", into: pipeline)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 14:00 a"))
                #expect(try !pipeline.outline("c1").contains("start 12:00 a"))
                try await pipeline.restart()
                for uid in ["a", "b", "c"] { pipeline.removeEvent("team/\(uid)") }
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["tick 08:00"])
                #expect(pipeline.outputs.deadLetters.isEmpty)
            }
        }

        @Test("A series recurs in the zone that its record defines; an override is a record of its own")
        func definedZone() async throws {
            try await PipelineFixture.run { pipeline in
                let text = """
                    BEGIN:VCALENDAR
                    BEGIN:VTIMEZONE
                    TZID:Ours
                    BEGIN:STANDARD
                    DTSTART:19700101T000000
                    TZOFFSETFROM:+0117
                    TZOFFSETTO:+0117
                    END:STANDARD
                    END:VTIMEZONE
                    BEGIN:VEVENT
                    UID:e
                    SUMMARY:e
                    DTSTART;TZID=Ours:20200301T110000
                    DURATION:PT1H
                    RRULE:FREQ=DAILY
                    END:VEVENT
                    END:VCALENDAR
                    """
                pipeline.iCalendar("team/e", text: text)
                pipeline.configuration("c1", Self.configuration)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").prefix(3) == ["tick 08:00 e", "start 09:43 e", "end 10:43 e"])
                pipeline.event("team", "e", "15:00", "15:30", #""recurrenceId": "\#(at("09:43").rfc3339)""#)
                try await pipeline.settle()
                try await pipeline.restart()
                #expect(try pipeline.outline("c1").prefix(3) == ["tick 08:00 e", "start 15:00 e", "end 15:30 e"])
                // JSON of the same key replaces it, and a tombstone of that key removes it.
                pipeline.event("team", "e", "12:00", "12:30")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 12:00 e"))
                pipeline.iCalendar("team/e", text: text)
                try await pipeline.settle()
                pipeline.removeEvent("team/e/\(at("09:43").rfc3339)")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").prefix(3) == ["tick 08:00 e", "start 09:43 e", "end 10:43 e"])
                pipeline.removeEvent("team/e")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["tick 08:00"])
                #expect(pipeline.outputs.deadLetters.isEmpty)
            }
        }

        @Test("mix in one calendar: an override of one form belongs to a series of another")
        func mixed() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("team", "daily", "09:00", "09:30", #""recurrence": ["RRULE:FREQ=DAILY"]"#)
                let original = #""originalStartTime": {"dateTime": "2026-03-02T09:00:00Z"}"#
                pipeline.google(
                    "team/daily_20260302T090000Z", id: "daily_20260302T090000Z", "10:00", "10:30", title: "moved",
                    #""recurringEventId": "daily", \#(original)"#)
                let tomorrow = "2026-03-03T09:00:00Z"
                pipeline.iCalendar(
                    "team/export.ics", ICalendarEvent("single", "12:00", "13:00"),
                    ICalendarEvent(
                        "daily", "2026-03-03T09:15:00Z", "2026-03-03T09:45:00Z", title: "later",
                        "RECURRENCE-ID:\(ICalendarEvent.basic(tomorrow))"))
                pipeline.jsCalendar("team/js", uid: "js", "14:00")
                try await pipeline.settle()
                pipeline.configuration("c1", Self.configuration)
                try await pipeline.settle()
                let starts = try pipeline.outline("c1").filter { $0.hasPrefix("start") }
                #expect(
                    starts == ["start 10:00 moved", "start 12:00 single", "start 14:00 js", "start 03 09:15 later"])
                // The override goes, and the instance is what the series says.
                pipeline.removeEvent("team/daily_20260302T090000Z")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 09:00 daily"))
                #expect(pipeline.history("c1").count == 2)
            }
        }

        @Test("A newer text of a key replaces all that the older one held")
        func replaced() async throws {
            try await PipelineFixture.run { pipeline in
                let b = ICalendarEvent("b", "11:00", "11:30")
                pipeline.iCalendar("team/export.ics", ICalendarEvent("a", "10:00", "10:30"), b)
                pipeline.event("team", "json", "12:00", "12:30")
                try await pipeline.settle()
                pipeline.configuration("c1", Self.configuration)
                try await pipeline.settle()
                #expect(try starts(pipeline) == ["start 10:00 a", "start 11:00 b", "start 12:00 json"])
                try await pipeline.restart()
                pipeline.iCalendar("team/export.ics", b, ICalendarEvent("c", "13:00", "13:30"))
                try await pipeline.settle()
                #expect(try starts(pipeline) == ["start 11:00 b", "start 12:00 json", "start 13:00 c"])
                #expect(pipeline.history("c1").count == 2, "it is told once")
                // The same again is no news.
                pipeline.iCalendar("team/export.ics", b, ICalendarEvent("c", "13:00", "13:30"))
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 2)
                pipeline.iCalendar("team/export.ics")
                try await pipeline.settle()
                #expect(try starts(pipeline) == ["start 12:00 json"])
                #expect(pipeline.outputs.deadLetters.isEmpty)
            }
        }

        @Test(
            "Of an event in several records the newest version is shown, and an older one when that goes",
            arguments: [false, true])
        func versions(reversed: Bool) async throws {
            try await PipelineFixture.run { pipeline in
                func put(_ key: String, _ sequence: Int) {
                    pipeline.iCalendar(
                        key, ICalendarEvent("x", "10:00", "10:30", title: key, "SEQUENCE:\(sequence)"),
                        ICalendarEvent("only-\(sequence)", "11:00", "11:30"))
                }
                let records = [("team/one", 1), ("team/two", 2), ("team/three", 3)]
                for (key, sequence) in reversed ? records.reversed() : records { put(key, sequence) }
                try await pipeline.settle()
                pipeline.configuration("c1", Self.configuration)
                for newest in ["team/three", "team/two", "team/one"] {
                    try await pipeline.restart()
                    try await pipeline.settle()
                    #expect(try starts(pipeline).first == "start 10:00 \(newest)")
                    pipeline.removeEvent(newest)
                    try await pipeline.settle()
                }
                #expect(try pipeline.outline("c1") == ["tick 08:00"])
            }
        }

        @Test("An older version changes nothing, whichever record brings it, and is not what a restart finds")
        func stale() async throws {
            try await PipelineFixture.run { pipeline in
                func put(_ version: Int, _ sequence: Int, _ others: ICalendarEvent...) {
                    let x = ICalendarEvent("x", "10:00", "10:30", title: "x\(version)", "SEQUENCE:\(sequence)")
                    pipeline.iCalendar("team/x", text: PipelineFixture.iCalendarText([x] + others))
                }
                put(1, 5)
                try await pipeline.settle()
                pipeline.configuration("c1", Self.configuration)
                try await pipeline.settle()
                put(2, 4)
                pipeline.event("team", "x", "10:00", "10:30", #""sequence": 3"#)
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 1)
                // With others in the record it is these that are new.
                put(3, 4, ICalendarEvent("y", "11:00", "11:30"))
                try await pipeline.settle()
                #expect(try starts(pipeline) == ["start 10:00 x1", "start 11:00 y"])
                try await pipeline.restart()
                put(4, 4, ICalendarEvent("z", "12:00", "12:30"))
                try await pipeline.settle()
                #expect(try starts(pipeline) == ["start 10:00 x1", "start 12:00 z"])
                put(5, 5)
                try await pipeline.settle()
                #expect(try starts(pipeline) == ["start 10:00 x5"])
                #expect(pipeline.history("c1").count == 4)
            }
        }

        @Test("A whole calendar under its own id, and the tombstone that removes it")
        func wholeCalendar() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                pipeline.iCalendar("team", ICalendarEvent("a", "10:00", "10:30"))
                pipeline.event("team", "json", "12:00", "12:30")
                // Resources under a key that only names the calendar are filed under their ids.
                pipeline.google("team", id: "g1", "13:00", "13:30")
                pipeline.google("team", id: "g2", "14:00", "14:30")
                try await pipeline.settle()
                pipeline.configuration("c1", Self.configuration)
                try await pipeline.settle()
                #expect(
                    try starts(pipeline) == [
                        "start 10:00 a", "start 12:00 json", "start 13:00 g1", "start 14:00 g2",
                    ])
                pipeline.removeEvent("team")
                pipeline.removeEvent("team/g2")
                try await pipeline.settle()
                #expect(try starts(pipeline) == ["start 12:00 json", "start 13:00 g1"])
                #expect(pipeline.outputs.deadLetters.isEmpty)
                // Nothing is filed under that name any more: it is a tombstone that names no event.
                pipeline.removeEvent("team")
                try await pipeline.settle()
                #expect(pipeline.outputs.deadLetters.map(\.keyText) == ["team"])
            }
        }

        private func starts(_ pipeline: PipelineFixture) throws -> [String] {
            try pipeline.outline("c1").filter { $0.hasPrefix("start") }
        }
    }
}
