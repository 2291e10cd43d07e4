/// The check, now and then while a topic is read, that it is still the one that was read before. Whoever reads only the
/// records from a position on does not see that those below it are others: the topic was deleted, made again and filled
/// beyond the position before the next fetch.
extension TopicReader {
    /// A position that is not gone on from.
    package struct LostPosition: Hashable, Sendable {
        package var position: Offset
        package var reason: Restart
    }

    /// The time that a comparison may take: reading waits for it.
    private static let comparisonTime = Duration.seconds(1)

    /// Compares, when that is due, the last record of each partition that had been read at the latest comparison with
    /// the one at its offset now. Where it is another one the partition is read from its earliest record from now on,
    /// and `takeRestarts` names it. A record that is no longer there, as compaction removes some, tells nothing, unless
    /// another partition's is another one.
    ///
    /// Blocks for a second at most. What is not answered by then is asked again soon, and the reading goes on. It does
    /// not ask for partitions that the topic did not have at the latest `lookForPartitions`.
    ///
    /// - Parameters:
    ///   - interval: after so long it is due, and sooner after something odd was read.
    ///   - failed: called with a failure to ask. An outage is none: reading has the same, and tells it.
    /// - Throws: what keeps the reader from going to the earliest record.
    package func compare(every interval: Duration, failed: (LogError) -> Void) throws(LogError) {
        // A partition that the topic does not have any more would be waited for each time.
        let known = anchors.records.filter { $0.key < Partition(present) }
        guard !known.isEmpty, anchors.isDue(at: requests.clock.now, every: interval) else { return }
        var found: [Partition: Standing] = [:]
        do throws(LogError) {
            found = try standing(at: known)
        } catch {
            closeComparer()
            failed(error)
        }
        anchors.noteComparison(at: requests.clock.now, isWhole: found.count == known.count)
        // Partitions of a topic are made again together, and a marker may stand at a record's offset then.
        let isAnother = found.values.contains(.other)
        for (partition, standing) in found.sorted(by: { $0.key < $1.key }) {
            if standing == .other || isAnother && standing == .gone {
                try startOver(partition)
            } else {
                anchors.confirm(partition, upTo: before[partition])
            }
        }
    }

    func closeComparer() {
        comparer?.close()
        comparer = nil
    }

    /// What stands at the offset of a record that was read.
    private enum Standing {
        case same
        case other
        /// The record was removed since.
        case gone

        /// - Parameter first: the first record at or behind that offset, or the topic's first if it ends before.
        init(_ first: RecordView, _ known: Fingerprint) {
            if first.offset > known.offset {
                self = .gone
            } else {
                self = Fingerprint(first) == known ? .same : .other
            }
        }
    }

    /// Looks at the offsets of these records.
    ///
    /// - Returns: what is there now, of the partitions that were answered in time.
    private func standing(at known: [Partition: Fingerprint]) throws(LogError) -> [Partition: Standing] {
        let consumer = try openComparer()
        try consumer.incrementalAssign(
            known.sorted { $0.key < $1.key }.map { (TopicPartition(topic, $0.key), .at($0.value.offset)) })
        var found: [Partition: Standing] = [:]
        let deadline = requests.clock.now + Self.comparisonTime
        while found.count < known.count, requests.clock.now < deadline {
            let batch = consumer.poll(maximum: 1_000, timeout: .milliseconds(100))
            var answered: [TopicPartition] = []
            for record in batch.records where found[record.partition] == nil {
                guard let anchor = known[record.partition] else { continue }
                found[record.partition] = Standing(record, anchor)
                answered.append(TopicPartition(topic, record.partition))
            }
            // A new leader may name an end that is too low; only where the reader was sent back there is less.
            for end in batch.ends where found[end.partition] == nil {
                guard let anchor = known[end.partition], end.offset != anchor.offset else { continue }
                found[end.partition] = end.offset < anchor.offset ? .other : .gone
                answered.append(TopicPartition(topic, end.partition))
            }
            for failure in batch.failures where failure.code == .fatal { throw failure }
            if answered.isEmpty {
                requests.clock.wait(for: .milliseconds(1))
            } else {
                try consumer.incrementalUnassign(answered)
            }
        }
        let unanswered = known.keys.filter { found[$0] == nil }.map { TopicPartition(topic, $0) }
        if !unanswered.isEmpty { try consumer.incrementalUnassign(unanswered) }
        return found
    }

    private func openComparer() throws(LogError) -> any Consumer {
        if let comparer { return comparer }
        let made = try makeComparer()
        comparer = made
        return made
    }
}
