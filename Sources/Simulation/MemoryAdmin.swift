import RecordLog

final class MemoryAdmin: Admin {
    private let cluster: MemoryCluster

    init(cluster: MemoryCluster) {
        self.cluster = cluster
    }

    func describeTopics(_ names: [String], timeout: Duration) throws(LogError) -> [String: TopicDescription] {
        try cluster.attempt(.describeTopics, client: nil) { (broker) throws(LogError) in
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

    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try cluster.attempt(.createTopic, client: nil) { (broker) throws(LogError) in
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
        try cluster.attempt(.deleteRecords, client: nil) { (broker) throws(LogError) in
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
                broker.withLog(of: place) { $0.deleteRecords(before: offset) }
            }
        }
    }

    func endOffsets(of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration) throws(LogError)
        -> [TopicPartition: Offset]
    {
        try cluster.attempt(.endOffsets, client: nil) { (broker) throws(LogError) in
            var ends: [TopicPartition: Offset] = [:]
            for place in partitions {
                ends[place] = try broker.log(of: place).end(isolation)
            }
            return ends
        }
    }

    func committedOffsets(group: String, partitions: [TopicPartition], timeout: Duration) throws(LogError)
        -> [TopicPartition: CommittedOffset]
    {
        try cluster.attempt(.committedOffsets, client: nil) { (broker) throws(LogError) in
            try broker.committed(partitions, group: group, isolation: .readCommitted)
        }
    }

    func connect(timeout: Duration) throws(LogError) {
        try cluster.attempt(.connect, client: nil) { _ in }
    }

    func close() {}
}
