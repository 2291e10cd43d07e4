import Messages
import Pipeline
import RecordLog
import Testing
import Timelines

extension PipelineTests {
    /// Calendar records that cannot be read, or not all of them.
    @Suite struct CalendarFailureTests {
        @Test("What is right of a text is used, and the record goes to the dead letters with what was left out")
        func partly() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                var broken = ICalendarEvent("broken", "11:00", "11:30")
                broken.lines.removeAll { $0.hasPrefix("DTSTART") }
                let text = PipelineFixture.iCalendarText([ICalendarEvent("a", "10:00", "10:30"), broken])
                pipeline.iCalendar("team/export.ics", text: text)
                pipeline.configuration("c1", CalendarFormTests.configuration)
                pipeline.configuration("c2", #""calendarIds": ["team"], "strategy": "fetched""#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1") == ["tick 08:00 a", "start 10:00 a", "end 10:30 a"])
                #expect(try pipeline.phases("c2") == ["tick"], "a calendar of which some can be read has not failed")
                let letter = try #require(pipeline.outputs.deadLetters.first)
                #expect(pipeline.outputs.deadLetters.count == 1)
                #expect(letter.valueText == text)
                let reason = try #require(letter.header("__streams.errors.message"))
                #expect(reason == "line 9: DTSTART is missing; left out; 1 of its events are used")
            }
        }

        @Test("A text that cannot be read is a dead letter, its calendar has failed, and what was known stays")
        func unreadable() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                pipeline.iCalendar("team", ICalendarEvent("a", "10:00", "10:30"))
                pipeline.configuration("c1", CalendarFormTests.configuration)
                pipeline.configuration("c2", #""calendarIds": ["team"], "strategy": "fetched""#)
                try await pipeline.settle()
                pipeline.iCalendar(
                    "team", text: "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\nEND:VEVENT\nEND:VCALENDAR\n")
                pipeline.iCalendar("team", text: "")
                try await pipeline.settle(at: "08:15")
                #expect(pipeline.outputs.deadLetters.count == 2)
                #expect(try pipeline.phases("c2") == ["placeholder"])
                #expect(try pipeline.outline("c1").contains("start 10:00 a"))
                pipeline.iCalendar("team", ICalendarEvent("b", "11:00", "11:30"))
                try await pipeline.settle(at: "08:20")
                #expect(try pipeline.phases("c2") == ["tick"])
                #expect(try pipeline.outline("c1").contains("start 11:00 b"))
            }
        }

        @Test("A record belongs to one calendar, and one that holds several events to that of its key")
        func calendars() async throws {
            try await PipelineFixture.run { pipeline in
                func group(_ key: String?, _ calendars: String...) {
                    let entries = calendars.map { calendar in
                        #"{"@type": "Event", "calendarId": "\#(calendar)", "uid": "u\#(calendar)", "title": "t", "#
                            + #""start": "2026-03-02T10:00:00", "timeZone": "Etc/UTC"}"#
                    }
                    pipeline.put(
                        pipeline.topics.calendarEvents, key: key,
                        #"{"@type": "Group", "entries": [\#(entries.joined(separator: ", "))]}"#)
                }
                group("team/g", "team", "other")
                group("other/g", "team", "team")
                group(nil, "team")
                group(nil)
                pipeline.iCalendar("", ICalendarEvent("a", "10:00", "10:30"))
                group("team/g", "team")
                pipeline.configuration("c1", CalendarFormTests.configuration)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").event?.uid == "uteam")
                let reasons = pipeline.outputs.deadLetters.compactMap { $0.header("__streams.errors.message") }.sorted()
                #expect(
                    reasons == [
                        "calendarId: must be the same of all events of a record",
                        "key: must be calendarId or calendarId/uid, as the value names none",
                        "key: must be calendarId or calendarId/…, as the value names none",
                        "key: must begin with the calendarId that the value names, team",
                        "key: must begin with the calendarId that the value names, team",
                    ])
            }
        }
    }
}
