import Messages
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// The agenda moves on with time (T20, T12).
    @Suite struct HorizonTests {
        static let thirdDay = "2026-03-04"

        @Test("An occurrence enters the window at midnight, though no record comes")
        func midnight() async throws {
            try await PipelineFixture.run { pipeline in
                let day = Self.thirdDay
                pipeline.event("team", "single", "\(day)T09:00:00Z", "\(day)T10:00:00Z")
                pipeline.iCalendar(
                    "team/series.ics",
                    ICalendarEvent("series", "2026-02-04T11:00:00Z", "2026-02-04T12:00:00Z", "RRULE:FREQ=WEEKLY"))
                pipeline.configuration("c1", #""calendarIds": ["team"], "family": "systemLarge""#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["day", "day"])
                try await pipeline.settle(at: "23:59")
                #expect(pipeline.history("c1").count == 1)
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                let made = try pipeline.timeline("c1")
                #expect(made.generatedAt == at("2026-03-03T00:00:00Z"))
                #expect(
                    try pipeline.outline("c1").filter { $0.hasPrefix("start") } == [
                        "start 04 09:00 single", "start 04 11:00 series",
                    ])
                #expect(pipeline.history("c1").count == 2)
                #expect(pipeline.reloads("c1").count == 1, "who shows a timeline comes back at midnight by itself")
            }
        }

        @Test("An occurrence enters with its own lead, which reaches beyond the window's last day")
        func lead() async throws {
            try await PipelineFixture.run { pipeline in
                let day = "2026-03-08"
                let lead = #""preEventLead": "P3D""#
                pipeline.event("team", "trip", "\(day)T09:00:00Z", "\(day)T10:00:00Z", lead)
                pipeline.configuration("c1", #""calendarIds": ["team"], "family": "systemLarge""#)
                try await pipeline.settle()
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                #expect(try pipeline.phases("c1") == ["day", "day"])
                try await pipeline.settle(at: "2026-03-04T00:00:00Z")
                #expect(try pipeline.outline("c1").contains("preEvent 05 09:00 trip"))
            }
        }

        @Test("A change beyond the window makes nothing; one that moves an occurrence into it is told once")
        func changeBeyond() async throws {
            try await PipelineFixture.run { pipeline in
                let day = Self.thirdDay
                pipeline.event("team", "e", "\(day)T09:00:00Z", "\(day)T10:00:00Z")
                pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                try await pipeline.settle()
                pipeline.event("team", "e", "\(day)T11:00:00Z", "\(day)T12:00:00Z")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.history("c1").count == 1)
                pipeline.event("team", "e", "09:00", "10:00")
                try await pipeline.settle(at: "08:02")
                #expect(try pipeline.outline("c1").contains("start 09:00 e"))
                #expect(pipeline.history("c1").count == 2)
                pipeline.event("team", "e", "\(day)T11:00:00Z", "\(day)T12:00:00Z")
                try await pipeline.settle(at: "08:03")
                #expect(try pipeline.phases("c1") == ["day", "day"])
                pipeline.removeEvent("team/e")
                try await pipeline.settle(at: "08:04")
                #expect(pipeline.history("c1").count == 3)
            }
        }
    }
}
