import Messages
import Pipeline
import RecordLog
import StreamCore
import Testing
import Timelines

extension PipelineTests {
    /// The state of an application that starts over.
    @Suite struct FreshStateTests {
        private static let topology = Topology.widgets(PipelineSettings())
        private static let telemetry = TopicNames().telemetry

        private static func timeline(_ revision: Int) -> [UInt8] { Array(#"{"revision":\#(revision)}"#.utf8) }

        private static func note(_ revisions: CarriedRevisions, _ id: String, _ value: [UInt8]?) {
            Array(id.utf8).withUnsafeBytes { key in
                guard let value else { return revisions.note(timeline: key, nil) }
                value.withUnsafeBytes { revisions.note(timeline: key, $0) }
            }
        }

        private static func state(_ revisions: CarriedRevisions, partitions: Int32 = 3) -> FreshState {
            FreshState(
                partitions: partitions, cluster: "here", writers: ["/tideline", "/other"],
                starts: [TopicPartition(telemetry, 4): 17, TopicPartition(telemetry, 1): 5], revisions: revisions,
                at: Instant(milliseconds: 1_000))
        }

        private typealias Stored = (task: Partition, key: [UInt8], value: [UInt8])

        private static func records(_ state: FreshState) -> [Stored] {
            var records: [Stored] = []
            state.write(for: topology) { records.append(($0, $1, $2)) }
            return records
        }

        @Test("the highest revision of a configuration counts, whatever the order; what cannot be read is counted")
        func highest() {
            let revisions = CarriedRevisions()
            for (id, value) in [
                ("a", Self.timeline(3)), ("a", Self.timeline(2)), ("b", Self.timeline(1)), ("c", Array("{".utf8)),
            ] { Self.note(revisions, id, value) }
            Self.note(revisions, "a", nil)
            #expect(revisions.count == 2 && revisions.highest == 3 && revisions.unreadable == 1)
        }

        @Test("what was written is read again as the same revisions: a reset after a reset loses none")
        func twice() {
            let revisions = CarriedRevisions()
            for id in 0..<50 { Self.note(revisions, "c\(id)", Self.timeline(id + 1)) }
            let again = CarriedRevisions()
            for record in Self.records(Self.state(revisions)) {
                record.key.withUnsafeBytes { key in
                    record.value.withUnsafeBytes { again.note(changelog: key, $0) }
                }
            }
            #expect(again.count == 50 && again.highest == 50 && again.unreadable == 0)
        }

        @Test("a revision whose timeline is still there says so, and one whose timeline was withdrawn does not")
        func unclaimed() throws {
            let revisions = CarriedRevisions()
            for id in ["a", "b"] { Self.note(revisions, id, Self.timeline(2)) }
            Self.note(revisions, "b", nil)
            let sizes = Self.records(Self.state(revisions)).prefix(2).map(\.value.count)
            #expect(sizes[0] > sizes[1], "\(sizes)")
        }

        @Test("each task finds the positions of its inputs, and who wrote before, in the newest format")
        func positions() throws {
            let revisions = CarriedRevisions()
            for id in 0..<50 { Self.note(revisions, "c\(id)", Self.timeline(id + 1)) }
            let records = Self.records(Self.state(revisions))
            #expect(records.count == 50 + 3)
            for partition in 0..<3 as Range<Partition> {
                let task = StreamTask(partition: partition, partitions: 3, topology: Self.topology, router: NoRouter())
                for record in records where record.task == partition {
                    try record.key.withUnsafeBytes { key in
                        try record.value.withUnsafeBytes { try task.restore(key: key, value: $0) }
                    }
                }
                task.advance(to: Instant(milliseconds: 2_000))
                try task.finishRestore()
                #expect(!task.lacksBeginning && task.format == StateFormat.newest)
                #expect(task.positions.header?.writers == ["/tideline", "/other"])
                #expect(task.positions.header?.partitions == 3 && task.positions.header?.cluster == "here")
                #expect(task.positions.restoredNext(source: TaskPositions.exchange, partition: partition) == 0)
                let next = ([1, 4] as [Partition]).map { task.positions.restoredNext(source: 0, partition: $0) }
                #expect(next == (partition == 1 ? [5, 17] : [nil, nil]))
            }
            for record in records.prefix(50) {
                let id = Array(record.key.dropFirst())
                #expect(id.withUnsafeBytes { Murmur2.partition(of: $0, partitions: 3) } == record.task)
            }
        }

        private final class NoRouter: MessageRouter {
            func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {}
        }
    }
}
