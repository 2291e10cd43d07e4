import Messages
import Pipeline
import RecordLog
import Simulation
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Two processes, and the clock of one is a day and a half behind: what its tasks publish of a vehicle that is the
    /// other's is due long ago for everybody else, and the vehicle's task has done its part.
    @Suite struct LateClockTests {
        private static let distance = ElapsedTime.hours(36)
        private static let vehicles = ["v1", "v2", "v3", "v4"]
        /// The configurations: their ids begin with those of their vehicles.
        private static let ids = vehicles.flatMap { vehicle in (1...6).map { "\(vehicle)-\($0)" } }

        /// Two threads at eight o'clock, of which the second believes that it is 36 hours earlier, and configurations
        /// of vehicles that are refreshed each quarter of an hour: they are parked, or have been silent for an hour.
        /// For the second thread the silent ones are moving, so it expects a refresh each two minutes.
        private final class World {
            let pipeline: PipelineFixture
            let late: FixtureClock
            let lateThread: Int
            let ids = LateClockTests.ids
            /// The configurations of the late process whose vehicles are the other's.
            private(set) var cut: [String] = []

            init(_ pipeline: PipelineFixture, isSilent: Bool) async throws {
                self.pipeline = pipeline
                for vehicle in LateClockTests.vehicles {
                    if isSilent { pipeline.moving(vehicle, "07:00") } else { pipeline.parked(vehicle, "08:00") }
                }
                try await pipeline.settle()
                late = FixtureClock(at("08:00") - LateClockTests.distance, steps: try #require(pipeline.memory).steps)
                var plan = pipeline.plan
                plan.clock = late
                lateThread = try await pipeline.stage.start(plan)
                try await pipeline.settle()
                for id in ids { pipeline.configuration(id, #""vehicleId": "\#(id.prefix(2))""#) }
                try await pipeline.settle()
                // A timeline has the right time if both tasks have, so its vehicle is of the process that has.
                let right = Set(ids.filter { pipeline.history($0).map(\.generatedAt) == [at("08:00")] })
                let ofRight = Set(right.map { $0.prefix(2) })
                cut = ids.filter { ofRight.contains($0.prefix(2)) && !right.contains($0) }
                try #require(!right.isEmpty && !cut.isEmpty && ofRight.count < LateClockTests.vehicles.count)
                for id in ids where !right.contains(id) {
                    #expect(pipeline.history(id).map(\.generatedAt) == [late.now], "\(id)")
                }
            }

            /// Moves both clocks and settles.
            func settle(at text: String) async throws {
                late.now = late.now + (at(text) - pipeline.clock.now)
                try await pipeline.settle(at: text)
            }

            /// The instants for which the timelines of a configuration were made that is cut, without the first.
            func renewals(_ id: String) -> [Instant] { pipeline.history(id).dropFirst().map(\.generatedAt) }
        }

        private func run(isSilent: Bool = false, _ body: (World) async throws -> Void) async throws {
            try await PipelineFixture.run(.init(partitions: [6, 6, 6])) { pipeline in
                try await body(World(pipeline, isSilent: isSilent))
            }
        }

        private func expect(_ renewals: [String], _ world: World) {
            for id in world.cut { #expect(world.renewals(id) == renewals.map { at($0) }, "\(id)") }
        }

        @Test("A process that takes over asks for what is overdue, once, a minute later")
        func takenOver() async throws {
            try await run { world in
                try await world.pipeline.stage.stop(world.lateThread)
                try await world.settle(at: "08:00:59")
                expect([], world)
                try await world.settle(at: "08:01:59")
                expect(["08:01:59"], world)
                try await world.settle(at: "08:14")
                expect(["08:01:59"], world)
                for id in world.ids { #expect(try world.pipeline.timeline(id).generatedAt >= at("08:00"), "\(id)") }
                try await world.settle(at: "08:16:59")
                expect(["08:01:59", "08:16:59"], world)
            }
        }

        @Test("So does the process itself when its clock is set right")
        func setRight() async throws {
            try await run { world in
                world.late.now = world.pipeline.clock.now
                try await world.settle(at: "08:00:01")
                try await world.settle(at: "08:01:01")
                expect(["08:01:01"], world)
                try await world.settle(at: "08:14")
                expect(["08:01:01"], world)
                for id in world.ids { #expect(try world.pipeline.timeline(id).generatedAt >= at("08:00"), "\(id)") }
            }
        }

        @Test("An abort of what is asked, or of what comes before, puts it off", arguments: [0, 1], [false, true])
        func aborted(_ minute: Int, isFatal: Bool) async throws {
            try await run { world in
                try await world.pipeline.stage.stop(world.lateThread)
                let memory = try #require(world.pipeline.memory).memory
                let cause = LogError(.other, name: "TEST", "ordered")
                for now in 0...3 {
                    if now == minute {
                        let fault = memory.inject(
                            isFatal ? .fatal(cause) : .abortable(cause), into: .commit, .beforeEffect)
                        // News of a vehicle without configurations, so that there is something to commit.
                        world.pipeline.parked("v9", "08:00")
                        try await world.settle(at: "08:0\(now):30")
                        #expect(memory.timesFired(fault) == 1)
                    } else {
                        try await world.settle(at: "08:0\(now):30")
                    }
                }
                for id in world.cut {
                    #expect(world.renewals(id).count == 1, "\(id)")
                    #expect(try world.pipeline.timeline(id).generatedAt >= at("08:01:30"), "\(id)")
                }
            }
        }

        @Test("What the vehicles' task refused while the clock was behind is asked again")
        func refused() async throws {
            try await run(isSilent: true) { world in
                for minute in 1...3 { try await world.settle(at: "08:0\(minute)") }
                expect([], world)
                world.late.now = world.pipeline.clock.now
                for minute in 4...9 { try await world.settle(at: "08:0\(minute)") }
                expect(["08:05"], world)
            }
        }

        @Test("While the clock stays behind, timelines are made as often as the vehicles' task refreshes them")
        func staysBehind() async throws {
            try await run { world in
                let start = world.late.now
                for minute in 1...46 { try await world.settle(at: (at("08:00") + .minutes(Int64(minute))).rfc3339) }
                let quarters = [15, 30, 45].map { start + .minutes($0) }
                for id in world.cut { #expect(world.renewals(id) == quarters, "\(id)") }
            }
        }

        @Test("After a pause of all, the vehicles' tasks come first: no message is sent more")
        func pauseOfAll() async throws {
            try await PipelineFixture.run(.init(partitions: [6, 6, 6], threads: 2)) { pipeline in
                for vehicle in Self.vehicles { pipeline.parked(vehicle, "08:00") }
                try await pipeline.settle()
                let ids = Self.ids
                for id in ids { pipeline.configuration(id, #""vehicleId": "\#(id.prefix(2))""#) }
                try await pipeline.settle()
                for thread in 1...2 { try await pipeline.stage.stop(thread) }
                for _ in 1...2 { try await pipeline.startThread() }
                try await pipeline.settle(at: "08:05")
                let stage = try #require(pipeline.memory)
                /// The messages between the two of a quarter of an hour. One thread is a little slower than the other.
                func sent(_ quarter: [String]) async throws -> Int {
                    func all() -> Int { stage.memory.records(pipeline.plan.settings.exchangeTopic).count }
                    let before = all()
                    pipeline.advance(to: quarter[0])
                    for _ in 0..<20 { try stage.threads[3]!.runOnce() }
                    for time in quarter { try await pipeline.settle(at: time) }
                    return all() - before
                }
                let late = try await sent(["11:00", "11:01", "11:02", "11:14"])
                let ordinary = try await sent(["11:15", "11:16", "11:17", "11:29"])
                #expect(ordinary > 0 && late == ordinary, "updates, and no requests")
                let made = ["08:00", "11:00", "11:15"].map(at)
                for id in ids { #expect(pipeline.history(id).map(\.generatedAt) == made, "\(id)") }
            }
        }
    }
}
