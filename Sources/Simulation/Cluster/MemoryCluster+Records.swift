package import RecordLog

/// What tests put into the log and see in it, past all ports.
extension MemoryCluster {
    /// Writes a record outside transactions.
    ///
    /// - Parameters:
    ///   - value: `nil` makes a tombstone.
    ///   - timestamp: `nil` stands for the time of the cluster's clock.
    @discardableResult
    package func append(
        _ topic: String, _ partition: Partition, key: [UInt8]?, value: [UInt8]?, headers: [Header] = [],
        timestamp: Instant? = nil
    ) -> Offset {
        withBroker { broker in
            let place = TopicPartition(topic, partition)
            precondition(broker.exists(place), "no partition \(place)")
            let record = StoredRecord(key: key, value: value, headers: headers)
            return broker.append(record, to: place, timestamp: timestamp, transaction: nil)
        }
    }

    @discardableResult
    package func append(
        _ topic: String, _ partition: Partition, key: String?, value: String?, headers: [Header] = [],
        timestamp: Instant? = nil
    ) -> Offset {
        append(
            topic, partition, key: key.map { Array($0.utf8) }, value: value.map { Array($0.utf8) }, headers: headers,
            timestamp: timestamp)
    }

    /// How a producer chooses the partition of a key.
    package enum Partitioner: Hashable, Sendable {
        /// Java's: murmur2.
        case murmur2
        /// That of librdkafka's `consistent` partitioners: CRC-32.
        case crc32
    }

    /// Writes a record where a partitioner puts its key.
    ///
    /// - Parameter partitioner: any but Java's is counted as foreign.
    /// - Returns: where that is.
    @discardableResult
    package func appendKeyed(
        _ topic: String, key: String, value: String?, headers: [Header] = [], timestamp: Instant? = nil,
        partitioner: Partitioner = .murmur2
    ) -> (partition: Partition, offset: Offset) {
        let count = partitionCount(of: topic)
        let partition: Partition
        switch partitioner {
        case .murmur2: partition = Murmur2.partition(of: key, partitions: count)
        case .crc32:
            partition = Partition(Int32(CRC32.checksum(of: key.utf8) % UInt32(count)))
            note(.foreignPartitioner)
        }
        return (partition, append(topic, partition, key: key, value: value, headers: headers, timestamp: timestamp))
    }

    /// Writes a record once more at the end of its partition, with its time stamp, as a producer does that got no
    /// answer.
    @discardableResult
    package func appendAgain(_ record: Record) -> Offset {
        note(.duplicateInput)
        return append(
            record.topic, record.partition, key: record.key, value: record.value, headers: record.headers,
            timestamp: record.timestamp)
    }

    /// What a reader of this isolation finds, by partition and then offset.
    ///
    /// - Parameter partition: `nil` stands for all of them.
    package func records(
        _ topic: String, isolation: IsolationLevel = .readCommitted, partition: Partition? = nil
    ) -> [Record] {
        withBroker { $0.records(topic, isolation: isolation, partition: partition) }
    }

    package func partitionCount(of topic: String) -> Int32 {
        withBroker { broker in
            precondition(broker.topics[topic] != nil, "no topic \(topic)")
            return Int32(broker.topics[topic]!.partitions.count)
        }
    }

    package var counters: Counters {
        withBroker { $0.counters }
    }
}

/// What has happened in a cluster since its start.
package struct Counters: Hashable, Sendable {
    /// By producers of either kind, whatever became of their transactions.
    package var recordsProduced = 0
    package var recordsDelivered = 0
    /// The records that a poll with a rebalance threw away (R1).
    package var recordsDropped = 0
    package var transactionsCommitted = 0
    /// The transactions that were aborted for whatever reason, time-outs and fencing included.
    package var transactionsAborted = 0
    package var transactionsTimedOut = 0
    /// Calls that were refused because of a newer producer of the same id, or after a time-out.
    package var fencedCalls = 0
    /// Generations of all groups.
    package var rebalances = 0
    /// `sendOffsets` calls refused as from a stale member or generation.
    package var staleOffsets = 0
    /// Readers that were out of range and began at the earliest record.
    package var offsetResets = 0
}
