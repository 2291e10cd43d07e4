import Messages
import Pipeline
import RecordLog
import Seeds
import Simulation
import StreamCore
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// The wall clock is set, by hours, while tasks live: forward is a pause, back renews once what lies ahead.
    @Suite struct ClockJumpTests {
        private static let ids = ["status", "parked", "own", "events", "silent", "never", "watch"]

        /// One configuration of each way to be renewed, with vehicles and a calendar.
        private func fill(_ pipeline: PipelineFixture, at start: String = "08:00") async throws {
            pipeline.moving("v1", start)
            pipeline.parked("v2", start)
            pipeline.event("work", "Early", "06:00", "06:30")
            pipeline.event("work", "Noon", "12:00", "13:00")
            pipeline.event("work", "Evening", "22:30", "23:30")
            pipeline.event("work", "Tomorrow", "2026-03-03T09:00:00Z", "2026-03-03T10:00:00Z")
            try await pipeline.settle()
            pipeline.configuration("status", #""vehicleId": "v1""#)
            pipeline.configuration("parked", #""vehicleId": "v2""#)
            pipeline.configuration("own", #""vehicleId": "v1", "calendarIds": ["work"], "strategy": "fixedInterval""#)
            pipeline.configuration("events", #""calendarIds": ["work"], "family": "systemLarge""#)
            pipeline.configuration(
                "silent",
                #""vehicleId": "v1", "strategy": {"name": "fetched", "every": "P1D", "retryAfter": "P1D"}"#)
            pipeline.configuration("never", #""strategy": "preview""#)
            pipeline.configuration(
                "watch", #""calendarIds": ["work"], "strategy": {"name": "fetched", "every": "P9D"}"#)
            try await pipeline.settle()
        }

        private func counts(_ pipeline: PipelineFixture) -> [Int] { Self.ids.map { pipeline.history($0).count } }

        private func contents(_ pipeline: PipelineFixture) throws -> [String] {
            try Self.ids.map { try pipeline.timeline($0).contentText }
        }

        private static let stages = [1, 2]

        private func run(
            threads: Int = 1, from start: String = "08:00", _ body: (PipelineFixture) async throws -> Void
        ) async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3], threads: threads), at: start, body)
        }

        @Test("Five hours forward are a pause: what is due is made once, for now", arguments: stages)
        func forward(_ threads: Int) async throws {
            try await run(threads: threads) { pipeline in
                try await fill(pipeline)
                pipeline.jump(to: "13:00")
                try await pipeline.settle()
                #expect(counts(pipeline) == [2, 2, 2, 1, 2, 1, 1])
                for id in ["status", "parked", "own", "silent"] {
                    #expect(try pipeline.timeline(id).generatedAt == at("13:00"))
                }
                #expect(try pipeline.phases("status") == ["stale"])
                pipeline.moving("v1", "13:00")
                try await pipeline.settle(at: "13:01")
                #expect(counts(pipeline) == [3, 2, 3, 1, 3, 1, 1])
            }
        }

        @Test("Five hours back: what was published for later is published for now, once", arguments: stages)
        func back(_ threads: Int) async throws {
            try await run(threads: threads) { pipeline in
                try await fill(pipeline)
                let before = try Self.ids.map { try pipeline.phases($0) }
                pipeline.jump(to: "13:00")
                try await pipeline.settle()
                pipeline.jump(to: "08:00:30")
                try await pipeline.settle()
                for id in ["status", "parked", "own", "silent"] {
                    #expect(try pipeline.timeline(id).generatedAt == at("08:00:30"), "\(id)")
                }
                #expect(try pipeline.entry("status").vehicle?.status == "Moving")
                #expect(try Self.ids.map { try pipeline.phases($0) } == before)
                for id in ["events", "never", "watch"] { #expect(pipeline.history(id).count == 1) }
                let after = counts(pipeline)
                #expect(zip(after, [3, 3, 3, 1, 3, 1, 1]).allSatisfy { $0 <= $1 + threads - 1 }, "\(after)")
                #expect(pipeline.reloads("status").last?.reason == .statusChanged)
                try await pipeline.settle()
                #expect(counts(pipeline) == after)
                // And on from there.
                try await pipeline.settle(at: "08:02:29")
                #expect(counts(pipeline) == after)
                try await pipeline.settle(at: "08:02:30")
                #expect(try pipeline.timeline("status").generatedAt == at("08:02:30"))
                try await pipeline.settle(at: "08:30")
                #expect(try pipeline.timeline("silent").generatedAt == at("08:30"))
                #expect(try pipeline.phases("silent") == ["placeholder"])
                #expect(try pipeline.timeline("own").generatedAt == at("08:30"))
                try await pipeline.settle(at: "09:15")
                #expect(try pipeline.timeline("own").generatedAt == at("09:15"))
            }
        }

        @Test(
            "What changed in today's window while the clock was days ahead is told when it is back", arguments: stages)
        func changedWhileAhead(_ threads: Int) async throws {
            try await run(threads: threads) { pipeline in
                try await fill(pipeline)
                #expect(try pipeline.entry("watch").event?.title == "Noon")
                pipeline.jump(to: "2026-03-04T05:00:00Z")
                try await pipeline.settle()
                pipeline.event("work", "Now", "07:30", "09:00")
                try await pipeline.settle()
                #expect(pipeline.history("watch").count == 1)
                pipeline.jump(to: "08:01")
                try await pipeline.settle()
                #expect(try pipeline.entry("watch").event?.title == "Now")
                #expect(pipeline.reloads("watch").last?.reason == .dataChanged)
            }
        }

        @Test(
            "Back over a midnight the agenda is that of the day again, and the next midnight renews it",
            arguments: stages)
        func overMidnight(_ threads: Int) async throws {
            try await run(threads: threads, from: "21:00") { pipeline in
                try await fill(pipeline, at: "21:00")
                let before = try pipeline.outline("events")
                pipeline.jump(to: "2026-03-03T02:00:00Z")
                try await pipeline.settle()
                #expect(try pipeline.outline("events") != before)
                pipeline.jump(to: "21:00:10")
                try await pipeline.settle()
                let watched = pipeline.history("watch").count
                #expect(try pipeline.outline("events").dropFirst() == before.dropFirst())
                #expect(try pipeline.timeline("events").generatedAt == at("21:00:10"))
                // For now, and once more of the calendar, which cannot know what was shown of this day.
                #expect(pipeline.history("events").count == 4)
                #expect(pipeline.reloads("events").count == 2, "who shows tomorrow would come back too late")
                // A change of the day after tomorrow is in no window any more.
                pipeline.event("work", "Later", "2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z")
                try await pipeline.settle()
                #expect(pipeline.history("events").count == 4)
                #expect(pipeline.history("watch").count == watched)
                try await pipeline.settle(at: "2026-03-03T00:00:00Z")
                #expect(try pipeline.timeline("events").generatedAt == at("2026-03-03T00:00:00Z"))
                #expect(try pipeline.outline("events").contains("start 04 09:00 Later"))
                #expect(pipeline.history("events").count == 5)
            }
        }

        @Test("Back and forward again with news and renewals between ends as if nothing had been", arguments: stages)
        func backAndForward(_ threads: Int) async throws {
            func play(_ jumps: Bool) async throws -> (contents: [String], counts: [Int], revisions: [Int64]) {
                var result: (contents: [String], counts: [Int], revisions: [Int64]) = ([], [], [])
                try await run(threads: threads, from: "13:00") { pipeline in
                    try await fill(pipeline, at: "13:00")
                    if jumps { pipeline.jump(to: "08:00") }
                    for minute in 1...6 {
                        pipeline.telemetry("v1", "13:0\(minute)", #""speed": \#(10 * minute)"#)
                        if minute == 3 { pipeline.parked("v1", "13:03:30") }
                        if minute == 4 { pipeline.event("work", "New", "15:00", "15:30") }
                        try await pipeline.settle(at: (jumps ? "08" : "13") + ":0\(minute)")
                        if jumps { for id in Self.ids { #expect(try pipeline.timeline(id).generatedAt < at("08:07")) } }
                    }
                    if jumps { pipeline.jump(to: "13:07") }
                    try await pipeline.settle(at: "13:07")
                    result.counts = counts(pipeline)
                    result.revisions = try Self.ids.map { try pipeline.timeline($0).revision.rawValue }
                    pipeline.parked("v1", "13:08")
                    try await pipeline.bringUp()
                    result.contents = try contents(pipeline)
                }
                return result
            }
            let (straight, jumped) = (try await play(false), try await play(true))
            #expect(straight.contents == jumped.contents)
            let more = zip(jumped.counts, straight.counts).map { $0 - $1 }
            #expect(more.allSatisfy { (0...3).contains($0) }, "\(more): one for each jump, and one for what fell due")
            #expect(zip(jumped.revisions, straight.revisions).allSatisfy { $0 >= $1 && $0 <= $1 + 3 })
        }

        @Test("Small steps back change nothing, and nothing becomes older")
        func small() async throws {
            try await run { pipeline in
                try await fill(pipeline)
                try await pipeline.settle(at: "08:02")
                let before = counts(pipeline)
                pipeline.jump(to: "08:01:10")
                try await pipeline.settle()
                #expect(counts(pipeline) == before)
                pipeline.telemetry("v1", "08:02", #""status": "Stopped""#)
                try await pipeline.settle()
                #expect(try pipeline.timeline("status").generatedAt == at("08:02"))
            }
        }

        @Test("What was published ahead of the clock of a restart is published for now, once")
        func restart() async throws {
            try await run { pipeline in
                try await fill(pipeline)
                pipeline.jump(to: "13:00")
                try await pipeline.settle()
                let before = counts(pipeline)
                try await pipeline.stage.stop(pipeline.thread)
                pipeline.jump(to: "08:01")
                try await pipeline.startThread()
                try await pipeline.settle()
                #expect(zip(before, counts(pipeline)).allSatisfy { $1 <= $0 + 1 })
                for id in Self.ids { #expect(try pipeline.timeline(id).generatedAt <= at("08:01"), "\(id)") }
                pipeline.parked("v1", "08:05")
                try await pipeline.settle(at: "08:05")
                #expect(try pipeline.timeline("status").generatedAt == at("08:05"))
            }
        }

        @Test("A start that is told its time, an earlier one, is no jump: what was published stays")
        func toldTime() async throws {
            try await run { pipeline in
                pipeline.settings.startsClockAnew = true
                pipeline.plan.topology = Topology.widgets(pipeline.settings)
                try await fill(pipeline)
                pipeline.jump(to: "13:00")
                try await pipeline.settle()
                let before = counts(pipeline)
                try await pipeline.stage.stop(pipeline.thread)
                pipeline.clock.now = at("08:00")
                try await pipeline.startThread()
                try await pipeline.stage.settle(pipeline.plan)
                pipeline.clock.now = at("13:00")
                try await pipeline.readOutputs()
                #expect(counts(pipeline) == before)
            }
        }

        @Test("What goes wrong at the jump does not lose it", arguments: 0..<4, [false, true])
        func failure(_ steps: Int, isFatal: Bool) async throws {
            try await run { pipeline in
                try await fill(pipeline)
                pipeline.jump(to: "13:00")
                try await pipeline.settle()
                let memory = try #require(pipeline.memory).memory
                pipeline.jump(to: "08:00:30")
                for _ in 0..<steps { try pipeline.step() }
                let cause = LogError(.other, name: "TEST", "ordered")
                let fault = memory.inject(isFatal ? .fatal(cause) : .abortable(cause), into: .commit, .beforeEffect)
                pipeline.moving("v3", "08:00")
                try await pipeline.settle()
                #expect(memory.timesFired(fault) == 1)
                #expect(counts(pipeline) == [3, 3, 3, 1, 3, 1, 1])
                for id in Self.ids { #expect(try pipeline.timeline(id).generatedAt <= at("08:00:30"), "\(id)") }
            }
        }

        @Test(
            "A random world whose clock jumps ends in the timelines that its records say",
            arguments: 1...20 as ClosedRange<UInt64>)
        func random(_ seed: UInt64) async throws {
            var random = SplitMix64(seed: seed &* 7919)
            let partitions = (0..<3).map { _ in Int32.random(in: 1...4, using: &random) }
            // What was observed before a jump back is from the future then; here the last to be observed counts.
            let options = PipelineFixture.Options(
                partitions: partitions, change: { $0.telemetryFuture = nil }, threads: 2)
            try await PipelineFixture.run(options) { pipeline in
                var world = RandomWorld(seed: seed, partitions: partitions)
                var put: [InputSpec] = []
                try await pipeline.settle()
                for _ in 0..<60 {
                    for _ in 0..<Int.random(in: 0..<4, using: &random) {
                        world.put(into: pipeline, now: pipeline.clock.now)
                    }
                    put += pipeline.inputs
                    let pauses: [Int64] = [0, 0, 0, 1, 5, 30, 61, 130, 900, 5 * 3600, -5 * 3600, -3600, -30]
                    let next = pipeline.clock.now + .seconds(pauses.randomElement(using: &random)!)
                    pipeline.jump(to: next.rfc3339)
                    try pipeline.step()
                }
                try await pipeline.settle()
                for id in Set(pipeline.outputs.timelines.map(\.configurationId)) {
                    let last = pipeline.published(id).last?.timeline
                    #expect(last.map { $0.generatedAt <= pipeline.clock.now + .minutes(1) } ?? true, "\(id)")
                }
                // All that steps back by less than a pause may leave ahead has come by then.
                pipeline.advance(.minutes(2))
                try await pipeline.bringUp()
                let oracle = Oracle(put, pipeline.topics)
                for id in oracle.configurationIds {
                    #expect(
                        try pipeline.timeline(id).contentText == oracle.contentText(id, at: pipeline.clock.now), "\(id)"
                    )
                }
            }
        }
    }
}
