import Messages
import RecordLog
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Much that is to be done at once is done in portions, a transaction each (R17).
    @Suite struct PortionTests {
        @Test(
            "R17: A calendar's subscribers are told in portions, each once, also over a crash; input is read meanwhile",
            arguments: [false, true])
        func calendar(crashes: Bool) async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.plan.topology.flushPortion = 40
                try await pipeline.restart()
                pipeline.event("team", "e", "12:00", "13:00")
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                for number in 0..<600 { pipeline.configuration("c\(number)", #""calendarIds": ["team"]"#) }
                pipeline.configuration("other", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(pipeline.count(revision: 1) == 601)
                pipeline.event("team", "e", "14:00", "15:00")
                var told: [Int] = []
                var hasCrashed = !crashes
                while told.last ?? 0 < 600, told.count < 300 {
                    try pipeline.step()
                    try await pipeline.readOutputs()
                    told.append(pipeline.count(revision: 2, but: "other"))
                    if told.count == 3 { pipeline.parked("v1", "08:00:01") }
                    if told.last! >= 200 && !hasCrashed {
                        hasCrashed = true
                        pipeline.memory?.crash(pipeline.thread, pipeline.plan)
                        try await pipeline.startThread()
                    }
                    if told.last! >= 300 { #expect(try pipeline.timeline("other").revision > 1) }
                }
                #expect(hasCrashed)
                // Two tasks make the timelines, each a portion.
                #expect(zip([0] + told, told).allSatisfy { $1 - $0 <= 80 }, "\(told)")
                #expect(told.last == 600)
                try await pipeline.settle()
                #expect(pipeline.count(revisionAbove: 2, but: "other") == 0)
                #expect(pipeline.stage.events.now.aborts == 0)
            }
        }

        @Test("R17: A change that comes while subscribers are told goes once around, and nobody waits for ever")
        func changesGoOn() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.plan.topology.flushPortion = 20
                try await pipeline.restart()
                pipeline.event("team", "e", "12:00", "13:00")
                try await pipeline.settle()
                for number in 0..<200 { pipeline.configuration("c\(number)", #""calendarIds": ["team"]"#) }
                try await pipeline.settle()
                // As many portions as a round has, and a few; each with a change.
                for number in 0..<30 {
                    pipeline.event("team", "e", "14:\(10 + number)", "15:50", #""sequence": \#(number)"#)
                    try pipeline.step()
                }
                try await pipeline.readOutputs()
                #expect(pipeline.count(revision: 2) == 200)
                try await pipeline.settle()
                for number in 0..<200 { #expect(try pipeline.outline("c\(number)").contains("start 14:39 e")) }
            }
        }

        @Test("R17: Timers that are all due after a stop fire in portions; input is read meanwhile, and nothing aborts")
        func storm() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.plan.topology.timerPortion = 20
                try await pipeline.restart()
                for number in 0..<400 {
                    pipeline.moving("v\(number)", "08:00")
                    pipeline.configuration("c\(number)", #""vehicleId": "v\#(number)""#)
                }
                try await pipeline.settle()
                try await pipeline.stage.stop(pipeline.thread)
                pipeline.advance(to: "09:00")
                try await pipeline.startThread()
                var made: [Int] = []
                while made.last ?? 0 < 400, made.count < 200 {
                    try pipeline.step()
                    try await pipeline.readOutputs()
                    made.append(
                        pipeline.count(generatedAt: at("09:00"), but: "new"))
                    if made.last! == 0 { continue }
                    if pipeline.inputs.isEmpty && pipeline.published("new").isEmpty && made.last! < 100 {
                        pipeline.moving("new", "08:59")
                        pipeline.configuration("new", #""vehicleId": "new""#)
                    }
                    #expect(made.last! < 300 || !pipeline.published("new").isEmpty)
                }
                #expect(zip([0] + made, made).allSatisfy { $1 - $0 <= 40 }, "\(made)")
                #expect(made.last == 400)
                #expect(pipeline.stage.events.now.aborts == 0)
                try await pipeline.settle()
                for number in 0..<400 { #expect(try pipeline.entry("c\(number)").vehicle?.status == "Offline") }
            }
        }
    }
}

extension PipelineFixture {
    /// Without closures: Swift 6.3 takes one inside `#expect` for another outside of it.
    fileprivate func count(revision: Revision, but excluded: String? = nil) -> Int {
        outputs.timelines.count { $0.configurationId != excluded && $0.timeline?.revision == revision }
    }

    fileprivate func count(revisionAbove revision: Revision, but excluded: String) -> Int {
        outputs.timelines.count { $0.configurationId != excluded && $0.timeline?.revision ?? 0 > revision }
    }

    fileprivate func count(generatedAt instant: Instant, but excluded: String) -> Int {
        outputs.timelines.count { $0.configurationId != excluded && $0.timeline?.generatedAt == instant }
    }
}
