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
    /// What concerns all of a task, in portions (R17): a clock that went back, and the end of a run.
    @Suite struct WalkTests {
        private static let count = 120

        @Test(
            "R17: A clock that went back was one transaction: it is many, and each timeline is made for now once",
            arguments: Disturbance.allCases)
        func clock(_ disturbance: Disturbance) async throws {
            try await PipelineFixture.run { pipeline in
                var portions = try await Portions(of: 20, pipeline)
                pipeline.jump(to: "13:00")
                pipeline.moving("v1", "13:00")
                pipeline.event("team", "e", "18:00", "19:00")
                try await pipeline.settle()
                for number in 0..<Self.count {
                    // Renewed by its vehicle's task, and by its own.
                    pipeline.configuration("s\(number)", #""vehicleId": "v1""#)
                    pipeline.configuration("e\(number)", #""calendarIds": ["team"]"#)
                }
                try await pipeline.settle()
                pipeline.jump(to: "08:00")
                try await portions.step(until: 2 * Self.count, of: pipeline.topics.timelines, disturbance)
                #expect(disturbance != .none || portions.most <= 2 * 20, "\(portions.steps)")
                try await pipeline.settle()
                for number in 0..<Self.count {
                    for id in ["s\(number)", "e\(number)"] {
                        let instants = pipeline.history(id).map(\.generatedAt)
                        // With two threads the vehicle's task and the configuration's may both see to it.
                        let isOnce = disturbance != .rebalance && instants == [at("13:00"), at("08:00")]
                        let isTwice = disturbance == .rebalance && instants.last == at("08:00") && instants.count <= 3
                        #expect(isOnce || isTwice, "\(id): \(instants)")
                    }
                }
            }
        }

        @Test("R17: What comes while a clock that went back is followed is made for now, not for what was ahead")
        func newsMeanwhile() async throws {
            try await PipelineFixture.run { pipeline in
                _ = try await Portions(of: 20, pipeline)
                pipeline.jump(to: "13:00")
                pipeline.event("team", "e", "18:00", "19:00")
                for number in 0..<Self.count {
                    pipeline.moving("v\(number)", "13:00")
                    pipeline.configuration("s\(number)", #""vehicleId": "v\#(number)""#)
                    pipeline.configuration("e\(number)", #""calendarIds": ["team"]"#)
                }
                try await pipeline.settle()
                let before = pipeline.outputs.timelines.count
                pipeline.memory?.afterStep = {}
                pipeline.jump(to: "08:00")
                try pipeline.step()
                for number in 0..<Self.count { pipeline.parked("v\(number)", "13:01") }
                pipeline.event("team", "e", "17:00", "18:00", #""sequence": 1"#)
                try await pipeline.settle()
                let made = pipeline.outputs.timelines.filter { $0.timeline?.generatedAt == at("08:00") }
                #expect(made.count == pipeline.outputs.timelines.count - before)
                for number in 0..<Self.count {
                    #expect(try pipeline.entry("s\(number)").vehicle?.status == "IgnitionOff")
                    #expect(try pipeline.outline("e\(number)").contains("start 17:00 e"))
                }
            }
        }

        @Test(
            "R17: Tokens and gatherings of a time that comes again were looked at in one transaction",
            arguments: [0, 1, 2])
        func budgets(restarts: Int) async throws {
            try await PipelineFixture.run(.init(change: { $0.reload.coalesce = .minutes(10) })) { pipeline in
                var portions = try await Portions(of: 20, pipeline)
                pipeline.jump(to: "13:00")
                for number in 0..<Self.count { pipeline.configuration("c\(number)", #""strategy": "preview""#) }
                try await pipeline.settle()
                pipeline.jump(to: "08:00")
                try await pipeline.settle()
                // No restart makes them wait anew.
                for minute in 0..<restarts {
                    pipeline.advance(to: "08:0\(4 + minute)")
                    try await pipeline.restart()
                    try await pipeline.settle()
                }
                pipeline.advance(to: "08:10")
                try await portions.step(until: Self.count, of: pipeline.topics.reloads, .crash)
                try await pipeline.settle()
                for number in 0..<Self.count { #expect(pipeline.reloads("c\(number)").count == 1, "c\(number)") }
            }
        }

        @Test("R17: The end of a run was one transaction: it brings up, and lets go of what is held, in portions")
        func end() async throws {
            try await PipelineFixture.run(.init(change: { $0.reload.coalesce = .minutes(10) })) { pipeline in
                pipeline.moving("v1", "08:00")
                pipeline.event("team", "e", "12:00", "13:00")
                try await pipeline.settle()
                for number in 0..<Self.count {
                    pipeline.configuration("s\(number)", #""vehicleId": "v1""#)
                    pipeline.configuration("e\(number)", #""calendarIds": ["team"]"#)
                }
                try await pipeline.settle()
                pipeline.advance(to: "08:01")
                let memory = try #require(pipeline.memory)
                var counts = [0, 0]
                var most = [0, 0]
                memory.afterStep = {
                    for (index, topic) in [pipeline.topics.timelines, pipeline.topics.reloads].enumerated() {
                        let count = memory.committedRecords([topic]).count
                        if counts[index] > 0 { most[index] = max(most[index], count - counts[index]) }
                        counts[index] = count
                    }
                }
                try memory.afterStep()
                try await pipeline.bringUp(portion: 20)
                #expect(most[0] > 0 && most[0] <= 2 * 20, "\(most)")
                #expect(most[1] > 0 && most[1] <= 2 * 20, "\(most)")
                for number in 0..<Self.count {
                    for id in ["s\(number)", "e\(number)"] {
                        #expect(pipeline.history(id).map(\.generatedAt) == [at("08:00"), at("08:01")], "\(id)")
                        #expect(pipeline.reloads(id).count == 1, "\(id)")
                    }
                }
            }
        }
    }
}
