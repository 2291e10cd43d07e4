import Messages
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// A timeline is renewed at its `nextUpdate`, for that instant, and at no other (T12).
    @Suite struct RenewalTests {
        /// What a configuration asks for, and the due dates of its first renewals when it came at 08:00.
        struct Family: Sendable, CustomTestStringConvertible {
            var name: String
            var fields: String
            var due: [String]

            var testDescription: String { name }
        }

        private static let families = [
            Family(name: "status, moving", fields: #""vehicleId": "moving""#, due: ["08:02", "08:04"]),
            Family(name: "status, parked", fields: #""vehicleId": "parked""#, due: ["08:15", "08:30"]),
            Family(name: "status, unknown", fields: #""vehicleId": "nobody""#, due: ["08:02", "08:04"]),
            Family(name: "status, none", fields: #""strategy": "status""#, due: ["08:15", "08:30"]),
            Family(name: "signed out", fields: #""vehicleId": "moving", "signedIn": false"#, due: ["08:15", "08:30"]),
            Family(
                name: "withRetry of status", fields: #""vehicleId": "moving", "strategy": "# + retry("status"),
                due: ["08:02", "08:04"]),
            Family(name: "fixedInterval", fields: #""strategy": "fixedInterval""#, due: ["08:45", "09:30"]),
            Family(
                name: "fixedInterval with sources", fields: sources + #""strategy": "fixedInterval""#,
                due: ["08:45", "09:30"]),
            Family(
                name: "timesOfDay", fields: sources + #""strategy": "timesOfDay""#,
                due: ["2026-03-03T09:00:00Z", "2026-03-04T09:00:00Z"]),
            Family(
                name: "events", fields: #""calendarIds": ["work"]"#,
                due: ["2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z"]),
            Family(
                name: "events in New York", fields: #""calendarIds": ["work"], "timeZone": "America/New_York""#,
                due: ["2026-03-03T05:00:00Z", "2026-03-04T05:00:00Z"]),
            Family(
                name: "fetched", fields: #""vehicleId": "parked", "strategy": "fetched""#, due: ["08:15", "08:30"]),
            Family(
                name: "fetched, failing", fields: #""vehicleId": "nobody", "strategy": "fetched""#,
                due: ["08:05", "08:10"]),
            Family(
                name: "withRetry of fetched, failing",
                fields: #""vehicleId": "nobody", "strategy": "# + retry("fetched"), due: ["08:01", "08:02"]),
            Family(name: "dayNight", fields: #""strategy": "dayNight""#, due: ["08:45", "09:30"]),
            Family(
                name: "hourly", fields: #""strategy": "hourly", "family": "systemLarge""#,
                due: ["19:00", "2026-03-03T06:00:00Z"]),
            Family(name: "schedule", fields: #""strategy": "schedule""#, due: ["08:09", "08:18"]),
            Family(
                name: "periodic schedule",
                fields: schedule(#"{"type": "periodic", "from": "2026-03-02T07:50:00Z", "by": "PT30M"}"#),
                due: ["12:20", "16:50"]),
        ]

        private static let sources = #""vehicleId": "parked", "calendarIds": ["work"], "#

        private static func retry(_ inner: String) -> String { #"{"name": "withRetry", "inner": "\#(inner)"}"# }

        private static func schedule(_ schedule: String) -> String {
            #""strategy": {"name": "schedule", "schedule": \#(schedule)}"#
        }

        private func run(_ family: Family, _ body: (PipelineFixture) async throws -> Void) async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("moving", "08:00")
                pipeline.parked("parked", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", family.fields)
                try await pipeline.settle()
                try #require(pipeline.history("c1").map(\.generatedAt) == [at("08:00")])
                try await body(pipeline)
            }
        }

        @Test("on the millisecond of each due date, not before, though something else is read", arguments: families)
        func exact(_ family: Family) async throws {
            try await run(family) { pipeline in
                var made = [at("08:00")]
                for due in family.due {
                    pipeline.telemetry("another", pipeline.clock.now.rfc3339, #""speed": 5"#)
                    try await pipeline.settle(at: (at(due) - ElapsedTime(milliseconds: 1)).rfc3339)
                    #expect(pipeline.history("c1").map(\.generatedAt) == made)
                    made.append(at(due))
                    try await pipeline.settle(at: due)
                    #expect(pipeline.history("c1").map(\.generatedAt) == made)
                }
            }
        }

        @Test("for the due date where it is seen a little later, for now after a pause, once", arguments: families)
        func late(_ family: Family) async throws {
            try await run(family) { pipeline in
                let due = at(family.due[0])
                try await pipeline.settle(at: (due + .seconds(50)).rfc3339)
                #expect(pipeline.history("c1").map(\.generatedAt) == [at("08:00"), due])
                let days = due + .hours(70) + .seconds(7)
                try await pipeline.settle(at: days.rfc3339)
                // A vehicle that moved has been silent since: that is the same timeline.
                #expect(pipeline.history("c1").map(\.generatedAt) == [at("08:00"), due, days])
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 3)
            }
        }

        @Test("A timeline with policy never is not renewed")
        func never() async throws {
            let family = Family(name: "preview", fields: #""strategy": "preview""#, due: [])
            try await run(family) { pipeline in
                for days in 1...3 { try await pipeline.settle(at: (at("08:00") + .hours(Int64(24 * days))).rfc3339) }
                #expect(pipeline.history("c1").count == 1)
            }
        }

        @Test(
            "Intervals that are missed within less than a pause are one renewal, too",
            arguments: [
                #""name": "status", "every": "PT1S""#, #""name": "fixedInterval", "every": "PT1S", "span": "PT3S""#,
            ])
        func shortIntervals(_ strategy: String) async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "strategy": {\#(strategy)}"#)
                try await pipeline.settle()
                try await pipeline.settle(at: "08:00:30")
                #expect(pipeline.history("c1").map(\.generatedAt) == [at("08:00"), at("08:00:30")])
            }
        }

        @Test("Midnights that pass unseen move a window on once")
        func midnights() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("work", "Far", "2026-03-07T09:00:00Z", "2026-03-07T10:00:00Z")
                pipeline.configuration("c1", #""calendarIds": ["work"]"#)
                pipeline.configuration("c2", #""calendarIds": ["work"], "strategy": "preview""#)
                try await pipeline.settle()
                try await pipeline.settle(at: "2026-03-06T08:00:00Z")
                #expect(pipeline.history("c1").map(\.generatedAt) == [at("08:00"), at("2026-03-06T08:00:00Z")])
                #expect(try pipeline.outline("c1").contains("start 07 09:00 Far"))
                // The window of now is the one that is watched.
                pipeline.event("work", "Near", "2026-03-06T12:00:00Z", "2026-03-06T13:00:00Z")
                try await pipeline.settle(at: "2026-03-06T08:01:00Z")
                #expect(try pipeline.outline("c1").contains("start 06 12:00 Near"))
                #expect(pipeline.history("c1").count == 3)
            }
        }
    }
}
