import Diagnosis
import Inspection
import Messages
import RecordLog
import Settings

/// Reading of whole topics and of single records, without a group: committed records only.
extension Environment {
    private static let inspectId = "tideline-inspect"
    /// How long the records of a transaction that is open are waited for.
    private static let patience = Duration.seconds(15)

    /// Reads a topic from its earliest record to the end that it has now. Blocks.
    ///
    /// Records behind a transaction that nobody ends are not shown; a warning names partition and offset.
    ///
    /// - Parameters:
    ///   - positions: where to begin in place of the earliest record, by partition.
    ///   - needsAll: such a transaction is a failure, as somebody acts on what is read.
    /// - Throws: with status 69 if the topic cannot be read, or the program is to end first.
    func readRecords(
        of topic: String, from positions: [Partition: Offset] = [:], needsAll: Bool = false,
        each: (_ view: RecordView, _ batch: borrowing ConsumedBatch) -> Void
    ) throws(CommandFailure) {
        let isRead: Bool? = try readToEnd(topic) { progress throws(LogError) in
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            let reader = try TopicReader(
                topic, cluster: cluster, admin: admin, clientId: Self.inspectId, requests: requests)
            defer { reader.close() }
            guard let start = try reader.start(from: positions) else { return nil }
            return try read(reader, to: start.ends, needsAll: needsAll, progress: progress, each: each) ? true : nil
        }
        if isRead == nil { throw CommandFailure(.unavailable, "told to end before all of \(topic) was read") }
    }

    /// - Returns: false if it was stopped first.
    func read(
        _ reader: TopicReader, to ends: [Partition: Offset], needsAll: Bool = false,
        progress: (_ records: Int, _ total: Int) -> Void,
        each: (_ view: RecordView, _ batch: borrowing ConsumedBatch) -> Void
    ) throws(LogError) -> Bool {
        let total = ends.values.reduce(0) { $0 + Int($1.rawValue) }
        do throws(LogError) {
            return try reader.read(
                to: ends, maximum: 5_000, timeout: .milliseconds(200), patience: Self.patience, failed: { _ in },
                progress: { progress($0, total) }, each: each)
        } catch {
            guard !needsAll, error.code == .timedOut, try reader.hasReached(reader.ends(.readCommitted)) else {
                throw error
            }
            for (partition, end) in ends.sorted(by: { $0.key < $1.key }) {
                guard let next = reader.next[partition], next < end else { continue }
                writeError(
                    "warning: \(TopicPartition(reader.topic, partition)): a transaction is open from offset \(next) on;"
                        + " what lies behind that is not shown")
            }
            return true
        }
    }

    /// Says on standard error which records are missing in what is shown.
    func warn(of unread: UnreadRecords) {
        for topic in unread.topics {
            let (are, first) = topic.count == 1 ? ("is", "it") : ("are", "the first")
            writeError(
                "warning: \(topic.count.counted("record")) of \(topic.name) cannot be read and \(are) passed over;"
                    + " \(first) is \(topic.first.text): \(topic.problem)")
        }
    }

    /// Reads the configurations and, if wanted, their timelines.
    func configurationsRead(withTimelines: Bool) throws(CommandFailure) -> ConfigurationListBox {
        let box = ConfigurationListBox(kinds: settings[Keys.kinds])
        let (configurations, timelines) = (topics.configurations, topics.timelines)
        try readRecords(of: configurations) { view, _ in box.list.apply(configuration: view, of: configurations) }
        if withTimelines {
            try readRecords(of: timelines) { view, _ in box.list.apply(timeline: view, of: timelines) }
        }
        return box
    }

    /// Reads one record of a topic. Blocks for ten seconds at most.
    ///
    /// - Returns: the record; `nil` if the topic has it no more.
    func record(at place: SourceOffset) throws(LogError) -> Record? {
        let partition = TopicPartition(place.topic, Partition(place.partition))
        let consumer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: Self.inspectId)
        defer { consumer.close() }
        try consumer.incrementalAssign([(partition, .at(Offset(place.offset)))])
        let end = WallClock.uptime() + .seconds(10)
        while WallClock.uptime() < end, !Signals.isStopRequested {
            let batch = consumer.poll(maximum: 1, timeout: .milliseconds(200))
            if let view = batch.records.first {
                guard view.offset.rawValue == place.offset else { return nil }
                return Record(
                    topic: place.topic, partition: view.partition, offset: view.offset, timestamp: view.timestamp,
                    key: view.key.map { Array($0) }, value: view.value.map { Array($0) },
                    headers: batch.headers(of: view))
            }
            if !batch.ends.isEmpty { return nil }
            if let failure = batch.failures.first(where: { !$0.isRetriable }) {
                if failure.code == .offsetOutOfRange { return nil }
                throw failure
            }
        }
        throw LogError(.timedOut, name: "_TIMED_OUT", "no answer about \(place.text)")
    }
}
