/// Reads all partitions of a topic without a consumer group: committed records only, each partition in the order of
/// its offsets, up to an end or for as long as it is polled.
///
/// Every call blocks: one thread owns the reader, never one of Swift's cooperative pool.
///
/// Failures have three ranks. A request is repeated as its `PatientRequests` say. A `fatal` failure of the consumer
/// ends every reading, for its handle is of no use any more. Any other failure of the consumer is told, and the reading
/// goes on: brokers come back, and rights are given. Only a reading with a `patience`, which somebody waits for, ends
/// at once when it may not read (`notAuthorised`), and when the patience is over.
package final class TopicReader {
    package let topic: String
    /// The position in each assigned partition: the offset to read next, past any transaction markers.
    package private(set) var next: [Partition: Offset] = [:]
    /// The last record that was read of each partition.
    package private(set) var before: [Partition: Fingerprint] = [:]
    private var restarts: [Partition: LostPosition] = [:]
    /// So many partitions the topic had when it was last asked for them.
    private(set) var present: Int32 = 0
    var anchors = ReadAnchors()
    private let consumer: any Consumer
    private var thrift: MemoryThrift
    private let admin: any Admin
    let requests: PatientRequests
    /// Makes the consumer that reads the records before kept positions once more.
    let makeComparer: () throws(LogError) -> any Consumer
    /// Compares while the topic is read; `nil` before the first time.
    var comparer: (any Consumer)?

    /// - Parameter admin: remains the caller's, who closes it.
    package init(
        _ topic: String, cluster: any Cluster, admin: any Admin, clientId: String, requests: PatientRequests,
        memory: any MemoryState = AmpleMemory()
    ) throws(LogError) {
        self.topic = topic
        self.admin = admin
        self.requests = requests
        thrift = MemoryThrift(memory)
        makeComparer = { () throws(LogError) in
            try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: clientId + "-compare")
        }
        consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: clientId)
    }

    package func close() {
        closeComparer()
        consumer.close()
    }

    // MARK: - Partitions

    /// What a topic held when its reader started.
    package struct Start {
        /// The read_uncommitted end of each partition. A transaction that was just committed lies before it, whether
        /// its marker is written or not.
        package var ends: [Partition: Offset] = [:]
        /// The partitions whose positions were not used, each with the reason.
        package var restarts: [Partition: Restart] = [:]
    }

    /// Begins to read: at the given position of a partition, and at the earliest record where there is none.
    ///
    /// - Parameter known: by partition an offset behind the position that the topic must reach, too, or the position
    ///   counts as lost.
    /// - Parameter before: the last record that was read below a position: if another one is found there, the topic is
    ///   another, too. A record that is no longer there, as compaction removes some, tells nothing.
    /// - Returns: `nil` if it was stopped first.
    /// - Throws: `unknownTopicOrPartition` if there is no such topic; otherwise as `PatientRequests.persistently`.
    package func start(
        from positions: [Partition: Offset] = [:], known: [Partition: Offset] = [:],
        before: [Partition: Fingerprint] = [:]
    ) throws(LogError) -> Start? {
        let answer = try requests.persistently { (timeout) throws(LogError) in
            guard let total = try partitions(timeout) else {
                throw LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "topic \(topic) does not exist")
            }
            return total
        }
        guard let total = answer else { return nil }
        present = total
        let found = try requests.persistently { (timeout) throws(LogError) in
            try ends(.readUncommitted, of: 0..<Partition(total), timeout)
        }
        guard let ends = found else { return nil }
        var start = Start(ends: ends)
        for (partition, next) in positions {
            guard let end = ends[partition], max(next, known[partition] ?? next) > end else { continue }
            start.restarts[partition] = .behindEnd
        }
        let comparable = before.filter { partition, fingerprint in
            guard let next = positions[partition], ends[partition] != nil else { return false }
            return start.restarts[partition] == nil && fingerprint.offset < next
        }
        guard let others = try others(than: comparable, below: positions) else { return nil }
        for partition in others { start.restarts[partition] = .otherRecord }
        let used = positions.filter { start.restarts[$0.key] == nil }
        self.before = before.filter { used[$0.key] != nil }
        anchors.begin(behind: self.before, at: requests.clock.now)
        try assign(0..<Partition(total), from: used)
        return start
    }

    /// Removes and returns the partitions that are read from their beginning, because the topic turned out, while it
    /// was read, to have been deleted and made again.
    package func takeRestarts() -> [Partition: LostPosition] {
        defer { restarts = [:] }
        return restarts
    }

    /// The ends that somebody has asked for: where one lies before the position, the records are compared soon.
    package func heed(_ ends: [TopicPartition: Offset]) {
        for (place, end) in ends where end < next[place.partition] ?? end { anchors.suspect() }
    }

    /// The partition is read from its earliest record from now on: what was read of it was of another topic.
    func startOver(_ partition: Partition) throws(LogError) {
        let place = TopicPartition(topic, partition)
        try consumer.incrementalUnassign([place])
        try consumer.incrementalAssign([(place, .earliest)])
        lose(next[partition] ?? Offset(0), of: partition, because: .otherRecord)
        next[partition] = Offset(0)
        before[partition] = nil
    }

    private func lose(_ position: Offset, of partition: Partition, because reason: Restart) {
        if restarts[partition] == nil { restarts[partition] = LostPosition(position: position, reason: reason) }
        anchors.forget(partition)
    }

    /// Adds the partitions that the topic has got since: nobody announces them (R9).
    ///
    /// - Returns: the number of all partitions if there are new ones, else `nil`.
    package func lookForPartitions() throws(LogError) -> Int32? {
        guard let total = try partitions(requests.attempt) else { return nil }
        present = total
        guard Int(total) > next.count else { return nil }
        try assign(Partition(Int32(next.count))..<Partition(total), from: [:])
        return total
    }

    private func partitions(_ timeout: Duration) throws(LogError) -> Int32? {
        do throws(LogError) {
            return try admin.describeTopics([topic], timeout: timeout)[topic]?.partitions
        } catch {
            throw error.needing(.read)
        }
    }

    private func assign(_ partitions: Range<Partition>, from positions: [Partition: Offset]) throws(LogError) {
        try consumer.incrementalAssign(
            partitions.map { (TopicPartition(topic, $0), positions[$0].map { .at($0) } ?? .earliest) })
        for partition in partitions { next[partition] = positions[partition] ?? Offset(0) }
    }

    // MARK: - Reading

    /// Reads the next records and calls `each` with them. Views and the batch end with the call.
    ///
    /// - Parameter failed: called with each failure that is not fatal.
    /// - Returns: the number of records.
    /// - Throws: a fatal failure, after `each` has had the records of the poll.
    @discardableResult
    package func poll(
        maximum: Int, timeout: Duration, failed: (LogError) -> Void,
        each: (_ view: RecordView, _ batch: borrowing ConsumedBatch) -> Void
    ) throws(LogError) -> Int {
        thrift.heed()
        let batch = consumer.poll(maximum: maximum, timeout: timeout)
        var last: [Partition: RecordView] = [:]
        for view in batch.records {
            each(view, batch)
            if let position = next[view.partition], view.offset < position {
                lose(position, of: view.partition, because: .earlierRecord)
                next[view.partition] = view.offset.next
            } else {
                advance(view.partition, to: view.offset.next)
            }
            last[view.partition] = view
        }
        for (partition, view) in last {
            let record = Fingerprint(view)
            before[partition] = record
            anchors.note(record, of: partition)
        }
        for end in batch.ends {
            if end.offset < next[end.partition] ?? end.offset { anchors.suspect() }
            advance(end.partition, to: end.offset)
        }
        for failure in batch.failures {
            if failure.code == .fatal { throw failure }
            if failure.code == .unknownTopicOrPartition { anchors.suspect() }
            failed(failure)
        }
        return batch.records.count
    }

    /// Reads the next records as copies.
    package func poll(
        maximum: Int, timeout: Duration, failed: (LogError) -> Void
    ) throws(LogError) -> [Record] {
        var records: [Record] = []
        try poll(maximum: maximum, timeout: timeout, failed: failed) { view, batch in
            records.append(
                Record(
                    topic: topic, partition: view.partition, offset: view.offset, timestamp: view.timestamp,
                    key: view.key.map { Array($0) }, value: view.value.map { Array($0) },
                    headers: batch.headers(of: view)))
        }
        return records
    }

    private func advance(_ partition: Partition, to offset: Offset) {
        next[partition] = max(next[partition] ?? offset, offset)
    }

    // MARK: - Ends

    /// Asks once for the present end of each assigned partition.
    ///
    /// - Parameter isolation: `readUncommitted` makes the reading wait for open transactions, `readCommitted` ends it
    ///   before the first of them.
    package func ends(_ isolation: IsolationLevel) throws(LogError) -> [Partition: Offset] {
        try ends(isolation, of: 0..<Partition(Int32(next.count)), requests.attempt)
    }

    private func ends(
        _ isolation: IsolationLevel, of partitions: Range<Partition>, _ timeout: Duration
    ) throws(LogError) -> [Partition: Offset] {
        let places = partitions.map { TopicPartition(topic, $0) }
        let found = try admin.endOffsets(of: places, isolation: isolation, timeout: timeout)
        return Dictionary(uniqueKeysWithValues: places.map { ($0.partition, found[$0] ?? Offset(0)) })
    }
}
