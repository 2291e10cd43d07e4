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
    /// A task that is far behind makes of all that follows from one key only the last.
    @Suite struct BacklogTests {
        @Test("Far behind, of the twenty states that a vehicle had the last is shown, and none or one before it")
        func conflation() async throws {
            try await PipelineFixture.run { pipeline in
                try await pipeline.stage.stop(pipeline.thread)
                pipeline.behind()
                try await pipeline.startThread()
                try await pipeline.settle()
                let made = pipeline.outputs.timelines.count
                // What a vehicle tells in a transaction is in the timeline that the transaction makes.
                #expect((BacklogTests.widgets..<BacklogTests.widgets * 5 / 4).contains(made), "\(made)")
                #expect(pipeline.outputs.reloads.count == made)
                try pipeline.expectLastStates()
            }
        }

        @Test("Whoever is not far behind shows more of them, and so does one whose patience is short")
        func withoutConflation() async throws {
            for patience in [Duration.milliseconds(100), .seconds(5)] {
                try await PipelineFixture.run { pipeline in
                    try await pipeline.stage.stop(pipeline.thread)
                    pipeline.behind()
                    pipeline.plan.settings.farBehindPatience = patience
                    if patience == .seconds(5) { pipeline.plan.settings.farBehindRecords = 1_000_000 }
                    try await pipeline.startThread()
                    try await pipeline.settle()
                    #expect(pipeline.outputs.timelines.count > 2 * BacklogTests.widgets)
                    try pipeline.expectLastStates()
                }
            }
        }

        @Test("What waits in state while a task is far behind is made after a crash, or after an abort, too")
        func disturbed() async throws {
            for crashes in [false, true] {
                try await PipelineFixture.run { pipeline in
                    let memory = try #require(pipeline.memory)
                    try await pipeline.stage.stop(pipeline.thread)
                    pipeline.behind()
                    try await pipeline.startThread()
                    let before = pipeline.stage.events.now.commits
                    // The second one: the first claims the tasks alone.
                    while pipeline.stage.events.now.commits < before + 2 { try pipeline.step() }
                    let made = memory.committedRecords([pipeline.topics.timelines]).count
                    #expect(made == 0)
                    if crashes {
                        memory.crash(pipeline.thread, pipeline.plan)
                        try await pipeline.startThread()
                    } else {
                        let refusal = LogError(.other, name: "TEST", "ordered")
                        memory.memory.inject(.abortable(refusal), into: .commit, .beforeEffect)
                    }
                    try await pipeline.settle()
                    #expect(crashes || pipeline.stage.events.now.aborts == 1)
                    try pipeline.expectLastStates()
                }
            }
        }

        @Test("Whoever ends in order while it is far behind makes what waited, a portion of it, and leaves the rest")
        func ends() async throws {
            try await PipelineFixture.run { pipeline in
                let memory = try #require(pipeline.memory)
                try await pipeline.stage.stop(pipeline.thread)
                pipeline.behind()
                pipeline.plan.topology.flushPortion = 10
                try await pipeline.startThread()
                let before = pipeline.stage.events.now.commits
                while pipeline.stage.events.now.commits < before + 2 { try pipeline.step() }
                #expect(memory.committedRecords([pipeline.topics.timelines]).isEmpty)
                try await pipeline.stage.stop(pipeline.thread)
                let made = memory.committedRecords([pipeline.topics.timelines]).count
                // A portion of each of two tasks, when the thread ends and when the partitions are taken from it.
                #expect(made == 4 * 10, "\(made)")
                try await pipeline.startThread()
                try await pipeline.settle()
                try pipeline.expectLastStates()
            }
        }

        static let widgets = 100
    }
}

extension PipelineFixture {
    /// Puts in what was written while nothing ran: a widget for each vehicle, and twenty changes of the vehicle's
    /// status. A poll takes a small part of it.
    fileprivate func behind() {
        plan.settings.pollMaximum = 20
        plan.settings.commitInterval = .milliseconds(20)
        plan.settings.backlogCommitInterval = .milliseconds(40)
        plan.settings.farBehindCommitInterval = .milliseconds(200)
        plan.settings.backlogRecords = 10
        plan.settings.farBehindRecords = 40
        for number in 0..<PipelineTests.BacklogTests.widgets {
            configuration("c\(number)", #""vehicleId": "v\#(number)""#)
        }
        for change in 0..<20 {
            for number in 0..<PipelineTests.BacklogTests.widgets {
                let observedAt = "07:59:\(10 + change)"
                if change.isMultiple(of: 2) {
                    moving("v\(number)", observedAt)
                } else {
                    parked("v\(number)", observedAt)
                }
            }
        }
    }

    fileprivate func expectLastStates() throws {
        for number in 0..<PipelineTests.BacklogTests.widgets {
            let vehicle = try entry("c\(number)").vehicle
            #expect(vehicle?.status == "IgnitionOff")
        }
    }
}
