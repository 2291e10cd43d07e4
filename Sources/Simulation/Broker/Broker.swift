import RecordLog

/// The cluster's state: topics, groups and the transaction coordinator. Plain values, no callbacks, no clock.
struct Broker: Sendable {
    var topics: [String: Topic] = [:]
    var groups: [String: ConsumerGroup] = [:]
    var coordinator: [String: TransactionalIdState] = [:]
    var transactionFaults = FaultQueue<TransactionalCall, TransactionError>()
    var logFaults = FaultQueue<LogCall, LogError>()
    var counters = Counters()
    /// By `FaultKind.index`.
    private(set) var happened = [Int](repeating: 0, count: FaultKind.allCases.count)
    /// Ids with a transaction of which the markers are not written, ascending.
    var ongoing: [String] = []
    /// Requests that are on their way, by the time of their arrival and then by number.
    var underWay: [Request] = []
    /// What became of requests whose senders wait for an answer, by number.
    var answers: [Int: TransactionError?] = [:]
    /// By the producer's serial.
    var deliveries: [Int: Deliveries] = [:]
    /// While true, EndTxn answers and its markers wait (R2).
    var delaysMarkers = false
    var rejoin = Rejoin.inPoll
    /// The coordinators cannot be reached before these times.
    var groupCoordinatorBackAt = Instant(milliseconds: .min)
    var transactionCoordinatorBackAt = Instant(milliseconds: .min)
    /// Processes that send no heartbeats, by serial, since when.
    var silent: [Int: Instant] = [:]
    /// Members that left since they were not polled, and have not been told.
    var overslept: Set<Int> = []
    private(set) var now: Instant
    let times: Times
    private var lastSerial = 0

    struct Topic: Sendable {
        /// Another topic of the same name has another one.
        var identity: Int
        var partitions: [PartitionLog]
        var replication: Int32
        var settings: [String: String]
    }

    struct Times: Sendable {
        var transaction: ElapsedTime
        var transactionCheck: ElapsedTime
        var session: ElapsedTime
        var pollInterval: ElapsedTime
    }

    init(now: Instant, settings: MemoryCluster.Settings) {
        self.now = now
        times = Times(
            transaction: ElapsedTime(settings.transactionTimeout),
            transactionCheck: ElapsedTime(settings.transactionCheckInterval),
            session: ElapsedTime(settings.sessionTimeout), pollInterval: ElapsedTime(settings.maxPollInterval))
    }

    /// Lets everything happen that is due, each at its time.
    mutating func advance(to time: Instant) {
        // Two threads may read the clock in one order and come here in the other.
        guard time > now else { return }
        while let event = nextEvent(until: time) {
            now = max(now, event.at)
            perform(event)
        }
        now = time
    }

    /// Numbers members, topics, transactions, requests and faults; never given twice.
    mutating func nextSerial() -> Int {
        lastSerial += 1
        return lastSerial
    }

    mutating func note(_ kind: FaultKind, times: Int = 1) {
        happened[kind.index] += times
    }

    // MARK: - Topics

    /// Kafka's defaults of the settings that the project looks at.
    private static let defaultSettings = [
        "cleanup.policy": "delete", "compression.type": "producer", "delete.retention.ms": "86400000",
        "max.message.bytes": "1048588", "message.timestamp.type": "CreateTime", "min.insync.replicas": "1",
        "retention.bytes": "-1", "retention.ms": "604800000", "segment.bytes": "1073741824", "segment.ms": "604800000",
    ]

    mutating func addTopic(_ topic: NewTopic) {
        precondition(topic.partitions > 0)
        var settings = Self.defaultSettings
        for setting in topic.settings {
            settings[setting.key] = setting.value
        }
        topics[topic.name] = Topic(
            identity: nextSerial(), partitions: Array(repeating: PartitionLog(), count: Int(topic.partitions)),
            replication: topic.replication ?? 1, settings: settings)
        rebalanceSubscribers(of: topic.name)
    }

    mutating func addPartitions(to name: String, total: Int32) {
        let count = topics[name]?.partitions.count ?? 0
        precondition(count > 0 && Int(total) > count, "\(name) has \(count) partitions")
        topics[name]!.partitions += Array(repeating: PartitionLog(), count: Int(total) - count)
        rebalanceSubscribers(of: name)
    }

    /// The group coordinator forgets the offsets of the topic, too.
    mutating func deleteTopic(_ name: String) {
        topics[name] = nil
        for (group, state) in groups {
            groups[group]!.committed = state.committed.filter { $0.key.topic != name }
        }
        rebalanceSubscribers(of: name)
    }

    func exists(_ place: TopicPartition) -> Bool {
        guard let topic = topics[place.topic] else { return false }
        return topic.partitions.indices.contains(Int(place.partition))
    }

    func log(of place: TopicPartition) throws(LogError) -> PartitionLog {
        guard exists(place) else { throw .unknown(place) }
        return topics[place.topic]!.partitions[Int(place.partition)]
    }

    /// - Precondition: the partition exists.
    mutating func withLog<Result>(of place: TopicPartition, _ body: (inout PartitionLog) -> Result) -> Result {
        body(&topics[place.topic]!.partitions[Int(place.partition)])
    }

    // MARK: - Records

    mutating func append(
        _ record: StoredRecord, to place: TopicPartition, timestamp: Instant?, transaction: Int?
    ) -> Offset {
        let now = now
        return withLog(of: place) {
            $0.append(record, timestamp: timestamp ?? now, now: now, transaction: transaction)
        }
    }

    /// Chooses the partition of a producer's record, and says whether the broker takes it. A key decides by murmur2,
    /// none by turns.
    func place(_ record: StoredRecord, topic name: String, partition: Partition?) throws(LogError) -> TopicPartition {
        guard let topic = topics[name] else { throw .unknown(TopicPartition(name, partition ?? 0)) }
        let count = Int32(topic.partitions.count)
        let byKey = record.key.map { key in key.withUnsafeBytes { Murmur2.partition(of: $0, partitions: count) } }
        let place = TopicPartition(name, partition ?? byKey ?? Partition(Int32(counters.recordsProduced % Int(count))))
        guard exists(place) else { throw .unknown(place) }
        if let limit = topic.settings["max.message.bytes"].flatMap({ Int($0) }), record.size > limit {
            let error = LogError(
                .recordTooLarge, name: "MSG_SIZE_TOO_LARGE",
                "\(record.size) bytes are more than \(name) takes, \(limit)")
            let key = record.key ?? []
            throw error.refusing(
                key.withUnsafeBytes {
                    RefusedRecord(topic: name, key: record.key == nil ? nil : $0, bytes: record.size)
                })
        }
        return place
    }

    func records(_ name: String, isolation: IsolationLevel, partition: Partition?) -> [Record] {
        guard let topic = topics[name] else { return [] }
        return topic.partitions.indices.filter { partition == nil || $0 == Int(partition!) }.flatMap { index in
            let log = topic.partitions[index]
            return log.read(from: log.low, maximum: .max, isolation: isolation).records.map { entry in
                Record(
                    topic: name, partition: Partition(Int32(index)), offset: entry.offset, timestamp: entry.timestamp,
                    key: entry.record.key, value: entry.record.value, headers: entry.record.headers)
            }
        }
    }
}

extension LogError {
    static func unknown(_ place: TopicPartition) -> LogError {
        LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "there is no partition \(place)")
    }
}
