/// The check that a position is of the topic that is there: the record before it is read once more.
extension TopicReader {
    /// The reason why a kept position was not used.
    package enum Restart: Hashable, Sendable {
        /// It lies behind the end.
        case behindEnd
        /// Another record is where the last one before it was.
        case otherRecord
        /// A record came that lies before it, while the topic was being read.
        case earlierRecord
        /// It counts records of which others were taken than are taken now.
        case otherChoice

        package var text: String {
            switch self {
            case .behindEnd: "the kept position lies behind the end of the partition"
            case .otherRecord: "the record before the kept position is another one: the topic was made anew"
            case .earlierRecord: "records came that lie before what was read: the topic was made anew"
            case .otherChoice: "other timelines are taken now than up to the kept position"
            }
        }
    }

    /// Reads the first record at or after each fingerprint's offset, with a consumer of its own.
    ///
    /// - Returns: the partitions that have another record there, or one between there and the position; `nil` if it was
    ///   stopped first.
    /// - Throws: what forbids to read; the latest failure, or `timedOut`, when nothing was answered for as long as the
    ///   patience of the requests.
    func others(
        than known: [Partition: Fingerprint], below positions: [Partition: Offset]
    ) throws(LogError) -> Set<Partition>? {
        var others: Set<Partition> = []
        if known.isEmpty { return others }
        let consumer = try makeComparer()
        defer { consumer.close() }
        try consumer.incrementalAssign(
            known.sorted { $0.key < $1.key }.map { (TopicPartition(topic, $0.key), .at($0.value.offset)) })
        var unanswered = Set(known.keys)
        var latest: LogError?
        var end = requests.clock.now + requests.patience
        while let first = unanswered.min() {
            if requests.shouldStop() { return nil }
            guard requests.clock.now < end else {
                throw latest
                    ?? LogError(
                        .timedOut, name: "_TIMED_OUT",
                        "the record before the kept position of \(TopicPartition(topic, first)) does not come",
                        isRetriable: true)
            }
            let before = unanswered.count
            let batch = consumer.poll(maximum: 1_000, timeout: .milliseconds(200))
            for record in batch.records where unanswered.remove(record.partition) != nil {
                guard let fingerprint = known[record.partition], let next = positions[record.partition],
                    record.offset < next
                else { continue }
                // Below the position there is no record after this one, in the topic that was read.
                if Fingerprint(record) != fingerprint { others.insert(record.partition) }
            }
            for end in batch.ends { unanswered.remove(end.partition) }
            for failure in batch.failures {
                if failure.code == .fatal || failure.code == .notAuthorised { throw failure }
                latest = failure
            }
            if unanswered.count < before { end = requests.clock.now + requests.patience }
            if batch.records.isEmpty && batch.ends.isEmpty { requests.clock.wait(for: .milliseconds(1)) }
        }
        return others
    }
}
