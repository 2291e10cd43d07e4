import CRdKafka
import RecordLog

/// A topic as the brokers' metadata have it.
struct TopicMetadata {
    var name: String
    var partitions: Int32
    var replication: Int32
    /// Partitions without a leader, or with another problem.
    var leaderless: Int32
    /// Partitions of which a replica is not in step.
    var underReplicated: Int32

    /// Every partition has a leader.
    var isReady: Bool { leaderless == 0 }
}

extension ClientHandle {
    /// The topics that exist, in one request: all, or those of the names.
    func topics(named names: [String]?, timeout: Duration) throws(LogError) -> [TopicMetadata] {
        // "Locally known" topics can be asked for together: those to which somebody holds a handle.
        let handles = (names ?? []).map { rd_kafka_topic_new(pointer, $0, nil) }
        defer { handles.forEach { if let handle = $0 { rd_kafka_topic_destroy(handle) } } }

        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(pointer, names == nil ? 1 : 0, nil, &metadata, timeout.milliseconds)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else { throw LogError(code, about: "metadata") }
        defer { rd_kafka_metadata_destroy(metadata) }

        let found = UnsafeBufferPointer(start: metadata.pointee.topics, count: Int(metadata.pointee.topic_cnt))
        var topics: [TopicMetadata] = []
        for topic in found {
            let name = String(cString: topic.topic)
            guard names?.contains(name) ?? true else { continue }
            switch topic.err {
            case RD_KAFKA_RESP_ERR_NO_ERROR:
                let partitions = UnsafeBufferPointer(start: topic.partitions, count: Int(topic.partition_cnt))
                topics.append(
                    TopicMetadata(
                        name: name, partitions: topic.partition_cnt,
                        replication: partitions.first?.replica_cnt ?? 0,
                        leaderless: Int32(
                            partitions.count { $0.err != RD_KAFKA_RESP_ERR_NO_ERROR || $0.leader < 0 }),
                        underReplicated: Int32(partitions.count { $0.isr_cnt < $0.replica_cnt })))
            case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: continue
            default:
                throw LogError(topic.err, about: "topic \(name)")
                    .needing(Permission(.describe, .topic(name)), by: grants)
            }
        }
        return topics
    }

    /// The names of the topics that exist, ascending by UTF-8. One whose partitions have no leaders is among them.
    func topicNames(timeout: Duration) throws(LogError) -> [String] {
        var answer: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(pointer, 1, nil, &answer, timeout.milliseconds)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let answer else { throw LogError(code, about: "metadata") }
        defer { rd_kafka_metadata_destroy(answer) }
        return UnsafeBufferPointer(start: answer.pointee.topics, count: Int(answer.pointee.topic_cnt))
            .map { String(cString: $0.topic) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Asks for metadata.
    ///
    /// - Throws: why no broker has answered within the time. What can never be answered is thrown at once.
    func askForBroker(timeout: Duration) throws(LogError) {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(pointer, 0, nil, &metadata, timeout.milliseconds)
        if let metadata { rd_kafka_metadata_destroy(metadata) }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code) }
    }
}
