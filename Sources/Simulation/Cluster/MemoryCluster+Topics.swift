package import RecordLog

/// What happens to topics from outside.
extension MemoryCluster {
    /// Makes a topic that is not there yet.
    package func createTopic(_ name: String, partitions: Int32, settings: [NewTopic.Setting] = []) {
        let topic = NewTopic(name: name, partitions: partitions, settings: settings)
        withBroker { broker in
            precondition(broker.topics[name] == nil, "\(name) exists")
            broker.addTopic(topic)
        }
    }

    /// Deletes a topic with its records and the offsets that groups have committed for it.
    package func deleteTopic(_ name: String) {
        withBroker { broker in
            precondition(broker.topics[name] != nil, "no topic \(name)")
            broker.deleteTopic(name)
            broker.note(.topicDeleted)
        }
    }

    /// Deletes a topic and makes another of its name, with the same settings and without a record. Offsets begin at 0.
    ///
    /// - Parameter partitions: of the new one; `nil` stands for as many as there were.
    package func recreateTopic(_ name: String, partitions: Int32? = nil) {
        withBroker { broker in
            guard let former = broker.topics[name] else { preconditionFailure("no topic \(name)") }
            let settings = former.settings.sorted { $0.key < $1.key }.map { NewTopic.Setting($0.key, $0.value) }
            broker.deleteTopic(name)
            broker.addTopic(
                NewTopic(
                    name: name, partitions: partitions ?? Int32(former.partitions.count),
                    replication: former.replication, settings: settings))
            broker.note(.topicRecreated)
        }
    }

    /// Gives a topic more partitions. Groups that subscribe to it rebalance; nobody else notices.
    package func addPartitions(to topic: String, total: Int32) {
        withBroker { broker in
            broker.addPartitions(to: topic, total: total)
            broker.note(.partitionsAdded)
        }
    }

    /// Changes a setting of an existing topic.
    package func alter(_ topic: String, _ setting: String, to value: String) {
        withBroker { $0.topics[topic]?.settings[setting] = value }
    }

    // MARK: - Cleaning

    /// Compacts a topic's partitions below their last stable offsets: the newest record of each key stays, aborted
    /// records and markers go, offsets stay as they are. Records without a key stay.
    ///
    /// - Parameter removingTombstones: also drops keys that end in a tombstone, as after delete.retention.ms.
    ///
    /// - Returns: how many records went, and how many of them were tombstones.
    @discardableResult
    package func compact(
        _ topic: String, removingTombstones: Bool = false
    ) -> (records: Int, tombstones: Int) {
        compact(topic, tombstones: removingTombstones ? .atOnce : .never, markers: .atOnce)
    }

    /// Lets the log cleaner run, by the cluster's clock and the topic's `delete.retention.ms`: a tombstone, and a
    /// marker of whose transaction nothing is left, go so long after the first run that met them (KIP-534).
    package func clean(_ topic: String) {
        let time = withBroker { broker in
            broker.topics[topic]?.settings["delete.retention.ms"].flatMap { Int64($0) } ?? 0
        }
        let horizon = PartitionLog.Horizon.after(ElapsedTime(milliseconds: time))
        compact(topic, tombstones: horizon, markers: horizon)
    }

    @discardableResult
    private func compact(
        _ topic: String, tombstones: PartitionLog.Horizon, markers: PartitionLog.Horizon
    ) -> (records: Int, tombstones: Int) {
        withBroker { broker in
            let now = broker.now
            var cleaned = PartitionLog.Cleaned()
            for index in broker.topics[topic]?.partitions.indices ?? 0..<0 {
                let more = broker.topics[topic]!.partitions[index]
                    .compact(now: now, tombstones: tombstones, markers: markers)
                cleaned = cleaned + more
            }
            if cleaned.records + cleaned.markers > 0 { broker.note(.compaction) }
            if cleaned.tombstones > 0 { broker.note(.tombstonesRemoved) }
            return (cleaned.records + cleaned.tombstones, cleaned.tombstones)
        }
    }

    /// Removes from a topic what has an older timestamp than `retention.ms`, or than the given time allows.
    ///
    /// - Returns: how many records and markers went.
    @discardableResult
    package func retain(_ topic: String, for time: Duration? = nil) -> Int {
        withBroker { broker in
            let setting = broker.topics[topic]?.settings["retention.ms"].flatMap { Int64($0) } ?? -1
            guard let length = time.map({ ElapsedTime($0).milliseconds }) ?? (setting < 0 ? nil : setting) else {
                return 0
            }
            let moment = broker.now - ElapsedTime(milliseconds: length)
            var removed = 0
            for index in broker.topics[topic]?.partitions.indices ?? 0..<0 {
                removed += broker.topics[topic]!.partitions[index].retain(since: moment)
            }
            if removed > 0 { broker.note(.retention) }
            return removed
        }
    }

    /// Moves the first offset of a partition forward, as retention by size does, whoever has not read the
    /// records yet, but not past the last stable offset.
    package func removeRecords(of place: TopicPartition, before offset: Offset) {
        withBroker { broker in
            guard broker.exists(place) else { return }
            let removed = broker.withLog(of: place) { $0.deleteRecords(before: min(offset, $0.lastStableOffset)) }
            if removed > 0 { broker.note(.retention) }
        }
    }
}
