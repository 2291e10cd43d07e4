import RecordLog

/// The group coordinator.
extension Broker {
    /// - Returns: the new member's id.
    mutating func join(_ group: String, topic: String, client: (id: String, instance: String?), process: Int) -> Int {
        let id = nextSerial()
        let isNew = groups[group, default: ConsumerGroup()].join(
            .init(
                id: id, instance: client.instance, clientId: client.id, topic: topic, process: process, joinedAt: now,
                lastPoll: now))
        if isNew { rebalance(group, newcomer: id) }
        return id
    }

    /// A static member closes, and keeps its place until its session times out.
    mutating func depart(_ group: String, member: Int) {
        let now = now
        groups[group]?.depart(member, at: now)
    }

    /// Nothing happens where the member has been expelled already.
    mutating func leave(_ group: String, member: Int) {
        guard isMember(member, of: group) else { return }
        groups[group]!.leave(member, at: now)
        rebalance(group)
    }

    /// A member was polled.
    mutating func notePoll(_ group: String, member: Int) {
        groups[group]?.notePoll(of: member, at: now)
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

    // MARK: - Processes and their members

    func hasMember(ofProcess process: Int) -> Bool {
        groups.values.contains { $0.members.contains { $0.process == process } }
    }

    /// Each group of the process begins so many new generations, without any change of its members.
    mutating func rebalanceGroups(ofProcess process: Int, times: Int) {
        for name in groups.keys.sorted() where groups[name]!.members.contains(where: { $0.process == process }) {
            for _ in 0..<times { rebalance(name) }
        }
    }

    mutating func expel(process: Int) {
        expel { $0.process == process }
    }

    mutating func forgetMembers() {
        expel { _ in true }
    }

    mutating func expel(where isExpelled: (ConsumerGroup.Member) -> Bool) {
        for name in groups.keys.sorted() {
            for member in groups[name]!.members where isExpelled(member) { leave(name, member: member.id) }
        }
    }

    /// The process sends no heartbeats from now on.
    mutating func silence(process: Int) {
        if silent[process] != nil { return }
        silent[process] = now
        for name in groups.keys.sorted() { groups[name]!.silence(process: process) }
    }

    /// It sends heartbeats again, too late or not.
    mutating func wake(process: Int) {
        silent[process] = nil
        for name in groups.keys.sorted() { groups[name]!.wake(process: process) }
    }

    mutating func rebalance(_ group: String, newcomer: Int? = nil) {
        let topic = groups[group]!.members.first?.topic
        groups[group]!.rebalance(
            partitions: Int32(topic.flatMap { topics[$0]?.partitions.count } ?? 0), newcomer: newcomer)
        counters.rebalances += 1
    }

    // MARK: - Offsets

    func committed(_ places: [TopicPartition], group: String) -> [TopicPartition: CommittedOffset] {
        let committed = groups[group]?.committed ?? [:]
        return places.reduce(into: [:]) { $0[$1] = committed[$1] }
    }

    /// The reason why there is no answer about the offsets now, and until when at the most: a coordinator that moves,
    /// or, for those who ask for stable offsets, a transaction that is not settled and holds one of them.
    func obstacle(
        toOffsetsOf places: [TopicPartition], group: String, isolation: IsolationLevel
    ) -> (until: Instant, failure: LogError)? {
        if groupCoordinatorBackAt > now { return (groupCoordinatorBackAt, .coordinatorIsMoving("group")) }
        guard isolation == .readCommitted, let place = places.first(where: { isUnstable($0, group: group) }) else {
            return nil
        }
        // The client asks again and again.
        return (
            now + ElapsedTime(milliseconds: 20),
            LogError(
                .timedOut, name: "_TIMED_OUT", "the offset of \(place) is not stable: a transaction is open",
                isRetriable: true)
        )
    }

    /// As offsets.retention.minutes does: an empty group loses all, a live one those of topics that it does not
    /// subscribe to.
    mutating func expireOffsets(of group: String) {
        guard let state = groups[group] else { return }
        groups[group]!.committed = state.committed.filter { $0.key.topic == state.members.first?.topic }
    }
}
