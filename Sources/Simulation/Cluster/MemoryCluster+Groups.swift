package import RecordLog

/// When a member learns of a new generation.
package enum Rejoin: Hashable, Sendable {
    /// In its next poll; offsets that it sends before that are refused. This is the moment between two heartbeats,
    /// made long.
    case inPoll
    /// At once, as librdkafka's own thread mostly does; callbacks wait for the poll all the same.
    case inBackground
}

/// A member of a group as a test sees it.
package struct SimulatedMember: Hashable, Sendable {
    package var clientId: String
    /// What its application has and has not given back.
    package var owned: [TopicPartition]
    /// What it has when the rebalance is done.
    package var target: [TopicPartition]
}

/// What happens to groups from outside.
extension MemoryCluster {
    package var rejoin: Rejoin {
        get { withBroker { $0.rejoin } }
        set { withBroker { $0.rejoin = newValue } }
    }

    /// In the order in which they joined.
    package func members(of group: String) -> [SimulatedMember] {
        withBroker { broker in
            (broker.groups[group]?.members ?? []).map { member in
                SimulatedMember(
                    clientId: member.clientId, owned: member.owned.sorted().map { TopicPartition(member.topic, $0) },
                    target: member.target.sorted().map { TopicPartition(member.topic, $0) })
            }
        }
    }

    package func generation(of group: String) -> Int {
        withBroker { $0.groups[group]?.generation ?? 0 }
    }

    /// The session of a member times out: the others get its partitions, and its own next poll says that they are lost
    /// and joins anew. One that is never polled again is a process that died.
    package func expel(_ consumer: any Consumer) {
        guard let consumer = consumer as? MemoryConsumer, let (group, member) = consumer.membership else {
            preconditionFailure("not a member of a group of this cluster")
        }
        withBroker { $0.leave(group, member: member) }
    }

    /// The same for all members with a client id, of whatever group.
    package func expel(clientId: String) {
        withBroker { $0.expel { $0.clientId == clientId } }
    }

    /// What the group has committed, as a test sees it: whatever transactions are open.
    package func committedOffsets(of group: String) -> [TopicPartition: CommittedOffset] {
        withBroker { $0.groups[group]?.committed ?? [:] }
    }

    /// Lets the retention time of offsets pass: an empty group loses all, a live one those of topics that its members
    /// do not subscribe to (R5).
    /// - Returns: true if there were any.
    @discardableResult
    package func expireOffsets(_ group: String) -> Bool {
        withBroker { broker in
            let before = broker.groups[group]?.committed.count ?? 0
            broker.expireOffsets(of: group)
            let haveExpired = broker.groups[group]?.committed.count ?? 0 < before
            if haveExpired { broker.note(.offsetsExpired) }
            return haveExpired
        }
    }

    /// A group begins so many new generations, one right after the other, without any
    /// change of their members. It may be called at any time, inside a listener, too.
    package func rebalance(_ group: String, times: Int = 1) {
        withBroker { broker in
            guard broker.groups[group] != nil else { return }
            for _ in 0..<times { broker.rebalance(group) }
            broker.note(times > 1 ? .rebalanceAgain : .rebalance)
        }
    }
}

/// What happens to transactions from outside.
extension MemoryCluster {
    /// While true, commits and aborts answer before their markers are written (R2): the last stable offset and the
    /// group's offsets stay behind until it is false again, or the same transactional id writes again or initialises.
    package var delaysMarkers: Bool {
        get { withBroker { $0.delaysMarkers } }
        set {
            withBroker { broker in
                broker.delaysMarkers = newValue
                if !newValue { broker.settleDecided() }
            }
        }
    }

    /// Transactional ids with a transaction whose markers are not written, ascending.
    package var openTransactions: [String] {
        withBroker { $0.ongoing }
    }
}
