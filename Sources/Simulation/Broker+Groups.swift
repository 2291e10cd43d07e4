import RecordLog

/// The group coordinator.
extension Broker {
    /// - Returns: the new member's id.
    mutating func join(_ group: String, topic: String, clientId: String) -> Int {
        let id = nextSerial()
        groups[group, default: ConsumerGroup()].join(.init(id: id, clientId: clientId, topic: topic))
        rebalance(group)
        return id
    }

    /// Nothing happens where the member has been expelled already.
    mutating func leave(_ group: String, member: Int) {
        guard isMember(member, of: group) else { return }
        groups[group]!.leave(member)
        rebalance(group)
    }

    func isMember(_ id: Int, of group: String) -> Bool {
        groups[group]?.members.contains { $0.id == id } ?? false
    }

    /// A member has given these up: who waits for them gets them in the next generation.
    mutating func release(_ places: [TopicPartition], group: String, member: Int) {
        guard isMember(member, of: group) else { return }
        groups[group]!.disown(places, by: member)
        rebalance(group)
    }

    mutating func rebalanceSubscribers(of topic: String) {
        for (name, group) in groups.sorted(by: { $0.key < $1.key }) where group.members.first?.topic == topic {
            rebalance(name)
        }
    }

    private mutating func rebalance(_ group: String) {
        let topic = groups[group]!.members.first?.topic
        groups[group]!.rebalance(partitions: Int32(topic.flatMap { topics[$0]?.partitions.count } ?? 0))
        counters.rebalances += 1
    }

    // MARK: - Offsets

    /// - Throws: `timedOut` where a transaction that is not settled holds one of them and they must be stable.
    func committed(
        _ places: [TopicPartition], group: String, isolation: IsolationLevel
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        if isolation == .readCommitted, let place = places.first(where: { isUnstable($0, group: group) }) {
            throw LogError(
                .timedOut, name: "_TIMED_OUT", "the offset of \(place) is not stable: a transaction is open",
                isRetriable: true)
        }
        let committed = groups[group]?.committed ?? [:]
        return committed.filter { places.contains($0.key) }
    }

    /// As offsets.retention.minutes does: an empty group loses all, a live one those of topics that it does not
    /// subscribe to.
    mutating func expireOffsets(of group: String) {
        guard let state = groups[group] else { return }
        groups[group]!.committed = state.committed.filter { $0.key.topic == state.members.first?.topic }
    }
}
