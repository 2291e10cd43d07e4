package import RecordLog

/// What tests put into the log and see in it, past all ports.
extension MemoryCluster {
    /// Makes a topic that is not there yet.
    package func createTopic(_ name: String, partitions: Int32, settings: [NewTopic.Setting] = []) {
        let topic = NewTopic(name: name, partitions: partitions, settings: settings)
        withBroker { broker in
            precondition(broker.topics[name] == nil, "\(name) exists")
            broker.addTopic(topic)
        }
    }

    /// Deletes a topic and makes another of its name, with as many partitions and without a record.
    package func recreateTopic(_ name: String) {
        withBroker { broker in
            precondition(broker.topics[name] != nil, "no topic \(name)")
            broker.addTopic(NewTopic(name: name, partitions: Int32(broker.topics[name]!.partitions.count)))
        }
    }

    /// Gives a topic more partitions. Groups that subscribe to it rebalance; nobody else notices.
    package func addPartitions(to topic: String, total: Int32) {
        withBroker { $0.addPartitions(to: topic, total: total) }
    }

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

    /// Writes a record where Java's partitioner puts its key.
    ///
    /// - Returns: where that is.
    @discardableResult
    package func appendKeyed(
        _ topic: String, key: String, value: String?, headers: [Header] = [], timestamp: Instant? = nil
    ) -> (partition: Partition, offset: Offset) {
        let partition = Murmur2.partition(of: key, partitions: partitionCount(of: topic))
        return (partition, append(topic, partition, key: key, value: value, headers: headers, timestamp: timestamp))
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

    /// Compacts a topic's partitions below their last stable offsets: the newest record of each key stays, aborted
    /// records and markers go, offsets stay as they are. Records without a key stay.
    ///
    /// - Parameter removingTombstones: also drops keys that end in a tombstone, as after delete.retention.ms.
    package func compact(_ topic: String, removingTombstones: Bool = false) {
        withBroker { $0.compact(topic, removingTombstones: removingTombstones) }
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
