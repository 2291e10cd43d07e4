import RecordLog

final class MemoryAdmin: Admin {
    private let process: MemoryProcess

    init(process: MemoryProcess) {
        self.process = process
    }

    func describeTopics(_ names: [String], timeout: Duration) throws(LogError) -> [String: TopicDescription] {
        try process.attempt(.describeTopics, client: nil, timeout: timeout) { (broker) throws(LogError) in
            var descriptions: [String: TopicDescription] = [:]
            for name in names {
                guard let topic = broker.topics[name] else { continue }
                descriptions[name] = TopicDescription(
                    name: name, partitions: Int32(topic.partitions.count), replication: topic.replication,
                    settings: topic.settings)
            }
            return descriptions
        }
    }

    func clusterId(timeout: Duration) throws(LogError) -> String {
        let id = process.cluster.settings.clusterId
        return try process.attempt(.describeTopics, client: nil, timeout: timeout) { (_) throws(LogError) in id }
    }

    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try process.attempt(.createTopic, client: nil, timeout: timeout) { (broker) throws(LogError) in
            guard broker.topics[topic.name] == nil else {
                throw LogError(.topicAlreadyExists, name: "TOPIC_ALREADY_EXISTS", "\(topic.name) exists already")
            }
            guard topic.partitions > 0 else {
                throw LogError(.invalidSetting, name: "INVALID_PARTITIONS", "\(topic.name) needs partitions")
            }
            broker.addTopic(topic)
        }
    }

    /// Refused, as by Kafka, for topics that are only compacted.
    func deleteRecords(before offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) {
        try process.attempt(.deleteRecords, client: nil, timeout: timeout) { (broker) throws(LogError) in
            for (place, offset) in offsets {
                let log = try broker.log(of: place)
                guard broker.topics[place.topic]!.settings["cleanup.policy"]!.contains("delete") else {
                    throw LogError(.other, name: "POLICY_VIOLATION", "\(place.topic) is compacted, not deleted from")
                }
                guard (0...log.high).contains(offset) else {
                    throw LogError(
                        .offsetOutOfRange, name: "OFFSET_OUT_OF_RANGE",
                        "\(place) ends at \(log.high), before \(offset)")
                }
                _ = broker.withLog(of: place) { $0.deleteRecords(before: offset) }
            }
        }
    }

    func endOffsets(of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration) throws(LogError)
        -> [TopicPartition: Offset]
    {
        try process.attempt(.endOffsets, client: nil, timeout: timeout) { (broker) throws(LogError) in
            var ends: [TopicPartition: Offset] = [:]
            for place in partitions {
                ends[place] = try broker.log(of: place).end(isolation)
            }
            return ends
        }
    }

    func startOffsets(of partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition: Offset] {
        try process.attempt(.startOffsets, client: nil, timeout: timeout) { (broker) throws(LogError) in
            var starts: [TopicPartition: Offset] = [:]
            for place in partitions { starts[place] = try broker.log(of: place).low }
            return starts
        }
    }

    func committedOffsets(group: String, partitions: [TopicPartition], timeout: Duration) throws(LogError)
        -> [TopicPartition: CommittedOffset]
    {
        try process.attempt(
            .committedOffsets, client: nil, timeout: timeout,
            obstacle: { $0.obstacle(toOffsetsOf: partitions, group: group, isolation: .readCommitted) },
            { $0.committed(partitions, group: group) })
    }

    func members(of group: String, timeout: Duration) throws(LogError) -> [GroupMember]? {
        try process.attempt(.describeGroup, client: nil, timeout: timeout) { (broker) throws(LogError) in
            broker.groups[group]?.described() ?? []
        }
    }

    func connect(timeout: Duration) throws(LogError) {
        try process.attempt(.connect, client: nil, timeout: timeout) { _ in }
    }

    func close() {}
}
