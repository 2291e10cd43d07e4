import Agendas
import Messages
import RecordLog
import Seeds
import Simulation
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// State is what the log holds: another thread goes on where one ended (DESIGN.md, "The stream thread").
    @Suite struct RestartTests {
        @Test("A restart publishes nothing new", arguments: Ground.allCases)
        func nothingNew(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [3, 3, 3])) { pipeline in
                try await fill(pipeline)
                try await pipeline.settle()
                let before = pipeline.outputs
                try await pipeline.restart()
                try await pipeline.settle()
                #expect(pipeline.outputs.timelines.count == before.timelines.count)
                #expect(pipeline.outputs.reloads.count == before.reloads.count)
                #expect(pipeline.outputs.deadLetters.count == before.deadLetters.count)
            }
        }

        @Test("Timers, subscriptions and counters go on after a restart", arguments: Ground.allCases)
        func goesOn(_ ground: Ground) async throws {
            try await PipelineFixture.run(on: ground, .init(partitions: [3, 3, 3])) { pipeline in
                try await fill(pipeline)
                try await pipeline.settle()
                try await pipeline.restart()
                try await pipeline.settle(at: "08:02")
                #expect(try pipeline.timeline("moving").generatedAt == at("08:02"))
                #expect(try pipeline.timeline("moving").refreshCount == 2)
                pipeline.parked("v1", "08:03")
                pipeline.event("work", "New", "10:00", "10:30")
                try await pipeline.settle(at: "08:03")
                #expect(try pipeline.entry("moving").vehicle?.status == "IgnitionOff")
                #expect(try pipeline.outline("events").contains("start 10:00 New"))
                #expect(try pipeline.outline("events").contains("start 12:00 A"))
                pipeline.parked("v1", "08:02")
                pipeline.configuration("deleted", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.timeline("deleted").revision == 2)
                #expect(try pipeline.timeline("deleted").refreshCount == 1)
            }
        }

        @Test(
            "An event is restored, and removed, whatever its ids begin and end with",
            arguments: [("work", "\u{301}x"), ("work", "\u{200D}x"), ("work\u{600}", "x"), ("w/%", "\u{FE0F}/")])
        func combiningIds(_ calendar: String, _ uid: String) async throws {
            try await PipelineFixture.run { pipeline in
                let key = EventKey(calendarId: calendar, uid: uid).text
                let times = #""start": "\#(at("10:00").rfc3339)", "end": "\#(at("10:30").rfc3339)""#
                pipeline.rawEvent(calendar, uid, times, key: key)
                pipeline.configuration("events", #""calendarIds": ["\#(calendar)"], "strategy": "events""#)
                try await pipeline.settle()
                try await pipeline.restart()
                try await pipeline.settle(at: "08:02")
                #expect(try pipeline.phases("events").contains("start"))
                pipeline.removeEvent(key)
                try await pipeline.settle(at: "08:03")
                #expect(try !pipeline.phases("events").contains("start"))
            }
        }

        @Test("What falls due while nothing runs is made once, for the time of the start")
        func dueDuringThePause() async throws {
            try await PipelineFixture.run { pipeline in
                try await fill(pipeline)
                try await pipeline.settle()
                try await pipeline.stage.stop(pipeline.thread)
                pipeline.advance(to: "2026-03-03T06:30:00Z")
                try await pipeline.startThread()
                try await pipeline.settle()
                for id in ["moving", "events", "both"] {
                    #expect(try pipeline.timeline(id).generatedAt == at("2026-03-03T06:30:00Z"))
                    #expect(pipeline.history(id).count == 2)
                }
                #expect(try pipeline.phases("moving") == ["stale"])
            }
        }

        @Test("A restart after any step gives the same timelines, and revisions as without it", arguments: 0..<14)
        func anyStep(_ step: Int) async throws {
            let undisturbed = try await stepped(restartingAfter: nil)
            let disturbed = try await stepped(restartingAfter: step)
            #expect(undisturbed == disturbed)
        }

        @Test("Compacted changelogs restore the same state")
        func compacted() async throws {
            try await PipelineFixture.run { pipeline in
                try await fill(pipeline)
                try await pipeline.settle()
                let memory = try #require(pipeline.memory).memory
                try await pipeline.stage.stop(pipeline.thread)
                memory.compact(pipeline.plan.settings.stateTopic, removingTombstones: true)
                memory.expireOffsets(pipeline.plan.settings.applicationId)
                try await pipeline.startThread()
                try await pipeline.settle()
                let before = pipeline.outputs.timelines.count
                pipeline.parked("v1", "08:01")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.outputs.timelines.count == before + 2)
                #expect(try pipeline.entry("moving").vehicle?.status == "IgnitionOff")
            }
        }

        private func stepped(restartingAfter restart: Int?) async throws -> [String] {
            var result: [String] = []
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                try await pipeline.settle()
                for step in 0..<14 {
                    switch step {
                    case 0: try await fill(pipeline)
                    case 4: pipeline.parked("v1", "08:00:30")
                    case 6: pipeline.configuration("moving", #""vehicleId": "v2""#)
                    case 8: pipeline.event("work", "New", "10:00", "10:30")
                    case 10: pipeline.removeConfiguration("both")
                    default: break
                    }
                    try pipeline.step()
                    if step == restart { try await pipeline.restart() }
                }
                try await pipeline.settle()
                result = try ["moving", "events"].map { try pipeline.timeline($0).contentText }
                result.append("\(try pipeline.timeline("moving").revision >= 2)")
                #expect(pipeline.published("both").last?.record.value == nil)
            }
            return result
        }

        /// A small world, of which all is known.
        private func fill(_ pipeline: PipelineFixture) async throws {
            pipeline.moving("v1", "08:00")
            pipeline.moving("v2", "08:00", speed: 70)
            pipeline.event("work", "A", "12:00", "13:00")
            pipeline.event("home", "B", "14:00", "15:00")
            pipeline.configuration("deleted", #""strategy": "status""#)
            try await pipeline.settle()
            pipeline.configuration("moving", #""vehicleId": "v1""#)
            pipeline.configuration("events", #""calendarIds": ["work", "home"]"#)
            pipeline.configuration("both", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["work"]"#)
            pipeline.removeConfiguration("deleted")
            pipeline.put(pipeline.topics.telemetry, key: "bad", "bad")
        }
    }
}
