import Messages
import Pipeline
import RecordLog
import Simulation
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Data that counts as failed because the newest record could not be read (T26).
    @Suite struct UnreadableSourceTests {
        @Test(
            "A record that cannot be read fails its vehicle's next timeline, until one is read",
            arguments: Ground.allCases)
        func vehicle(_ ground: Ground) async throws {
            // In every partition but one the task that meets the record is not the vehicle's.
            for partition in Partition(0)..<3 {
                try await PipelineFixture.run(on: ground, .init(partitions: [3, 3, 3])) { pipeline in
                    pipeline.telemetry("v1", "08:00", #""ignition": true, "speed": 40"#, partition: partition)
                    try await pipeline.settle()
                    pipeline.configuration("c1", #""vehicleId": "v1", "strategy": "fetched""#)
                    pipeline.configuration("status", #""vehicleId": "v1""#)
                    try await pipeline.settle()
                    #expect(try pipeline.phases("c1") == ["tick"])
                    pipeline.advance(to: "08:01")
                    pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON", partition: partition)
                    try await pipeline.settle()
                    #expect(pipeline.history("c1").count == 1, "it makes no timeline by itself")
                    #expect(pipeline.history("status").count == 1)
                    #expect(pipeline.outputs.deadLetters.map(\.keyText) == ["v1"])
                    if partition == 0 { try await pipeline.restart() }
                    try await pipeline.settle(at: "08:15")
                    #expect(try pipeline.phases("c1") == ["placeholder"])
                    #expect(try pipeline.timeline("c1").timeline.nextUpdate == at("08:20"))
                    #expect(try pipeline.entry("status").phase == .status)

                    pipeline.telemetry("v1", "08:16", #""ignition": true, "speed": 41"#, partition: partition)
                    try await pipeline.settle(at: "08:16")
                    #expect(pipeline.history("c1").count == 2)
                    try await pipeline.settle(at: "08:20")
                    #expect(try pipeline.phases("c1") == ["tick"])
                    #expect(try pipeline.entry("c1").vehicle?.speed == 41)
                    #expect(pipeline.outputs.deadLetters.count == 1)
                }
            }
        }

        @Test("What is too large, too old, or has no key")
        func oddRecords() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                for id in ["large", "late", "keyless"] {
                    pipeline.telemetry(id, "08:00", #""speed": 40"#, partition: 0)
                    pipeline.configuration(id, #""vehicleId": "\#(id)", "strategy": "fetched""#)
                }
                try await pipeline.settle()
                let large = String(repeating: "x", count: (1 << 20) + 1)
                pipeline.put(pipeline.topics.telemetry, key: "large", large, partition: 0)
                pipeline.put(pipeline.topics.telemetry, key: "late", "no JSON", partition: 0)
                pipeline.telemetry("late", "07:59", #""speed": 40"#, partition: 0)
                pipeline.put(
                    pipeline.topics.telemetry, key: nil, #"{"vehicleId": "keyless", "observedAt": "soon"}"#,
                    partition: 0)
                pipeline.put(pipeline.topics.telemetry, key: "", "no JSON", partition: 0)
                try await pipeline.settle(at: "08:15")
                #expect(try pipeline.phases("large") == ["placeholder"])
                #expect(try pipeline.phases("late") == ["placeholder"], "an older record is not the newest")
                #expect(try pipeline.phases("keyless") == ["tick"])
                #expect(pipeline.outputs.deadLetters.count == 4)
            }
        }

        @Test("A vehicle of which nothing was ever read has not been heard of")
        func unknownVehicle() async throws {
            try await PipelineFixture.run { pipeline in
                pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON")
                pipeline.configuration("c1", #""vehicleId": "v1", "strategy": "withRetry""#)
                pipeline.configuration("c2", #""vehicleId": "v1""#)
                try await pipeline.settle()
                #expect(try pipeline.entry("c1").message?.code == .vehicleUnknown)
                #expect(try pipeline.entry("c1").vehicle == nil)
                #expect(try pipeline.phases("c2") == ["placeholder"])
                #expect(try pipeline.timeline("c2").sources.count == 1)
                pipeline.moving("v1", "08:00")
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["tick"])
            }
        }

        @Test(
            "A record that cannot be read fails the next timeline of its calendar, until any of it is read",
            arguments: Ground.allCases)
        func calendar(_ ground: Ground) async throws {
            for partition in Partition(0)..<3 {
                try await PipelineFixture.run(on: ground, .init(partitions: [3, 3, 3])) { pipeline in
                    pipeline.event("work", "A", "12:00", "13:00", partition: partition)
                    try await pipeline.settle()
                    pipeline.configuration("c1", #""calendarIds": ["work", "home"], "strategy": "fetched""#)
                    pipeline.configuration("c2", #""calendarIds": ["home"], "strategy": "fetched""#)
                    try await pipeline.settle()
                    pipeline.put(pipeline.topics.calendarEvents, key: "work/B", "no JSON", partition: partition)
                    pipeline.put(pipeline.topics.calendarEvents, key: "work", "no JSON", partition: partition)
                    try await pipeline.settle()
                    #expect(pipeline.history("c1").count == 1)
                    #expect(pipeline.outputs.deadLetters.count == 2)
                    if partition == 0 { try await pipeline.restart() }
                    try await pipeline.settle(at: "08:15")
                    #expect(try pipeline.phases("c1") == ["placeholder"])
                    #expect(try pipeline.phases("c2") == ["tick"])
                    // What is read changes nothing that is shown, and makes no timeline, but it is read.
                    pipeline.removeEvent("work/nothing", partition: partition)
                    try await pipeline.settle()
                    #expect(pipeline.history("c1").count == 2)
                    try await pipeline.settle(at: "08:20")
                    #expect(try pipeline.phases("c1") == ["tick"])
                }
            }
        }

        @Test("Whatever makes the next timeline, it is made of what can be read now")
        func noted() async throws {
            try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                pipeline.moving("v1", "08:00")
                pipeline.event("work", "A", "12:00", "13:00")
                try await pipeline.settle()
                pipeline.configuration(
                    "c1",
                    #""vehicleId": "v1", "calendarIds": ["work"], "strategy": {"name": "fetched", "every": "P1D"}"#
                )
                try await pipeline.settle()
                pipeline.put(pipeline.topics.calendarEvents, key: "work/A", "no JSON")
                try await pipeline.settle(at: "08:01")
                #expect(pipeline.history("c1").count == 1)
                pipeline.parked("v1", "08:01")
                try await pipeline.settle()
                #expect(pipeline.history("c1").map(\.timeline.entries[0].phase) == [.tick, .placeholder])

                // The same agenda again: it is read, and it is the vehicle's turn to be unreadable.
                pipeline.event("work", "A", "12:00", "13:00")
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 2)
                pipeline.moving("v1", "08:01")
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["tick"])
                pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON")
                try await pipeline.settle()
                #expect(pipeline.history("c1").count == 3)
                pipeline.event("work", "B", "10:00", "11:00")
                try await pipeline.settle()
                #expect(try pipeline.phases("c1") == ["placeholder"])
            }
        }

        @Test("A mark and its dead letter are written in one transaction, once")
        func exactlyOnce() async throws {
            for partition in Partition(0)..<3 {
                try await PipelineFixture.run(.init(partitions: [3, 3, 3])) { pipeline in
                    pipeline.moving("v1", "08:00")
                    pipeline.configuration("c1", #""vehicleId": "v1", "strategy": "fetched""#)
                    try await pipeline.settle()
                    let memory = try #require(pipeline.memory).memory
                    let cause = LogError(.other, name: "TEST", "ordered")
                    let fault = memory.inject(.abortable(cause), into: .commit)
                    pipeline.put(pipeline.topics.telemetry, key: "v1", "no JSON", partition: partition)
                    try pipeline.step()
                    #expect(memory.timesFired(fault) == 1)
                    try await pipeline.readOutputs()
                    #expect(pipeline.outputs.deadLetters.isEmpty)
                    #expect(pipeline.stage.events.now.deadLetters.isEmpty)
                    try await pipeline.settle(at: "08:15")
                    #expect(pipeline.outputs.deadLetters.count == 1)
                    #expect(pipeline.stage.events.now.deadLetters.count == 1)
                    #expect(try pipeline.phases("c1") == ["placeholder"])
                }
            }
        }
    }
}
