/// Reads and changes topics and groups, and reads offsets. Calls block; any threads may make them, also several at the
/// same time. Only `close` is the last call of all.
package protocol Admin: AnyObject, Sendable {
    /// Describes the topics that exist; those that do not are absent.
    func describeTopics(_ names: [String], timeout: Duration) throws(LogError) -> [String: TopicDescription]

    /// The names of all topics that this client may look at, ascending by UTF-8.
    func topicNames(timeout: Duration) throws(LogError) -> [String]

    /// - Throws: `topicAlreadyExists` and others, for the first topic that failed.
    func createTopic(_ topic: NewTopic, timeout: Duration) throws(LogError)

    /// Gives a topic more partitions, and waits until each has a leader. Records stay where they are.
    ///
    /// - Parameter count: of all partitions, those included that are there.
    /// - Throws: if the topic has as many, or more.
    func addPartitions(to topic: String, count: Int32, timeout: Duration) throws(LogError)

    /// Asks whether `createTopic` would succeed; creates nothing. Of a name that is taken, brokers look at no more than
    /// the permission.
    ///
    /// - Throws: what `createTopic` would.
    func validateTopic(_ topic: NewTopic, timeout: Duration) throws(LogError)

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

    /// The brokers of the cluster, ascending by id, as one of them names them.
    func brokers(timeout: Duration) throws(LogError) -> [Broker]

    /// The offset of the first record that is not older than the instant; the end of a partition that has none.
    func offsets(of partitions: [TopicPartition], at instant: Instant, timeout: Duration) throws(LogError)
        -> [TopicPartition: Offset]

    /// Changes settings of a topic. All other settings stay as they are.
    func changeSettings(of topic: String, to settings: [NewTopic.Setting], timeout: Duration) throws(LogError)

    /// Removes topics, and waits until the brokers do not name them any more. Those that do not exist are passed over.
    func deleteTopics(_ names: [String], timeout: Duration) throws(LogError)

    /// Commits offsets of a consumer group in place of its members, without metadata. Others that it has stay.
    ///
    /// - Throws: `wrongState` if the group has a member.
    func setOffsets(of group: String, to offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError)

    /// Asks whether an operation is allowed, by a request that changes no topic, no group and no transactional id,
    /// whatever the answer is.
    ///
    /// - Throws: `notAuthorised` if it is not allowed; any other error if it cannot be told.
    func check(_ permission: Permission, timeout: Duration) throws(LogError)

    /// The rules of the brokers' authoriser. Where there is none, or this client may not ask (Describe on the cluster),
    /// the list may be empty: librdkafka does not tell one from the other.
    func accessRules(timeout: Duration) throws(LogError) -> [AccessRule]

    /// Makes a rule for each permission that lets the principal do it from everywhere. A rule that is there already
    /// stays as it is.
    ///
    /// - Parameter principal: its type and its name, such as `User:ana`.
    /// - Returns: why a permission was not given, in the order of `permissions`; `nil` for each that was.
    /// - Throws: if nothing was answered.
    func grant(_ permissions: [Permission], to principal: String, timeout: Duration) throws(LogError) -> [LogError?]

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
    /// The names of those settings that the topic has of its own.
    package var given: Set<String>
    /// Partitions without a leader: nobody can write to them or read them.
    package var leaderless: Int32
    /// Partitions of which a replica is missing or is behind.
    package var underReplicated: Int32

    package init(
        name: String, partitions: Int32, replication: Int32, settings: [String: String], given: Set<String> = [],
        leaderless: Int32 = 0, underReplicated: Int32 = 0
    ) {
        self.name = name
        self.partitions = partitions
        self.replication = replication
        self.settings = settings
        self.given = given
        self.leaderless = leaderless
        self.underReplicated = underReplicated
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
