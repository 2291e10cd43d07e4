import Messages
import Pipeline
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// One record that concerns more configurations than a transaction has room for (R17).
    @Suite struct FanOutTests {
        private static let count = 200

        @Test(
            "R17: One record of a vehicle with many subscribers was one transaction: it is many, each is told once",
            arguments: Disturbance.allCases)
        func vehicle(_ disturbance: Disturbance) async throws {
            try await PipelineFixture.run { pipeline in
                var portions = try await Portions(of: 20, pipeline)
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                for number in 0..<Self.count { pipeline.configuration("c\(number)", #""vehicleId": "v1""#) }
                try await pipeline.settle()
                pipeline.telemetry(
                    "v1", "08:00:01", #""ignition": false, "speed": 0"#,
                    headers: [Header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")])
                try await portions.step(until: Self.count, of: pipeline.topics.timelines, disturbance)
                #expect(disturbance != .none || portions.most <= 2 * 20, "\(portions.steps)")
                try await pipeline.settle()
                for number in 0..<Self.count {
                    let history = pipeline.history("c\(number)")
                    #expect(history.map(\.revision) == [1, 2], "c\(number)")
                    #expect(history.last?.timeline.entries[0].vehicle?.status == "IgnitionOff")
                    let trace = pipeline.published("c\(number)").last?.record.header("traceparent")
                    #expect(trace?.hasPrefix("00-0af7651916cd43dd8448eb211c80319c") == true)
                }
            }
        }

        @Test("R17: Records of a vehicle with many subscribers that go on coming put nobody off")
        func changesGoOn() async throws {
            try await PipelineFixture.run { pipeline in
                _ = try await Portions(of: 20, pipeline)
                pipeline.moving("v1", "08:00")
                for number in 0..<Self.count { pipeline.configuration("c\(number)", #""vehicleId": "v1""#) }
                try await pipeline.settle()
                for second in 1...30 {
                    if second.isMultiple(of: 2) {
                        pipeline.idling("v1", "08:00:\(second + 10)")
                    } else {
                        pipeline.parked("v1", "08:00:\(second + 10)")
                    }
                    try pipeline.step()
                }
                try await pipeline.readOutputs()
                for number in 0..<Self.count { #expect(pipeline.history("c\(number)").count > 1, "c\(number)") }
                try await pipeline.settle()
                for number in 0..<Self.count {
                    #expect(try pipeline.entry("c\(number)").vehicle?.status == "Idling")
                }
            }
        }

        @Test(
            "R17: A reload of a whole kind was one transaction: it is many, and each configuration is told once",
            arguments: Disturbance.allCases)
        func kind(_ disturbance: Disturbance) async throws {
            try await PipelineFixture.run { pipeline in
                var portions = try await Portions(of: 20, pipeline)
                for number in 0..<Self.count { pipeline.configuration("c\(number)", #""strategy": "preview""#) }
                pipeline.configuration("other", #""kind": "Other", "strategy": "preview""#)
                try await pipeline.settle()
                let memory = try #require(pipeline.memory).memory
                for partition in 0..<Partition(2) {
                    memory.append(
                        pipeline.plan.settings.exchangeTopic, partition, key: nil,
                        value: ReloadRequest(kind: "Demo").envelope)
                }
                try await portions.step(until: Self.count, of: pipeline.topics.reloads, disturbance)
                #expect(disturbance != .none || portions.most <= 4 * 20, "\(portions.steps)")
                try await pipeline.settle()
                for number in 0..<Self.count {
                    let reasons = pipeline.reloads("c\(number)").map(\.reason)
                    #expect(reasons == [.configurationChanged, .requested], "c\(number)")
                }
                #expect(pipeline.reloads("other").map(\.reason) == [.configurationChanged])
            }
        }

        @Test("Configurations that ask their calendar while it tells others are made, also over crashes")
        func answers() async throws {
            try await PipelineFixture.run(.init(partitions: [1, 1, 1])) { pipeline in
                var portions = try await Portions(of: 20, pipeline)
                pipeline.moving("v1", "08:00")
                pipeline.event("team", "e", "12:00", "13:00")
                try await pipeline.settle()
                for number in 0..<Self.count {
                    pipeline.configuration(
                        "c\(number)", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["team"]"#)
                }
                try await pipeline.settle()
                // Each asks its calendar for a snapshot before it is made: also while the calendar tells the others.
                pipeline.event("team", "e", "14:00", "15:00", #""sequence": 1"#)
                try await portions.step(until: Self.count, of: pipeline.topics.timelines, .crash)
                try await pipeline.settle()
                pipeline.event("team", "e", "16:00", "17:00", #""sequence": 2"#)
                try await pipeline.settle()
                try await pipeline.settle(at: "15:59")
                try await pipeline.settle(at: "16:30")
                for number in 0..<Self.count {
                    #expect(try pipeline.entry("c\(number)").event?.title == "e", "c\(number)")
                }
            }
        }
    }
}
