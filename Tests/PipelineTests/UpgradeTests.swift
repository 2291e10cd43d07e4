import Messages
import Pipeline
import RecordLog
import Testing
import Timelines

extension PipelineTests {
    /// A release whose rules of content are others than those of the one before: nobody is told of what differs by them
    /// alone.
    @Suite struct UpgradeTests {
        /// Every entry differs from what the rules of now make of the same; written as state of releases that knew no
        /// numbers.
        private static let older = ContentRules(version: 0) { request in
            var timeline = TimelineProvider.timeline(for: request)
            for index in timeline.entries.indices {
                timeline.entries[index].relevance = .init(score: 0.125, duration: 60)
            }
            return timeline
        }

        /// Filled under the older rules.
        private func run(_ body: (PipelineFixture) async throws -> Void) async throws {
            var options = PipelineFixture.Options(partitions: [3, 2, 4])
            options.change = { $0.contentRules = Self.older }
            try await PipelineFixture.run(options) { pipeline in
                pipeline.parked("v1", "07:50")
                pipeline.event("work", "A", "08:30", "12:30", #""vehicleId": "v1""#)
                pipeline.event("work", "B", "09:00", "10:00")
                // What comes next after today's last entry, whatever else comes tomorrow.
                pipeline.event("work", "C", "2026-03-03T00:00:01Z", "2026-03-03T00:30:00Z")
                try await pipeline.settle()
                pipeline.configuration("events", #""calendarIds": ["work"]"#)
                pipeline.configuration(
                    "both", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["work", "home"]"#)
                pipeline.configuration("status", #""vehicleId": "v1""#)
                pipeline.configuration("ticks", #""strategy": {"name": "fixedInterval", "span": "PT3H"}"#)
                try await pipeline.settle()
                for id in Self.ids {
                    #expect(pipeline.history(id).count == 1 && pipeline.reloads(id).count == 1, "\(id)")
                }
                try await body(pipeline)
            }
        }

        private static let ids = ["events", "both", "status", "ticks"]

        private func upgrade(_ pipeline: PipelineFixture) async throws {
            try await pipeline.restart { $0.contentRules = .current }
            try await pipeline.settle()
        }

        private func counts(_ pipeline: PipelineFixture) -> [[Int]] {
            Self.ids.map { [pipeline.history($0).count, pipeline.reloads($0).count] }
        }

        @Test("Nothing is made at the start; what is due is made by the new rules, with a new revision, untold")
        func whenDue() async throws {
            try await run { pipeline in
                try await upgrade(pipeline)
                #expect(counts(pipeline) == [[1, 1], [1, 1], [1, 1], [1, 1]])
                try await pipeline.settle(at: "08:15")
                #expect(counts(pipeline) == [[1, 1], [1, 1], [2, 1], [1, 1]])
                #expect(try pipeline.timeline("status").revision == 2)
                #expect(try pipeline.entry("status").relevance?.score == 0.5)
                // By the new rules twice: nothing differs.
                try await pipeline.settle(at: "08:30")
                #expect(try pipeline.timeline("status").revision == 2)
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                for id in Self.ids {
                    #expect(try pipeline.timeline(id).revision > 1, "\(id)")
                    #expect(pipeline.reloads(id).count == 1, "\(id)")
                }
            }
        }

        @Test("A change of status that comes first is announced")
        func status() async throws {
            try await run { pipeline in
                try await upgrade(pipeline)
                pipeline.moving("v1", "08:05")
                try await pipeline.settle(at: "08:05")
                #expect(counts(pipeline) == [[1, 1], [2, 2], [2, 2], [1, 1]])
                #expect(pipeline.reloads("status").last?.reason == .statusChanged)
                #expect(pipeline.reloads("both").last?.reason == .statusChanged)
                #expect(pipeline.reloads("both").last?.revision == 2)
            }
        }

        @Test("An event that is not to be seen yet costs no reload, one that is to be seen does")
        func events() async throws {
            try await run { pipeline in
                try await upgrade(pipeline)
                pipeline.event("work", "Tomorrow", "2026-03-03T15:00:00Z", "2026-03-03T16:00:00Z")
                try await pipeline.settle(at: "08:05")
                #expect(counts(pipeline) == [[2, 1], [2, 1], [1, 1], [1, 1]])
                #expect(try pipeline.timeline("events").revision == 2)
                pipeline.event("home", "Today", "15:00", "16:00")
                try await pipeline.settle(at: "08:06")
                #expect(counts(pipeline) == [[2, 1], [3, 2], [1, 1], [1, 1]])
                pipeline.event("work", "Today", "17:00", "18:00")
                try await pipeline.settle(at: "08:07")
                #expect(counts(pipeline) == [[3, 2], [4, 3], [1, 1], [1, 1]])
            }
            try await run { pipeline in
                try await upgrade(pipeline)
                pipeline.event("work", "Today", "15:00", "16:00")
                try await pipeline.settle(at: "08:05")
                #expect(counts(pipeline) == [[2, 2], [2, 2], [1, 1], [1, 1]])
            }
        }

        @Test("A configuration that is saved again is told of what it changes")
        func configuration() async throws {
            try await run { pipeline in
                try await upgrade(pipeline)
                pipeline.configuration("events", #""calendarIds": ["work"]"#)
                pipeline.configuration("ticks", #""strategy": {"name": "fixedInterval", "every": "PT20M"}"#)
                try await pipeline.settle()
                #expect(counts(pipeline) == [[2, 1], [1, 1], [1, 1], [2, 2]])
                #expect(try pipeline.timeline("events").revision == 2)
                #expect(pipeline.reloads("ticks").last?.reason == .configurationChanged)
                pipeline.configuration("events", #""calendarIds": ["work"], "maximumEntries": 2"#)
                try await pipeline.settle()
                #expect(pipeline.reloads("events").count == 2)
            }
        }

        @Test("A restart at any step between tells nobody more", arguments: 0..<6)
        func restart(after step: Int) async throws {
            try await run { pipeline in
                try await pipeline.restart { $0.contentRules = .current }
                // Makes `both` ask its vehicle and its calendars first.
                pipeline.event("work", "Tomorrow", "2026-03-03T15:00:00Z", "2026-03-03T16:00:00Z")
                pipeline.advance(to: "08:05")
                for _ in 0..<step { try pipeline.step() }
                try await pipeline.restart()
                try await pipeline.settle()
                #expect(counts(pipeline) == [[2, 1], [2, 1], [1, 1], [1, 1]])
                pipeline.event("work", "Today", "15:00", "16:00")
                try await pipeline.settle(at: "08:06")
                #expect(counts(pipeline) == [[3, 2], [3, 2], [1, 1], [1, 1]])
            }
        }

        @Test("A change that waits for a token at the upgrade is announced, once")
        func held() async throws {
            var options = PipelineFixture.Options()
            options.change = {
                $0.contentRules = Self.older
                $0.reload.limit = 25
                $0.reload.burst = 1
            }
            try await PipelineFixture.run(options) { pipeline in
                pipeline.configuration("c1", #""calendarIds": ["work"]"#)
                try await pipeline.settle()
                for minute in 1...2 {
                    pipeline.event("work", "E\(minute)", "15:0\(minute)", "16:00")
                    try await pipeline.settle(at: "08:0\(minute)")
                }
                #expect(pipeline.reloads("c1").count == 2, "the first is free, the second costs the only token")
                try await upgrade(pipeline)
                pipeline.event("work", "Tomorrow", "2026-03-03T15:00:00Z", "2026-03-03T16:00:00Z")
                try await pipeline.settle(at: "08:10")
                #expect(pipeline.reloads("c1").count == 2)
                try await pipeline.settle(at: "20:00")
                #expect(pipeline.reloads("c1").map(\.revision) == [1, 2, 4])
            }
        }
    }
}
