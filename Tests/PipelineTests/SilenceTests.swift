import Messages
import Pipeline
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// A vehicle that falls silent, once for each strategy that asks (T12 and 2, failure).
    @Suite struct SilenceTests {
        /// `stale` after 20 minutes, an error after an hour; nothing is due by itself for a day.
        private static let strategy = #"""
            "strategy": {"name": "withRetry", "offlineAfter": "PT1H", "retryAfter": "P1D",
                "inner": {"name": "status", "every": "P1D", "parkedEvery": "P1D", "offlineAfter": "PT20M"}}
            """#

        @Test("Each silence makes a timeline when it has passed, over restarts, too")
        func each() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                pipeline.moving("v1", "08:00")
                pipeline.parked("v2", "08:00")
                try await pipeline.settle()
                for (id, vehicle) in [("c1", "v1"), ("c2", "v2")] {
                    pipeline.configuration(id, #""vehicleId": "\#(vehicle)", "# + Self.strategy)
                }
                for time in ["08:00", "08:19", "08:20", "08:59", "09:00", "10:00"] {
                    if time == "08:59" { try await pipeline.restart() }
                    try await pipeline.settle(at: time)
                }
                #expect(pipeline.history("c1").map(\.generatedAt) == ["08:00", "08:20", "09:00"].map { at($0) })
                #expect(pipeline.history("c1").map(\.timeline.entries[0].phase) == [.status, .stale, .error])
                #expect(try pipeline.entry("c1").message?.code == .silent)
                #expect(
                    pipeline.reloads("c1").map(\.reason) == [.configurationChanged, .statusChanged, .statusChanged])
                #expect(pipeline.history("c2").count == 1, "a vehicle with its ignition off may be silent")
            }
        }

        @Test("A vehicle that says nothing but that it is offline is silent no more")
        func offlineByItself() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                pipeline.configuration("c1", #""vehicleId": "v1", "# + Self.strategy)
                try await pipeline.settle()
                try await pipeline.settle(at: "09:00")
                #expect(try pipeline.phases("c1") == ["error"])
                pipeline.telemetry("v1", "08:30", #""status": "Offline""#)
                try await pipeline.settle(at: "09:01")
                #expect(try pipeline.phases("c1") == ["stale"])
                pipeline.telemetry("v1", "09:01", #""status": "Offline""#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").phase == .status)
                try await pipeline.settle(at: "10:01")
                #expect(try pipeline.phases("c1") == ["error"])
            }
        }
    }
}
