import CRdKafka
package import RecordLog

/// The brokers of a cluster, by one answer to a request for metadata.
package struct ClusterMembers: Hashable, Sendable {
    /// `host:port`, as librdkafka's log names them.
    package var brokers: [String]
    /// Every partition of the topics that were named has a leader. Topics that do not exist are none.
    package var hasAllLeaders: Bool
}

extension RdKafkaCluster {
    /// Asks through a connection of its own, which the bootstrap servers are tried for. Blocking; any thread.
    package func members(leading topics: [String] = [], timeout: Duration) throws(LogError) -> ClusterMembers {
        let client = try settings.makeClient(.admin(isolation: .readUncommitted), clientId: RdKafkaAdmin.clientId)
        defer { client.destroy() }
        return try client.members(leading: topics, timeout: timeout)
    }
}

extension ClientHandle {
    fileprivate func members(leading topics: [String], timeout: Duration) throws(LogError) -> ClusterMembers {
        // "Locally known" topics can be asked for together: those to which somebody holds a handle.
        let handles = topics.map { rd_kafka_topic_new(pointer, $0, nil) }
        defer { handles.forEach { if let handle = $0 { rd_kafka_topic_destroy(handle) } } }
        var answer: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(pointer, 0, nil, &answer, timeout.milliseconds)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let answer else { throw LogError(code, about: "metadata") }
        defer { rd_kafka_metadata_destroy(answer) }

        let brokers = UnsafeBufferPointer(start: answer.pointee.brokers, count: Int(answer.pointee.broker_cnt))
        let found = UnsafeBufferPointer(start: answer.pointee.topics, count: Int(answer.pointee.topic_cnt))
        return ClusterMembers(
            brokers: brokers.map(\.address),
            hasAllLeaders: found.allSatisfy { topic in
                UnsafeBufferPointer(start: topic.partitions, count: Int(topic.partition_cnt))
                    .allSatisfy { $0.leader >= 0 }
            })
    }
}

extension rd_kafka_metadata_broker {
    /// `host:port`, an IPv6 address in brackets.
    var address: String {
        let host = String(cString: host)
        return "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
