/// Reads and changes topics and reads offsets of groups. Calls block; any threads may make them, also several at the
/// same time. Only `close` is the last call of all.
package protocol Admin: AnyObject, Sendable {
    /// Describes the topics that exist; those that do not are absent.
    func describeTopics(_ names: [String], timeout: Duration) throws(LogError) -> [String: TopicDescription]

    /// - Throws: `topicAlreadyExists` and others, for the first topic that failed.
    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError)

    /// Removes records below the given offsets.
    func deleteRecords(before offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError)

    /// The ends of partitions: with `readCommitted` the last stable offset, with `readUncommitted` the high watermark.
    func endOffsets(of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration) throws(LogError)
        -> [TopicPartition: Offset]

    /// The earliest offsets of partitions.
    func startOffsets(of partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition: Offset]

    /// The group's stable committed offsets (KIP-447); absent where none is committed.
    func committedOffsets(group: String, partitions: [TopicPartition], timeout: Duration) throws(LogError)
        -> [TopicPartition: CommittedOffset]

    /// The members of a consumer group, ascending by member id, as its coordinator sees them: who died is one until its
    /// session has timed out. `nil` if the cluster cannot tell.
    func members(of group: String, timeout: Duration) throws(LogError) -> [GroupMember]?

    /// The id that the cluster gave itself when it was set up: no other cluster has the same.
    func clusterId(timeout: Duration) throws(LogError) -> String

    /// Waits until a broker has answered.
    func connect(timeout: Duration) throws(LogError)

    func close()
}

package struct TopicDescription: Hashable, Sendable {
    package var name: String
    package var partitions: Int32
    package var replication: Int32
    /// The topic's settings as the broker reports them, defaults included.
    package var settings: [String: String]

    package init(name: String, partitions: Int32, replication: Int32, settings: [String: String]) {
        self.name = name
        self.partitions = partitions
        self.replication = replication
        self.settings = settings
    }
}

package struct NewTopic: Hashable, Sendable {
    package var name: String
    package var partitions: Int32
    /// `nil` stands for the broker's default.
    package var replication: Int32?
    /// Ascending by key.
    package var settings: [Setting]

    package struct Setting: Hashable, Sendable {
        package var key: String
        package var value: String

        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    package init(name: String, partitions: Int32, replication: Int32? = nil, settings: [Setting] = []) {
        self.name = name
        self.partitions = partitions
        self.replication = replication
        self.settings = settings
    }
}
