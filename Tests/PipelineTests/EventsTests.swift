import Messages
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Strategy `events`, end to end (T20).
    @Suite struct EventsTests {
        @Test("An event is announced, starts and ends; midnights without an entry are days", arguments: Ground.allCases)
        func entries(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.event("work", "Standup", "09:00", "09:15")
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["work"]"#)
                try await pipeline.settle()
                #expect(
                    try pipeline.outline("c1") == [
                        "day 00:00", "preEvent 08:30 Standup", "start 09:00 Standup", "end 09:15 Standup",
                        "day 03 00:00",
                    ])
                let timeline = try pipeline.timeline("c1").timeline
                #expect(timeline.policy == .after(at("2026-03-03T00:00:00Z")))
                #expect(timeline.entries[0].next?.uid == "Standup")
                #expect(timeline.entries[3].ongoing == [])
                #expect(timeline.entries[1].relevance == .init(score: 0.7, duration: 1800))
            }
        }

        @Test("The timeline is renewed at the local midnight, for that midnight", arguments: Ground.allCases)
        func renewal(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.event("work", "Lunch", "2026-03-04T11:00:00Z", "2026-03-04T12:00:00Z")
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["work"], "timeZone": "Europe/Zurich""#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["day", "day"])
                #expect(try pipeline.timeline("c1").timeline.nextUpdate == at("23:00"))
                try await pipeline.settle(at: "22:59:59")
                #expect(pipeline.history("c1").count == 1)
                try await pipeline.settle(at: "23:00:02")
                #expect(pipeline.history("c1").count == 2)
                #expect(try pipeline.timeline("c1").generatedAt == at("23:00"))
                #expect(try pipeline.phases("c1") == ["day", "day", "preEvent", "start", "end"])
                #expect(try pipeline.timeline("c1").timeline.nextUpdate == at("2026-03-03T23:00:00Z"))
                try await pipeline.settle(at: "2026-03-03T23:00:00Z")
                #expect(pipeline.history("c1").count == 3)
            }
        }

        @Test(
            "An event that changes, is cancelled or is deleted makes a timeline and a reload",
            arguments: Ground.allCases)
        func changes(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.event("work", "A", "10:00", "11:00")
                pipeline.event("work", "B", "14:00", "15:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["work"]"#)
                try await pipeline.settle()
                pipeline.event("work", "A", "10:30", "11:00", #""sequence": 1"#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 10:30 A"))
                pipeline.event("work", "A", "10:30", "11:00", #""sequence": 2, "status": "cancelled""#)
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").filter { $0.hasSuffix("A") } == [])
                pipeline.removeEvent("work/B")
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["day", "day"])
                #expect(pipeline.history("c1").map(\.revision) == [1, 2, 3, 4])
                #expect(pipeline.reloads("c1").map(\.revision) == [1, 2, 3, 4])
                #expect(pipeline.reloads("c1").map(\.reason).dropFirst().allSatisfy { $0 == .dataChanged })
            }
        }

        @Test("An older sequence, and an older updatedAt, change nothing")
        func olderVersions() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("work", "A", "10:00", "11:00", #""sequence": 2, "updatedAt": "2026-03-01T12:00:00Z""#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["work"]"#)
                try await pipeline.settle()
                pipeline.event("work", "A", "12:00", "13:00", #""sequence": 1, "updatedAt": "2026-03-01T13:00:00Z""#)
                pipeline.event("work", "A", "12:00", "13:00", #""sequence": 2, "updatedAt": "2026-03-01T11:00:00Z""#)
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 1)
            }
        }

        @Test("A calendar of which nothing was heard is an empty calendar")
        func unknownCalendar() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""calendarIds": ["nowhere"]"#)
                pipeline.configuration("c2", #""strategy": "events""#)
                try await pipeline.settle()
                for id in ["c1", "c2"] { #expect(try pipeline.outline(id) == ["day 00:00", "day 03 00:00"]) }
            }
        }

        @Test(
            "Several calendars are shown together, and nothing is published before all have answered",
            arguments: Ground.allCases)
        func severalCalendars(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [4, 4, 4])) { pipeline in
                for calendar in ["a", "b", "c", "d", "e"] {
                    pipeline.event(calendar, "of-\(calendar)", "12:00", "13:00")
                }
                try await pipeline.settle()
                pipeline.configuration("c1", #""family": "systemLarge", "calendarIds": ["e", "d", "c", "b", "a"]"#)
                try await pipeline.settle()
                let starts = try pipeline.outline("c1").filter { $0.hasPrefix("start") }
                #expect(starts == ["a", "b", "c", "d", "e"].map { "start 12:00 of-\($0)" })
                // Only what came after the first timeline could have made another one.
                let first = try #require(pipeline.history("c1").first)
                #expect(first.timeline.entries.count { $0.phase == .start } == 5)
            }
        }

        @Test("Two viewers of one calendar see it in their own time zones")
        func timeZones() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.rawEvent("work", "Day", #""start": "2026-03-03", "end": "2026-03-04", "allDay": true"#)
                try await pipeline.settle()
                pipeline.configuration("tokyo", #""calendarIds": ["work"], "timeZone": "Asia/Tokyo""#)
                pipeline.configuration("denver", #""calendarIds": ["work"], "timeZone": "America/Denver""#)
                try await pipeline.settle()
                #expect(try pipeline.outline("tokyo").contains("start 15:00 Day"))
                #expect(try pipeline.outline("denver").contains("start 03 07:00 Day"))
                #expect(try pipeline.timeline("tokyo").timeline.nextUpdate == at("15:00"))
                #expect(try pipeline.timeline("denver").timeline.nextUpdate == at("2026-03-03T07:00:00Z"))
                try await pipeline.settle(at: "15:00")
                #expect(pipeline.history("tokyo").count == 2)
                #expect(pipeline.history("denver").count == 1)
            }
        }

        @Test("A change outside the window makes nothing")
        func outsideTheWindow() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""calendarIds": ["work"]"#)
                try await pipeline.settle()
                pipeline.event("work", "Later", "2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z")
                pipeline.event("work", "Past", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z")
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 1)
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                #expect(try pipeline.outline("c1").contains("start 04 09:00 Later"))
            }
        }

        @Test("An event's own lead beats the configuration's, and reaches over the window's end")
        func leads() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event(
                    "work", "Trip", "2026-03-05T09:00:00Z", "2026-03-05T10:00:00Z", #""preEventLead": "P2D""#)
                pipeline.event("work", "Short", "09:00", "09:10")
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["work"], "preEventLead": "PT10M""#)
                try await pipeline.settle()
                let outline = try pipeline.outline("c1")
                #expect(outline.contains("preEvent 03 09:00 Trip"))
                #expect(outline.contains("preEvent 08:50 Short"))
            }
        }

        @Test("Instances of a series and an instance that was moved", arguments: Ground.allCases)
        func series(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground) { pipeline in
                pipeline.event("work", "Daily", "10:00", "10:30", #""recurrence": ["RRULE:FREQ=DAILY"]"#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""calendarIds": ["work"], "preEventLead": "PT0S""#)
                try await pipeline.settle()
                #expect(
                    try pipeline.outline("c1").filter { $0.hasPrefix("start") }
                        == ["start 10:00 Daily", "start 03 10:00 Daily"])
                let moved = "\"start\": \"2026-03-02T16:00:00Z\", \"end\": \"2026-03-02T16:30:00Z\""
                pipeline.rawEvent(
                    "work", "Daily", moved + #", "recurrenceId": "2026-03-02T10:00:00Z""#,
                    key: "work/Daily/2026-03-02T10:00:00Z")
                try await pipeline.settle()
                #expect(
                    try pipeline.outline("c1").filter { $0.hasPrefix("start") }
                        == ["start 16:00 Daily", "start 03 10:00 Daily"])
                pipeline.removeEvent("work/Daily/2026-03-02T10:00:00Z")
                try await pipeline.settle()
                #expect(try pipeline.outline("c1").contains("start 10:00 Daily"))
            }
        }

        @Test("Events of the configuration's vehicle carry its status, and a change of it makes a timeline")
        func vehicleOfAnEvent() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("work", "Drive", "09:00", "10:00", #""vehicleId": "v1""#)
                pipeline.event("work", "Walk", "11:00", "12:00", #""vehicleId": "v2""#)
                try await pipeline.settle()
                pipeline.configuration("c1", #""strategy": "events", "calendarIds": ["work"], "vehicleId": "v1""#)
                try await pipeline.settle()
                pipeline.moving("v1", "08:00:30")
                try await pipeline.settle(at: "08:00:30")
                let drive = try pipeline.timeline("c1").timeline.entries.filter { $0.event?.uid == "Drive" }
                #expect(drive.map(\.vehicle?.status) == ["Moving", "Moving", nil])
                #expect(
                    try pipeline.timeline("c1").timeline.entries.allSatisfy {
                        $0.event?.uid == "Drive" || $0.vehicle == nil
                    })
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.history("c1").count == 3)
                #expect(
                    pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .statusChanged, .statusChanged])
            }
        }

        @Test(
            "A vehicle that is parked, or falls silent, at the very midnight does not stop the renewals",
            arguments: [true, false])
        func statusAtMidnight(_ isParked: Bool) async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.configuration("c1", #""strategy": "events", "calendarIds": ["work"], "vehicleId": "v1""#)
                pipeline.moving("v1", "23:30")
                try await pipeline.settle(at: "23:45")
                if isParked { pipeline.parked("v1", "23:59:59") }
                for midnight in ["2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z", "2026-03-05T00:00:00Z"] {
                    try await pipeline.settle(at: midnight)
                    #expect(try pipeline.timeline("c1").generatedAt == at(midnight))
                }
            }
        }
    }
}
