import Messages
import Pipeline
import RecordLog
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Timelines that would be larger than their topic allows, and what brings them back.
    @Suite struct TooLargeTests {
        private static func address(_ bytes: Int) -> String {
            #""ignition": true, "speed": 40, "address": "\#(String(repeating: "x", count: bytes))""#
        }

        @Test(
            "One record that is too large to be shown is forgotten with the next one",
            arguments: [
                #""fixedInterval""#, #""status""#, #"{"name": "fixedInterval", "every": "P1D", "span": "P4D"}"#,
            ], [false, true])
        func oneRecord(strategy: String, restarts: Bool) async throws {
            for partition in Partition(0)..<2 {
                try await PipelineFixture.run { pipeline in
                    pipeline.telemetry("v1", "08:00", Self.address(10))
                    try await pipeline.settle()
                    pipeline.configuration("c1", #""vehicleId": "v1", "strategy": \#(strategy)"#)
                    try await pipeline.settle()
                    let phases = try pipeline.phases("c1")
                    pipeline.telemetry("v1", "08:01", Self.address(600_000), partition: partition)
                    try await pipeline.settle(at: "08:01")
                    #expect(pipeline.history("c1").count == 1)
                    // The next timeline shows it.
                    pipeline.telemetry(
                        "v1", "08:01:10", Self.address(600_000).replacing("true", with: "false"), partition: partition)
                    try await pipeline.settle(at: "08:01:10")
                    #expect(try pipeline.phases("c1") == ["error"])
                    #expect(try pipeline.timeline("c1").timeline.nextUpdate != nil, "it is tried again by itself")
                    let announced = pipeline.reloads("c1").count
                    if restarts { try await pipeline.restart() }
                    pipeline.telemetry(
                        "v1", "08:01:20", Self.address(12).replacing("true", with: "false"), partition: partition)
                    try await pipeline.settle(at: "08:01:20")
                    #expect(try pipeline.phases("c1") == phases)
                    #expect(try pipeline.entry("c1").vehicle?.location == String(repeating: "x", count: 12))
                    #expect(pipeline.reloads("c1").count == announced + 1)
                    // And that was all.
                    pipeline.telemetry("v1", "08:01:30", Self.address(5).replacing("true", with: "false"))
                    let count = pipeline.history("c1").count
                    try await pipeline.settle(at: "08:01:30")
                    #expect(pipeline.history("c1").count == count)
                }
            }
        }

        @Test("A name that is large in JSON alone is large: control characters take six bytes each")
        func controlCharacters() async throws {
            func address(_ count: Int) -> String {
                let text = String(repeating: "\\u0001", count: count)
                return #""ignition": true, "speed": 40, "address": "\#(text)""#
            }
            try await PipelineFixture.run { pipeline in
                pipeline.configuration(
                    "c1",
                    #""vehicleId": "v1", "maximumEntries": 400, "#
                        + #""strategy": {"name": "fixedInterval", "every": "PT15M", "span": "P4D"}"#)
                pipeline.telemetry("v1", "08:00", address(1000))
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["error"], "384 entries of 6,000 bytes")
                pipeline.telemetry("v1", "08:00:10", address(1))
                try await pipeline.settle(at: "08:00:10")
                #expect(try pipeline.phases("c1").first == "tick")
            }
        }

        @Test("A large vehicle that becomes smaller makes no timeline where none was too large")
        func noReason() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.telemetry("v1", "08:00", Self.address(100_000))
                try await pipeline.settle()
                pipeline.configuration("c1", #""vehicleId": "v1", "strategy": "fixedInterval""#)
                pipeline.configuration("c2", #""vehicleId": "v1""#)
                try await pipeline.settle()
                for (second, bytes) in [(10, 90_000), (20, 5_000), (30, 10)] {
                    pipeline.telemetry("v1", "08:00:\(second)", Self.address(bytes))
                    try await pipeline.settle(at: "08:00:\(second)")
                }
                #expect(pipeline.history("c1").count == 1 && pipeline.history("c2").count == 1)
                try await pipeline.settle(at: "08:02")
                #expect(try pipeline.entry("c2").vehicle?.location?.utf8.count == 10)
                try await pipeline.settle(at: "08:45")
                #expect(try pipeline.phases("c1").first == "tick")
            }
        }

        @Test("What is too large of a calendar goes with its day, or with the next record", arguments: [false, true])
        func calendar(waits: Bool) async throws {
            try await PipelineFixture.run { pipeline in
                let long = String(repeating: "x", count: 400_000)
                pipeline.event("work", "B", "2026-03-03T12:00:00Z", "2026-03-03T13:00:00Z")
                pipeline.event("work", "A", "09:00", "10:00", #""location": "\#(long)""#)
                pipeline.configuration("c1", #""calendarIds": ["work"], "strategy": "events""#)
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["error"])
                #expect(try pipeline.timeline("c1").timeline.nextUpdate == at("2026-03-03T00:00:00Z"))
                if waits {
                    try await pipeline.restart()
                    try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                } else {
                    pipeline.event("work", "A", "09:00", "10:00", #""location": "here""#)
                    try await pipeline.settle(at: "08:01")
                }
                #expect(try pipeline.outline("c1").contains("start 03 12:00 B"))
            }
        }
    }
}
