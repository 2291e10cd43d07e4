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
    /// The bytes of the formats that this release reads, kept as files (R18).
    @Suite struct StoredFormTests {
        @Test(
            "Writes the file of a format anew, if it is asked to; that of a release stays as the release wrote it",
            .enabled(if: StoredForms.written != nil))
        func write() async throws {
            let format = try #require(StoredForms.written)
            try await PipelineFixture.run(Self.options(format), at: "08:00") { pipeline in
                try await Self.day(pipeline)
                try StoredForms(of: pipeline).write(format: format)
            }
        }

        @Test(
            "R18: what is written in a format is what the release wrote that began it, byte by byte",
            arguments: [3, 4])
        func writesTheSame(_ format: Int) async throws {
            let golden = try StoredForms(format: format)
            try await PipelineFixture.run(Self.options(format), at: "08:00") { pipeline in
                try await Self.day(pipeline)
                let now = try StoredForms(of: pipeline)
                for (now, golden) in [(now.changelog, golden.changelog), (now.exchange, golden.exchange)] {
                    #expect(now.count == golden.count)
                    for (now, golden) in zip(now, golden) { #expect(now == golden) }
                }
            }
        }

        @Test("R18: every stored and exchanged form of a format is read", arguments: [2, 3, 4])
        func read(_ format: Int) throws {
            let forms = try StoredForms(format: format)
            let stores = Set(forms.changelog.compactMap { $0.key?.first.map { $0 & ~StateFormat.versionedKey } })
            // From format 4 on gatherings follow from budgets.
            let derived: Set<UInt8> = format < 4 ? [] : [8]
            #expect(stores == Set(0...11).subtracting(derived), "every store has a value")
            let topology = Topology.widgets(PipelineSettings())
            let mailbox = Mailbox()
            var nodes: Set<Int> = []
            var sources: Set<UInt8> = []
            var formats: Set<Int> = []
            for partition in 0..<2 as Range<Partition> {
                let task = StreamTask(partition: partition, partitions: 2, topology: topology, router: mailbox)
                for form in forms.changelog where form.partition == partition {
                    try form.key?.withUnsafeBytes { key in
                        try form.value?.withUnsafeBytes { try task.restore(key: key, value: $0) }
                    }
                }
                task.advance(to: at("08:21"))
                try task.finishRestore()
                #expect(Int(task.format) == format)
                #expect(task.positions.restoredNext(source: TaskPositions.exchange, partition: partition) != nil)
                for form in forms.exchange where form.partition == partition {
                    try form.value?.withUnsafeBytes { bytes in
                        switch try Envelope.read(bytes) {
                        case .message(let node, let message):
                            nodes.insert(node)
                            formats.insert(Int(message.format))
                        case .forwarded(let record, _): sources.insert(record.origin.source)
                        }
                        try task.receive(bytes)
                    }
                }
            }
            #expect(nodes == Set(0...3), "every node was sent a message")
            // What is asked for by hand has no format of a task.
            #expect(formats == [2, format])
            #expect(sources == Set(0...3), "of every source a record was sent on")
        }

        @Test(
            "R18: a pipeline goes on from the stored forms as if it had not been stopped, also in a later format",
            arguments: [(2, nil), (3, nil), (4, nil), (2, 3), (2, 4), (3, 4)])
        func goOn(_ format: Int, raised: Int?) async throws {
            func later(_ pipeline: PipelineFixture) async throws -> Outputs {
                let memory = try #require(pipeline.memory)
                func settle(at time: String) throws {
                    pipeline.advance(to: time)
                    memory.put(pipeline.inputs)
                    pipeline.inputs = []
                    try memory.settle(pipeline.plan)
                }
                try settle(at: "08:22")
                pipeline.parked("v1", "08:30")
                pipeline.moving("v2", "08:30")
                pipeline.event("work", "A", "12:30", "13:30", #""location": "Room", "vehicleId": "v1""#)
                pipeline.removeEvent("work/E1")
                pipeline.position("ana", "events", "phone", "e4", "08:29")
                try settle(at: "08:30")
                try settle(at: "15:00")
                return try Outputs(memory.committedRecords(pipeline.topics.outputs), pipeline.topics)
            }
            var expected = Outputs()
            try await PipelineFixture.run(Self.options(format)) { pipeline in
                try await Self.day(pipeline)
                expected = try await later(pipeline)
            }
            var options = Self.options(format)
            options.threads = 0
            options.change = { [change = options.change] settings in
                change(&settings)
                settings.stateFormat = raised
            }
            try await PipelineFixture.run(options) { pipeline in
                let memory = try #require(pipeline.memory)
                try await Self.day(pipeline) { memory.put(pipeline.inputs) }
                try StoredForms(format: format).fill(memory.memory, pipeline.plan)
                for _ in 0..<2 { try await pipeline.startThread() }
                try memory.settle(pipeline.plan)
                #expect(memory.counters.records == 0, "nothing is read again")
                let outputs = try await later(pipeline)
                let ids = Set(outputs.timelines.map(\.configurationId))
                #expect(ids.isSuperset(of: ["status", "parked", "events", "both"]), "\(ids)")
                for id in ids {
                    let after = outputs.timelines.filter { $0.configurationId == id }.map(\.record.value)
                    let before = expected.timelines.filter { $0.configurationId == id }.map(\.record.value)
                    #expect(Array(before.suffix(after.count)) == after, "\(id)")
                }
                #expect(!outputs.reloads.isEmpty)
                for key in Set(outputs.reloads.map(\.record.key)) {
                    let after = outputs.reloads.filter { $0.record.key == key }.map(\.reload.revision)
                    let before = expected.reloads.filter { $0.record.key == key }.map(\.reload.revision)
                    #expect(Array(before.suffix(after.count)) == after)
                }
                #expect(outputs.positions.last?.record.value == expected.positions.last?.record.value)
                if let raised, raised > 2 {
                    let changed = memory.memory.records(pipeline.plan.settings.stateTopic).suffix(20)
                    #expect(changed.contains { $0.value?.first == UInt8(raised) }, "written in the later format")
                }
            }
        }

        private static func options(_ format: Int) -> PipelineFixture.Options {
            var options = PipelineFixture.Options(partitions: [2, 2, 2, 2])
            options.change = {
                $0.stateFormat = format
                $0.eventSource = "/forms"
                $0.reload.limit = 25
                $0.reload.burst = 2
                $0.reload.coalesce = .seconds(2)
            }
            // What goes from one thread to the other goes through the exchange.
            options.threads = 2
            return options
        }

        /// A day that leaves something in every store and sends every kind of message through the exchange.
        private static func day(_ pipeline: PipelineFixture) async throws {
            try await day(pipeline) { try await pipeline.settle() }
            let exchange = pipeline.plan.settings.exchangeTopic
            let request = ReloadRequest(kind: "Demo", recipient: "events").envelope
            for partition in 0..<2 as Range<Partition> {
                try #require(pipeline.memory).memory.append(exchange, partition, key: nil as [UInt8]?, value: request)
            }
            try await pipeline.settle()
        }

        /// - Parameter settle: called whenever what was put in is to be worked off.
        private static func day(_ pipeline: PipelineFixture, _ settle: () async throws -> Void) async throws {
            func settled(at time: String) async throws {
                pipeline.advance(to: time)
                try await settle()
                pipeline.inputs = []
            }
            let trace = [Header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]
            pipeline.telemetry(
                "v1", "07:58", #""ignition": true, "speed": 40, "latitude": 52.5, "longitude": 13.4"#, headers: trace,
                partition: 0)
            pipeline.parked("v2", "07:59")
            pipeline.event("work", "A", "12:00", "13:00", #""location": "Hall", "vehicleId": "v1""#, partition: 1)
            pipeline.event("home", "D", "15:00", "16:00")
            pipeline.configuration("status", #""vehicleId": "v1", "recipient": "ana""#, partition: 0)
            pipeline.configuration("parked", #""vehicleId": "v2""#, headers: trace, partition: 1)
            pipeline.configuration("events", #""calendarIds": ["work"], "recipient": "ben""#)
            pipeline.configuration(
                "both", #""strategy": "events", "vehicleId": "v1", "calendarIds": ["work", "home"], "recipient": "eve""#
            )
            pipeline.configuration("gone", #""vehicleId": "v1", "calendarIds": ["home"], "recipient": "ana""#)
            pipeline.configuration("wrong", #""strategy": "sometimes""#)
            try await settled(at: "08:00")
            for (minute, device) in ["phone", "watch"].enumerated() {
                pipeline.position(
                    "ana", "events", device, "e\(minute)", "08:00",
                    #""readEntries": [{"entryId": "e0", "at": 1772438400000}]"#)
            }
            pipeline.position("ben", "status", nil, "e9", "08:00")
            try await settled(at: "08:00")
            for minute in 1...3 {
                pipeline.event("work", "E\(minute)", "15:0\(minute)", "16:00", partition: 0)
                pipeline.moving("v1", "08:0\(minute)", speed: 40 + 20 * minute)
                try await settled(at: "08:0\(minute)")
            }
            pipeline.put(pipeline.topics.telemetry, key: "v2", "{", partition: 0)
            pipeline.put(pipeline.topics.telemetry, key: "v2", "{", partition: 1)
            pipeline.removeConfiguration("gone")
            pipeline.removeEvent("home/D")
            try await settled(at: "08:05")
            pipeline.parked("v1", "08:20")
            try await settled(at: "08:20")
            pipeline.event("work", "F", "18:00", "19:00")
            pipeline.configuration("parked", #""vehicleId": "v2", "recipient": "kim""#, partition: 1)
            pipeline.moving("v1", "08:21", speed: 120)
            try await settled(at: "08:21")
        }
    }
}

/// Keeps nothing of what a task sends.
private final class Mailbox: MessageRouter {
    func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {}
}
