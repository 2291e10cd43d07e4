import Messages
import Pipeline
import Seeds
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// `process --until-caught-up`, again and at a later time.
    @Suite struct LaterRunTests {
        private static let configurations = [
            ("interval", #""strategy": "fixedInterval""#), ("dayNight", #""strategy": "dayNight""#),
            ("hourly", #""strategy": "hourly""#), ("schedule", #""strategy": "schedule""#),
            ("times", #""strategy": "timesOfDay""#),
            ("fetched", #""strategy": {"name": "fetched", "every": "P1D"}, "vehicleId": "v1""#),
            ("status", #""vehicleId": "v1", "strategy": {"name": "status", "parkedEvery": "P1D"}"#),
            ("ticks", #""vehicleId": "v1", "calendarIds": ["work"], "strategy": "fixedInterval""#),
            (
                "days",
                #""calendarIds": ["work"], "strategy": {"name": "fixedInterval", "every": "P1D", "span": "P7D"}"#
            ),
            ("events", #""vehicleId": "v1", "calendarIds": ["work"], "strategy": "events""#),
            ("retry", #""vehicleId": "v2", "strategy": "withRetry""#),
        ]

        private func fill(_ pipeline: PipelineFixture) {
            pipeline.parked("v1", "07:50")
            pipeline.event("work", "A", "08:30", "09:30", #""vehicleId": "v1""#)
            pipeline.event("work", "B", "2026-03-03T12:00:00Z", "2026-03-03T13:00:00Z")
            for (id, fields) in Self.configurations { pipeline.configuration(id, fields) }
        }

        @Test(
            "With nothing new no reload is sent, whatever time it is, and timelines are those of that time",
            arguments: ["08:01", "08:20", "08:31", "11:00", "2026-03-03T06:00:00Z"])
        func timeAlone(_ later: String) async throws {
            try await PipelineFixture.run(.init(partitions: [3, 2, 4])) { pipeline in
                fill(pipeline)
                let put = pipeline.inputs
                try await pipeline.bringUp()
                let before = pipeline.outputs.reloads.count
                #expect(before > 0)
                for time in [later, "2026-03-03T06:01:00Z"] {
                    pipeline.advance(to: time)
                    try await pipeline.bringUp()
                    let oracle = Oracle(put, pipeline.topics)
                    for (id, _) in Self.configurations {
                        #expect(try pipeline.timeline(id).contentText == oracle.contentText(id, at: at(time)), "\(id)")
                    }
                }
                #expect(pipeline.outputs.reloads.count == before)
            }
        }

        @Test("What differs by data is announced, then and later")
        func data() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 2, 4])) { pipeline in
                fill(pipeline)
                try await pipeline.bringUp()
                let ids = Self.configurations.map(\.0).sorted()
                func counts() -> [Int] { ids.map { pipeline.reloads($0).count } }
                func announced(since before: [Int]) -> [String] {
                    zip(ids, zip(before, counts())).filter { $1.0 != $1.1 }.map(\.0)
                }
                var before = counts()
                pipeline.event("work", "A", "08:30", "09:30", #""vehicleId": "v1", "location": "Hall""#)
                pipeline.advance(to: "08:20")
                try await pipeline.bringUp()
                #expect(announced(since: before) == ["days", "events", "ticks"])

                before = counts()
                pipeline.advance(to: "08:25")
                try await pipeline.bringUp()
                #expect(announced(since: before) == [])
                pipeline.telemetry("v1", "08:25", #""ignition": false, "speed": 0, "address": "Depot""#)
                pipeline.advance(to: "08:26")
                try await pipeline.bringUp()
                #expect(announced(since: before) == ["events", "fetched", "status", "ticks"])
            }
        }
    }
}
