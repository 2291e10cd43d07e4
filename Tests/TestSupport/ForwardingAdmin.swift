package import RecordLog

/// An admin that hands every request on to another one, but for those that it answers itself.
package protocol ForwardingAdmin: Admin {
    var base: any Admin { get }
    /// Called before each request that is handed on; throws in place of its answer.
    func willForward(timeout: Duration) throws(LogError)
}

extension ForwardingAdmin {
    package func willForward(timeout: Duration) throws(LogError) {}

    package func describeTopics(_ names: [String], timeout: Duration) throws(LogError) -> [String: TopicDescription] {
        try willForward(timeout: timeout)
        return try base.describeTopics(names, timeout: timeout)
    }

    package func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError) {
        try willForward(timeout: timeout)
        try base.createTopic(topic, timeout: timeout)
    }

    package func deleteRecords(before offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) {
        try willForward(timeout: timeout)
        try base.deleteRecords(before: offsets, timeout: timeout)
    }

    package func endOffsets(
        of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        try willForward(timeout: timeout)
        return try base.endOffsets(of: partitions, isolation: isolation, timeout: timeout)
    }

    package func startOffsets(
        of partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        try willForward(timeout: timeout)
        return try base.startOffsets(of: partitions, timeout: timeout)
    }

    package func committedOffsets(
        group: String, partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        try willForward(timeout: timeout)
        return try base.committedOffsets(group: group, partitions: partitions, timeout: timeout)
    }

    package func members(of group: String, timeout: Duration) throws(LogError) -> [GroupMember]? {
        try willForward(timeout: timeout)
        return try base.members(of: group, timeout: timeout)
    }

    package func clusterId(timeout: Duration) throws(LogError) -> String {
        try willForward(timeout: timeout)
        return try base.clusterId(timeout: timeout)
    }

    package func connect(timeout: Duration) throws(LogError) {
        try willForward(timeout: timeout)
        try base.connect(timeout: timeout)
    }

    package func close() { base.close() }
}
