import Messages
import Pipeline
import RecordLog
import Seeds
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineFixture {
    /// Ends all threads, and runs one that brings every timeline up to all that is known now, as
    /// `process --until-caught-up` does.
    ///
    /// - Parameter portion: the units of work that a transaction may do; `nil` stands for the usual.
    func bringUp(portion: Int? = nil) async throws {
        if let memory {
            for number in memory.threads.keys.sorted() { try memory.stop(number) }
            memory.memory.delaysMarkers = false
        } else {
            try await stage.stop(thread)
        }
        settings.leavesWhenCaughtUp = true
        settings.startsClockAnew = true
        plan.topology = Topology.widgets(settings)
        if let portion { plan.topology.flushPortion = portion }
        let inputs = plan.inputs
        plan.targets = try await stage.blocking { [stage] in
            let admin = try stage.cluster.makeAdmin()
            defer { admin.close() }
            return try admin.endOffsets(of: inputs, isolation: .readUncommitted, timeout: .seconds(10))
        }
        try await startThread()
        try await settle()
        guard let memory else { return }
        for thread in memory.threads.values { thread.releaseHeld() }
        try await settle()
    }

    /// Writes what was put in, and waits for nothing.
    fileprivate func putAtOnce() async throws {
        try await stage.put(inputs)
        inputs = []
    }
}

extension PipelineTests {
    /// The run that ends when it has caught up (V4).
    @Suite struct BringUpTests {
        @Test(
            "All records at once give what the provider makes of them at T, and a second run adds nothing",
            arguments: Ground.allCases)
        func likeTheProvider(_ ground: Ground) async throws {
            for seed in UInt64(1)...(ground == .memory ? 15 : 2) {
                try await PipelineFixture.run(on: ground, .init(partitions: [3, 2, 4])) { pipeline in
                    try await pipeline.settle()
                    try await pipeline.stage.stop(pipeline.thread)
                    var world = RandomWorld(seed: seed, partitions: [3, 2, 4], topics: pipeline.topics)
                    for _ in 0..<150 { world.put(into: pipeline, now: at("08:00")) }
                    let put = pipeline.inputs
                    try await pipeline.stage.put(put)
                    pipeline.inputs = []
                    pipeline.advance(to: "09:17")
                    try await pipeline.startThread()
                    try await pipeline.bringUp()
                    let oracle = Oracle(put, pipeline.topics)
                    for id in oracle.configurationIds {
                        #expect(
                            try pipeline.timeline(id).contentText == oracle.contentText(id, at: at("09:17")), "\(id)")
                    }
                    let before = pipeline.outputs
                    try await pipeline.bringUp()
                    #expect(pipeline.outputs.timelines.count == before.timelines.count)
                    #expect(pipeline.outputs.reloads.count == before.reloads.count)
                }
            }
        }

        @Test("What is known of an event's vehicle is brought up, too")
        func vehicleOfAnEvent() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.event("work", "Drive", "09:00", "10:00", #""vehicleId": "v1""#)
                pipeline.moving("v1", "08:00", speed: 10)
                try await pipeline.settle()
                pipeline.configuration("c1", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["work"]"#)
                try await pipeline.bringUp()
                // The same status, and the timeline was made for this very instant already.
                pipeline.moving("v1", "08:00:01", speed: 77)
                try await pipeline.bringUp()
                let drive = try pipeline.timeline("c1").timeline.entries.filter { $0.event?.uid == "Drive" }
                #expect(drive.first?.vehicle?.speed == 77)
            }
        }

        @Test("Telemetry that comes with a request for a snapshot does not take the answer's place", arguments: 0..<6)
        func newsBesideAnAnswer(steps: Int) async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                let numbers = 1...8
                for number in numbers {
                    pipeline.moving("v\(number)", "08:00", speed: 10)
                    let terms = #""strategy": "events", "vehicleId": "v\#(number)", "calendarIds": ["work"]"#
                    pipeline.configuration("c\(number)", terms)
                }
                try await pipeline.bringUp()
                // Of two threads each has tasks that send to the other's by way of the exchange.
                try await pipeline.startThread()
                try await pipeline.settle()
                // The calendar's news has each configuration ask its vehicle for a snapshot.
                pipeline.event("work", "Drive", "09:00", "10:00")
                try await pipeline.putAtOnce()
                for _ in 0..<steps { try pipeline.memory?.step() }
                for number in numbers { pipeline.moving("v\(number)", "08:00:01", speed: 77) }
                try await pipeline.putAtOnce()
                try await pipeline.settle()
                for number in numbers {
                    let entries = try pipeline.timeline("c\(number)").timeline.entries
                    #expect(entries.contains { $0.event?.uid == "Drive" }, "c\(number)")
                }
                pipeline.advance(to: "08:30")
                try await pipeline.bringUp()
                for number in numbers {
                    #expect(try pipeline.timeline("c\(number)").generatedAt == at("08:30"), "c\(number)")
                }
            }
        }

        @Test("A thread whose tasks were lost has brought up nothing until the group gives it tasks again, or none")
        func lostTasks() async throws {
            try await PipelineFixture.run { pipeline in
                for number in 1...8 { pipeline.configuration("c\(number)", #""vehicleId": "v\#(number)""#) }
                try await pipeline.bringUp()
                let memory = try #require(pipeline.memory)
                let (number, thread) = try #require(memory.threads.first)
                #expect(thread.status.isBroughtUp && thread.status.hasReleasedHeld)
                memory.memory.expel(clientId: "\(pipeline.plan.settings.applicationId)-thread-\(number)")
                var wasWithoutTasks = false
                for _ in 0..<500 where !thread.status.tasks.isEmpty || !wasWithoutTasks {
                    try memory.step()
                    guard thread.status.tasks.isEmpty else { continue }
                    wasWithoutTasks = true
                    #expect(!thread.status.isBroughtUp)
                }
                #expect(wasWithoutTasks)
                try await pipeline.settle()
                #expect(thread.status.isBroughtUp)
            }
        }

        @Test("A second run at a later time brings everything to that time; one at an earlier time ends, too")
        func otherTimes() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.moving("v1", "08:00")
                pipeline.configuration("c1", #""vehicleId": "v1""#)
                pipeline.configuration("c2", #""calendarIds": ["work"]"#)
                try await pipeline.bringUp()
                pipeline.advance(to: "09:00")
                try await pipeline.bringUp()
                for id in ["c1", "c2"] { #expect(try pipeline.timeline(id).generatedAt == at("09:00")) }
                #expect(try pipeline.phases("c1") == ["stale"])
                let count = pipeline.outputs.timelines.count
                pipeline.clock.now = at("08:30")
                let commits = pipeline.stage.events.now.commits
                try await pipeline.stage.stop(pipeline.thread)
                try await pipeline.startThread()
                try await pipeline.stage.settle(pipeline.plan)
                #expect(pipeline.stage.events.now.commits < commits + 20)
                let memory = try #require(pipeline.memory)
                #expect(memory.committedRecords([pipeline.topics.timelines]).count == count)
            }
        }
    }
}
