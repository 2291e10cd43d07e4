package import RecordLog

/// Reads a topic once, from its beginning up to the end that it has at the start, committed records only.
package struct TopicReading {
    private let topic: String
    private let cluster: any Cluster
    private let clock: any PacingClock
    private let patience: Duration

    /// - Parameter patience: without anything new for so long, the reading fails.
    package init(
        of topic: String, _ cluster: any Cluster, clock: any PacingClock, patience: Duration = .seconds(60)
    ) {
        self.topic = topic
        self.cluster = cluster
        self.clock = clock
        self.patience = patience
    }

    /// Blocks.
    ///
    /// - Parameters:
    ///   - shouldStop: asked after every batch.
    ///   - progress: told after every batch how many records were read, and of how many.
    ///   - take: called with each record, in the order of each partition's offsets.
    /// - Returns: false where it was stopped first.
    /// - Throws: where the topic is missing, a request fails, or nothing comes for `patience`.
    package func run(
        shouldStop: () -> Bool, progress: (_ records: Int, _ total: Int) -> Void, take: (RecordView) -> Void
    ) throws(LogError) -> Bool {
        let consumer = try cluster.makeConsumer(
            group: nil, isolation: .readCommitted, clientId: "tideline-produce")
        defer { consumer.close() }
        var ends = try ends()
        guard !ends.isEmpty else { return true }
        try consumer.incrementalAssign(ends.keys.sorted().map { (TopicPartition(topic, $0), .earliest) })
        let total = ends.values.reduce(0) { $0 + Int($1.rawValue) }
        var (records, failure, heard) = (0, LogError?.none, clock.now)
        while !ends.isEmpty {
            if shouldStop() { return false }
            let batch = consumer.poll(maximum: 5_000, timeout: .milliseconds(200))
            for view in batch.records {
                take(view)
                if let end = ends[view.partition], view.offset.next >= end { ends[view.partition] = nil }
            }
            for place in batch.ends {
                if let end = ends[place.partition], place.offset >= end { ends[place.partition] = nil }
            }
            for problem in batch.failures {
                if problem.code == .fatal || problem.code == .notAuthorised { throw problem }
                failure = problem
            }
            if !batch.records.isEmpty || !batch.ends.isEmpty { heard = clock.now }
            records += batch.records.count
            progress(records, total)
            guard clock.now - heard < patience else {
                throw failure ?? LogError(.timedOut, name: "_TIMED_OUT", "the end of \(topic) does not come")
            }
        }
        return true
    }

    /// The read_uncommitted ends of the partitions that ever held something: a transaction that was just committed lies
    /// before them, whether its marker is written or not.
    private func ends() throws(LogError) -> [Partition: Offset] {
        let admin = try cluster.makeAdmin()
        defer { admin.close() }
        guard let found = try admin.describeTopics([topic], timeout: .seconds(30))[topic] else {
            throw LogError(.unknownTopicOrPartition, name: "UNKNOWN_TOPIC_OR_PART", "topic \(topic) does not exist")
        }
        let places = (0..<Partition(found.partitions)).map { TopicPartition(topic, $0) }
        let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: .seconds(30))
        return ends.reduce(into: [:]) { ends, end in
            if end.value > Offset(0) { ends[end.key.partition] = end.value }
        }
    }
}
