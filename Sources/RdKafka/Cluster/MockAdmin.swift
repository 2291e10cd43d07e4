import RecordLog

/// The admin port of a mock cluster, which answers none of the requests that only admins send.
final class MockAdmin: Admin {
    private let admin: RdKafkaAdmin
    private let server: MockCluster.Server
    private let cluster: RdKafkaCluster

    init(_ admin: RdKafkaAdmin, of server: MockCluster.Server, in cluster: RdKafkaCluster) {
        self.admin = admin
        self.server = server
        self.cluster = cluster
    }

    /// Without settings. Of all topics, since asking the mock cluster for one creates it.
    func describeTopics(
        _ names: [String], timeout: Duration
    ) throws(LogError) -> [String: TopicDescription] {
        var descriptions: [String: TopicDescription] = [:]
        for topic in try admin.client.topics(named: nil, timeout: timeout) where names.contains(topic.name) {
            descriptions[topic.name] = TopicDescription(
                name: topic.name, partitions: topic.partitions, replication: topic.replication, settings: [:])
        }
        return descriptions
    }

    /// Settings are not kept.
    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try server.create(topic)
    }

    /// Does nothing: the mock cluster lets go of old records by itself.
    func deleteRecords(before offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) {}

    func endOffsets(
        of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        try admin.endOffsets(of: partitions, isolation: isolation, timeout: timeout)
    }

    func startOffsets(of partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition: Offset] {
        try admin.startOffsets(of: partitions, timeout: timeout)
    }

    func committedOffsets(
        group: String, partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        let reader = try cluster.makeConsumer(group: group, isolation: .readCommitted, clientId: "tideline-admin")
        defer { reader.close() }
        return try reader.committed(partitions, timeout: timeout)
    }

    /// The mock cluster does not know the request.
    func members(of group: String, timeout: Duration) throws(LogError) -> [GroupMember]? { nil }

    func clusterId(timeout: Duration) throws(LogError) -> String {
        try admin.clusterId(timeout: timeout)
    }

    func connect(timeout: Duration) throws(LogError) {
        try admin.connect(timeout: timeout)
    }

    func close() {
        admin.close()
    }
}
