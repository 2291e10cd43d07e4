import RecordLog

/// Reads all partitions of a topic, committed records only, without a consumer group. Owned by one thread.
final class TopicReader {
    let topic: String
    private let consumer: any Consumer
    private let admin: any Admin
    private let requests: BrokerRequests
    /// Where the reader is in each partition, transaction markers included.
    private(set) var read: [Partition: Offset] = [:]

    init(
        _ topic: String, cluster: any Cluster, admin: any Admin, clientId: String, requests: BrokerRequests
    ) throws(LogError) {
        self.topic = topic
        self.admin = admin
        self.requests = requests
        consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: clientId)
    }

    /// What a topic held when its reader started.
    struct Start {
        /// The read_uncommitted ends.
        var ends: [Partition: Offset] = [:]
        /// Positions that lie behind the end, which were not taken.
        var lost: [Partition: Offset] = [:]
    }

    /// Begins at these positions, elsewhere at the earliest record.
    ///
    /// - Throws: `unknownTopicOrPartition` where there is no such topic; what passes by itself only where it does not
    ///   in time, or where the run is to stop.
    @discardableResult
    func start(from positions: [Partition: Offset] = [:]) throws(LogError) -> Start {
        let found = try requests.persistently { (timeout) throws(LogError) in try partitions(timeout) }
        guard let total = found else {
            throw LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "topic \(topic) does not exist")
        }
        let ends = try requests.persistently { (timeout) throws(LogError) in
            try self.ends(.readUncommitted, of: 0..<Partition(total), timeout)
        }
        let lost = positions.filter { partition, next in next > ends[partition] ?? next }
        try assign(0..<Partition(total), from: positions.filter { lost[$0.key] == nil })
        return Start(ends: ends, lost: lost)
    }

    /// Adds partitions that the topic has got meanwhile.
    ///
    /// - Returns: how many there are, where there are new ones.
    func lookForPartitions() throws(LogError) -> Int32? {
        guard let total = try partitions(requests.attempt), Int(total) > read.count else { return nil }
        try assign(Partition(Int32(read.count))..<Partition(total), from: [:])
        return total
    }

    private func partitions(_ timeout: Duration) throws(LogError) -> Int32? {
        try admin.describeTopics([topic], timeout: timeout)[topic]?.partitions
    }

    private func assign(_ partitions: Range<Partition>, from positions: [Partition: Offset]) throws(LogError) {
        try consumer.incrementalAssign(
            partitions.map { (TopicPartition(topic, $0), positions[$0].map { .at($0) } ?? .earliest) })
        for partition in partitions { read[partition] = positions[partition] ?? Offset(0) }
    }

    /// Copies of the next records, in the order of each partition's offsets.
    ///
    /// - Parameter failed: told of failures that pass.
    /// - Throws: those that do not.
    func poll(maximum: Int, timeout: Duration, failed: (LogError) -> Void) throws(LogError) -> [Record] {
        let batch = consumer.poll(maximum: maximum, timeout: timeout)
        var records: [Record] = []
        for view in batch.records {
            records.append(
                Record(
                    topic: topic, partition: view.partition, offset: view.offset, timestamp: view.timestamp,
                    key: view.key.map { Array($0) }, value: view.value.map { Array($0) },
                    headers: batch.headers(of: view)))
            moved(view.partition, to: view.offset.next)
        }
        for end in batch.ends { moved(end.partition, to: end.offset) }
        for failure in batch.failures {
            if failure.code == .fatal { throw failure }
            failed(failure)
        }
        return records
    }

    private func moved(_ partition: Partition, to offset: Offset) {
        read[partition] = max(read[partition] ?? offset, offset)
    }

    func ends(_ isolation: IsolationLevel) throws(LogError) -> [Partition: Offset] {
        try ends(isolation, of: 0..<Partition(Int32(read.count)), requests.attempt)
    }

    private func ends(
        _ isolation: IsolationLevel, of partitions: Range<Partition>, _ timeout: Duration
    ) throws(LogError) -> [Partition: Offset] {
        let places = partitions.map { TopicPartition(topic, $0) }
        let found = try admin.endOffsets(of: places, isolation: isolation, timeout: timeout)
        return Dictionary(uniqueKeysWithValues: places.map { ($0.partition, found[$0] ?? Offset(0)) })
    }

    func hasReached(_ ends: [Partition: Offset]) -> Bool {
        ends.allSatisfy { partition, end in read[partition].map { $0 >= end } ?? false }
    }

    func close() {
        consumer.close()
    }
}
