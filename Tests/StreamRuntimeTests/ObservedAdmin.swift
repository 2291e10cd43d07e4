import RecordLog

/// An admin that notes its questions about offsets for `ObservedCluster`, as those of client `admin`.
final class ObservedAdmin: Admin {
    private let base: any Admin
    private let cluster: ObservedCluster

    init(_ base: any Admin, _ cluster: ObservedCluster) {
        self.base = base
        self.cluster = cluster
    }

    private func live() throws(LogError) {
        if cluster.isDead { throw ObservedCluster.death }
    }

    func describeTopics(_ names: [String], timeout: Duration) throws(LogError) -> [String: TopicDescription] {
        try live()
        return try base.describeTopics(names, timeout: timeout)
    }

    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try live()
        try base.createTopic(topic, timeout: timeout)
    }

    func deleteRecords(before offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) {
        try live()
        try base.deleteRecords(before: offsets, timeout: timeout)
    }

    func startOffsets(of partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition: Offset] {
        try live()
        cluster.note(.init(client: "admin", name: "startOffsets", partitions: partitions))
        return try base.startOffsets(of: partitions, timeout: timeout)
    }

    func endOffsets(
        of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        try live()
        cluster.note(.init(client: "admin", name: "endOffsets \(isolation.rawValue)", partitions: partitions))
        return try base.endOffsets(of: partitions, isolation: isolation, timeout: timeout)
    }

    func committedOffsets(
        group: String, partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        try live()
        return try base.committedOffsets(group: group, partitions: partitions, timeout: timeout)
    }

    func members(of group: String, timeout: Duration) throws(LogError) -> [GroupMember]? {
        try live()
        return try base.members(of: group, timeout: timeout)
    }

    func clusterId(timeout: Duration) throws(LogError) -> String {
        try live()
        return try base.clusterId(timeout: timeout)
    }

    func connect(timeout: Duration) throws(LogError) {
        try live()
        try base.connect(timeout: timeout)
    }

    func close() {
        cluster.note(.init(client: "admin", name: "closeAdmin"))
        base.close()
    }
}
