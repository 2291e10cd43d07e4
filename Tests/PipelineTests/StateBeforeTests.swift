import Messages
import Pipeline
import Positions
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing
import Timelines

extension PipelineTests {
    /// The state of the release before, which knew no positions (P12).
    @Suite struct StateBeforeTests {
        @Test("Nothing is read again, nothing is skipped, and the new topic is read from its beginning")
        func readOn() async throws {
            try await PipelineFixture.run(.init(threads: 0), at: "08:01") { pipeline in
                let memory = try #require(pipeline.memory)
                try fill(pipeline, memory)
                try await pipeline.startThread()
                try memory.settle(pipeline.plan)
                #expect(memory.counters.records == 1, "the position alone")
                let first = try outputs(pipeline)
                #expect(first.timelines.map(\.configurationId) == ["status"], "of the message that was not read yet")
                #expect(first.timelines[0].timeline?.revision == 3)
                #expect(first.timelines[0].timeline?.timeline.entries[0].vehicle?.status == "Moving")
                #expect(first.positions.map(\.key) == ["ana/status"])

                pipeline.parked("v1", "08:02")
                pipeline.event("work", "B", "10:00", "10:30")
                pipeline.advance(to: "08:02")
                memory.put(pipeline.inputs)
                try memory.settle(pipeline.plan)
                #expect(memory.counters.records == 3)
                let second = try outputs(pipeline)
                #expect(second.timelines.count == 3)
                let status = try #require(second.timelines.last { $0.configurationId == "status" }?.timeline)
                #expect(status.revision == 4 && status.timeline.entries[0].vehicle?.status == "IgnitionOff")
                let events = try #require(second.timelines.last { $0.configurationId == "events" }?.timeline)
                #expect(events.revision == 2)
                #expect(
                    events.timeline.entries.compactMap(\.event?.title).contains("A"), "the event of before is known")
            }
        }

        @Test("What this release writes is read by the one before, as long as nobody's position was")
        func readByTheReleaseBefore() async throws {
            try await PipelineFixture.run(.init(threads: 0), at: "08:01") { pipeline in
                let memory = try #require(pipeline.memory)
                try fill(pipeline, memory, positions: false)
                try await pipeline.startThread()
                try memory.settle(pipeline.plan)
                let written = memory.memory.records(pipeline.plan.settings.stateTopic).dropFirst(
                    StateBefore.changelog.count)
                let stores = Set(written.compactMap { $0.key?.first })
                #expect(stores.isSubset(of: Set(0...9)), "\(stores)")
                // That release reads three topics, by their order, and no further.
                let positions = try #require(written.last { $0.key == [0] }?.value)
                let names = ["vehicle.telemetry", "calendar.events", "widget.configurations"]
                let before = [UInt8(names.count)] + names.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
                #expect(positions.starts(with: before))
            }
        }

        @Test("While processes of both releases run, positions wait: nobody is sent what the one before cannot read")
        func rollingUpgrade() async throws {
            var options = PipelineFixture.Options(partitions: [2, 2, 2, 3])
            options.change = { $0.stateFormat = 1 }
            try await PipelineFixture.run(options) { pipeline in
                for reader in 0..<6 { pipeline.position("r\(reader)", "c\(reader)", "phone", "e1", "07:59") }
                pipeline.configuration("c1", #""calendarIds": ["work"]"#)
                try await pipeline.settle()
                #expect(pipeline.outputs.positions.isEmpty && pipeline.history("c1").count == 1)
                let memory = try #require(pipeline.memory)
                let stores = memory.memory.records(pipeline.plan.settings.stateTopic).compactMap { $0.key?.first }
                #expect(stores.allSatisfy { $0 < 10 })
                try await pipeline.restart { $0.stateFormat = 2 }
                try await pipeline.settle()
                #expect(Set(pipeline.outputs.positions.map(\.key)) == Set((0..<6).map { "r\($0)/c\($0)" }))
                #expect(pipeline.history("c1").count == 1)
            }
        }

        @Test("A topic with another name in the settings is refused by its old name")
        func renamed() async throws {
            try await PipelineFixture.run(.init(threads: 0), at: "08:01") { pipeline in
                let memory = try #require(pipeline.memory)
                try fill(pipeline, memory)
                let admin = try memory.cluster.makeAdmin()
                try admin.createTopic(NewTopic(name: "renamed", partitions: 2), timeout: .seconds(1))
                pipeline.settings.topics.telemetry = "renamed"
                pipeline.plan.topology = Topology.widgets(pipeline.settings)
                try await pipeline.startThread()
                #expect {
                    try memory.settle(pipeline.plan)
                } throws: { error in
                    "\(error)".contains("was made from vehicle.telemetry, which is not read any more")
                }
            }
        }

        /// The topics as they were, with one message of that release that nobody has read: telemetry on its way to the
        /// task of its vehicle.
        private func fill(_ pipeline: PipelineFixture, _ stage: MemoryStage, positions: Bool = true) throws {
            pipeline.moving("v1", "07:59")
            pipeline.parked("v2", "07:58")
            pipeline.event("work", "A", "12:00", "13:00")
            pipeline.configuration("status", #""vehicleId": "v1""#)
            pipeline.configuration("events", #""calendarIds": ["work"]"#)
            pipeline.parked("v1", "08:00")
            pipeline.inputs[pipeline.inputs.count - 1].partition = 0
            if positions { pipeline.position("ana", "status", "phone", "e1", "07:59") }
            stage.put(pipeline.inputs)
            pipeline.inputs = []
            for record in StateBefore.changelog {
                stage.memory.append(
                    pipeline.plan.settings.stateTopic, record.partition, key: record.key, value: record.value)
            }
            let exchange = pipeline.plan.settings.exchangeTopic
            for record in StateBefore.exchange {
                stage.memory.append(exchange, record.partition, key: record.key, value: record.value)
                stage.memory.append(exchange, record.partition, key: nil as [UInt8]?, value: nil)
            }
            var unread = try #require(StateBefore.exchange.last)
            let old = #""observedAt": "2026-03-02T08:00:00Z", "ignition": false, "speed": 0"#
            let new = #""observedAt": "2026-03-02T08:01:00Z", "ignition": true , "speed": 9"#
            let place = try #require(unread.value.firstRange(of: Array(old.utf8)))
            unread.value.replaceSubrange(place, with: Array(new.utf8))
            stage.memory.append(exchange, unread.partition, key: unread.key, value: unread.value)
        }

        private func outputs(_ pipeline: PipelineFixture) throws -> Outputs {
            try Outputs(try #require(pipeline.memory).committedRecords(pipeline.topics.outputs), pipeline.topics)
        }
    }
}
