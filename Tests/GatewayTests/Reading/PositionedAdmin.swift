import RecordLog
import Synchronization

/// An admin of a cluster where a group has the positions that a test gives it.
final class PositionedAdmin: Admin {
    private let base: any Admin
    private let positions = Mutex<[TopicPartition: Offset]>([:])

    init(_ base: any Admin) {
        self.base = base
    }

    func commit(_ offset: Offset, in place: TopicPartition) { positions.withLock { $0[place] = offset } }

    func committedOffsets(
        group: String, partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        positions.withLock { positions in
            positions.filter { partitions.contains($0.key) }.mapValues { CommittedOffset(next: $0, metadata: "") }
        }
    }

    func describeTopics(_ names: [String], timeout: Duration) throws(LogError) -> [String: TopicDescription] {
        try base.describeTopics(names, timeout: timeout)
    }

    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try base.createTopic(topic, timeout: timeout)
    }

    func deleteRecords(before offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) {
        try base.deleteRecords(before: offsets, timeout: timeout)
    }

    func endOffsets(
        of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        try base.endOffsets(of: partitions, isolation: isolation, timeout: timeout)
    }

    func startOffsets(of partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition: Offset] {
        try base.startOffsets(of: partitions, timeout: timeout)
    }

    func members(of group: String, timeout: Duration) throws(LogError) -> [GroupMember]? {
        try base.members(of: group, timeout: timeout)
    }

    func clusterId(timeout: Duration) throws(LogError) -> String { try base.clusterId(timeout: timeout) }

    func connect(timeout: Duration) throws(LogError) { try base.connect(timeout: timeout) }

    func close() { base.close() }
}
