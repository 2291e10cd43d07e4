import Messages
import Pipeline
import Positions
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing
import Timelines

extension PipelineTests {
    /// Misfortune at any step: what the devices say together in the end is what their records say (P3).
    @Suite struct PositionCrashTests {
        @Test("Random moves end in what their records say", arguments: 1...10 as ClosedRange<UInt64>)
        func undisturbed(_ seed: UInt64) async throws {
            try await play(seed, disturbed: false)
        }

        @Test(
            "Crashes, aborts, lost answers and rebalances at any step lose no move, and make none twice",
            arguments: 1...40 as ClosedRange<UInt64>)
        func disturbed(_ seed: UInt64) async throws {
            try await play(seed, disturbed: true)
        }

        private func play(_ seed: UInt64, disturbed: Bool) async throws {
            var random = SplitMix64(seed: seed &* 977)
            let partitions = (0..<4).map { _ in Int32.random(in: 1...4, using: &random) }
            try await PipelineFixture.run(.init(partitions: partitions)) { pipeline in
                if disturbed {
                    // A step may end more than one transaction, and luck may be bad five times in a row.
                    pipeline.memory?.afterStep = {}
                    pipeline.plan.settings.failuresMax = 1_000
                    try await pipeline.restart()
                }
                var misfortune = Misfortune(seed: seed, pipeline)
                var said = SaidByDevices(seed: seed)
                for _ in 0..<60 {
                    for _ in 0..<Int.random(in: 0..<5, using: &random) { try said.say(pipeline) }
                    pipeline.advance(.seconds([0, 0, 1, 5, 61].randomElement(using: &random)!))
                    if disturbed { try await misfortune.strike() }
                    try pipeline.step()
                }
                try #require(pipeline.memory).memory.cancelFaults()
                try #require(pipeline.memory).memory.delaysMarkers = false
                try await pipeline.settle()
                for (key, expected) in said.readers {
                    let merged = expected.merged(readerId: key.readerId, configurationId: key.configurationId)
                    #expect(pipeline.mergedHistory(key.text).last?.merged == merged, "\(key.text)")
                    expectRevisions(of: pipeline.mergedHistory(key.text))
                }
                #expect(Set(pipeline.outputs.positions.map(\.key)) == Set(said.readers.keys.map(\.text)))
            }
        }

        /// A commit that was lost or came twice would show as a gap, or as a number that is there twice.
        private func expectRevisions(of history: [Outputs.Merged]) {
            let numbers = history.map { $0.record.header("ce_id")?.split(separator: "/")[2] ?? "none" }
            #expect(numbers == (1...max(1, history.count)).prefix(history.count).map { Substring("\($0)") })
        }

        // MARK: - Moved tasks

        @Test("A restart after any step gives the same merged records, byte for byte", arguments: 0..<14)
        func anyStep(_ step: Int) async throws {
            let undisturbed = try await stepped { _, _ in }
            let disturbed = try await stepped { number, pipeline in
                if number == step { try await pipeline.restart() }
            }
            #expect(undisturbed == disturbed)
        }

        @Test("Tasks that move to another thread and back give the same merged records, byte for byte")
        func moved() async throws {
            let undisturbed = try await stepped { _, _ in }
            var second = 0
            let disturbed = try await stepped { number, pipeline in
                let first = pipeline.thread
                if number == 3 { second = try await pipeline.startThread() }
                if number == 9 { try await pipeline.stage.stop(first == second ? second : first) }
            }
            #expect(undisturbed == disturbed)
        }

        /// The values of all merged records at the end, by key, and how each entry is described.
        private func stepped(
            _ disturb: (Int, PipelineFixture) async throws -> Void
        ) async throws -> [String: [UInt8]] {
            var last: [String: [UInt8]] = [:]
            try await PipelineFixture.run(.init(partitions: [3, 3, 3, 5])) { pipeline in
                try await pipeline.settle()
                for step in 0..<14 {
                    switch step {
                    case 0:
                        pipeline.event("team", "A", "09:00", "10:00", #""location": "Room 1""#)
                        pipeline.configuration("c1", #""calendarIds": ["team"]"#)
                    case 2: pipeline.position("ana", "c1", "phone", "start/team/A/2026-03-02T09:00:00Z", "07:50")
                    case 3: pipeline.position("ana", "c1", "watch", "start/team/B/2026-03-02T11:00:00Z", "07:51")
                    case 5: pipeline.position("ben", "c2", nil, "e1", "07:52")
                    case 6: pipeline.event("team", "B", "11:00", "12:00")
                    case 8: pipeline.removePosition("ben/c2")
                    case 10: pipeline.removeEvent("team/A")
                    case 11: pipeline.position("ana", "c1", "phone", "start/team/A/2026-03-02T09:00:00Z", "07:55")
                    default: break
                    }
                    try pipeline.step()
                    try await disturb(step, pipeline)
                }
                try await pipeline.settle()
                try await pipeline.settle(at: "2026-04-01T07:50:30Z")
                #expect(pipeline.mergedHistory("ben/c2").last.map { $0.merged == nil } ?? true)
                for each in pipeline.outputs.positions { last[each.key] = each.record.value ?? [] }
            }
            #expect(String(decoding: last["ana/c1"] ?? [], as: UTF8.self).contains(#""title":"A","location":"Room 1""#))
            last["ben/c2"] = nil
            return last
        }
    }
}

/// Random moves of a few readers, and what they come to.
private struct SaidByDevices {
    private var random: SplitMix64
    private var partitionOfKey: [String: Int32] = [:]
    private(set) var readers: [ReaderKey: ReaderPositions] = [:]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Puts one record in, into whatever partition its key has; records are written at the clock's time.
    mutating func say(_ pipeline: PipelineFixture) throws {
        let key = ReaderKey(
            readerId: "r\(Int.random(in: 0..<3, using: &random))",
            configurationId: "c\(Int.random(in: 0..<3, using: &random))")
        let now = pipeline.clock.now
        let observedAt = Instant(milliseconds: now.milliseconds + Int64.random(in: -600_000...600_000, using: &random))
        let record = PositionRecord(
            readerId: key.readerId, configurationId: key.configurationId,
            deviceId: [nil, "phone", "watch"].randomElement(using: &random)!,
            position: PositionSnapshot(
                entryId: "e\(Int.random(in: 0..<15, using: &random))", observedAt: observedAt,
                fraction: Double.random(in: 0...1, using: &random)),
            readEntries: [EntryMark(entryId: "read\(Int.random(in: 0..<40, using: &random))", at: observedAt)])
        var json = JSONWriter()
        record.write(to: &json)
        // One key has one partition, so a device's records come in its order; which one that is, chance says.
        let partitions = pipeline.memory?.memory.partitionCount(of: pipeline.topics.positions) ?? 1
        let keyText = PositionKey(of: record).text
        let drawn = partitionOfKey[keyText] ?? Int32.random(in: 0..<partitions, using: &random)
        let partition = min(drawn, partitions - 1)
        partitionOfKey[keyText] = partition
        pipeline.inputs.append(
            InputSpec(
                topic: pipeline.topics.positions, key: Array(PositionKey(of: record).text.utf8), value: json.bytes,
                partition: Partition(partition), timestamp: now))
        readers[key, default: ReaderPositions()].record(record, arrival: now, settings: pipeline.settings.positions)
    }
}
