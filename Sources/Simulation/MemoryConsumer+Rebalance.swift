import RecordLog

/// Membership: callbacks run inside `poll` and `close`, without the cluster's lock.
extension MemoryConsumer {
    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        checkIsOpen()
        guard let group else { throw LogError(.wrongState, name: "_UNKNOWN_GROUP", "\(clientId) has no group") }
        precondition(subscription == nil, "\(clientId) has subscribed already")
        let member = cluster.withBroker { $0.join(group, topic: topic, clientId: clientId) }
        subscription = Subscription(topic: topic, listener: listener, member: member)
    }

    func groupMetadata() -> (any GroupMetadata)? {
        checkIsOpen()
        guard let group, let subscription, let seen = subscription.generation else { return nil }
        let generation = cluster.withBroker { broker in
            // A member that was expelled and has not heard of it believes in what it knows.
            let follows = broker.rejoin == .inBackground && broker.isMember(subscription.member, of: group)
            return follows ? broker.groups[group]!.generation : seen
        }
        return MemoryGroupMetadata(group: group, member: subscription.member, generation: generation)
    }

    /// Tells the listener what has happened to the group, one step at a time.
    ///
    /// - Returns: whether it was called.
    func rebalance() -> Bool {
        guard let group, let subscription else { return false }
        let (step, generation) = cluster.withBroker { broker in
            let state = broker.groups[group]!
            let step = state.step(of: subscription.member, seen: subscription.generation ?? 0)
            if case .assign(let places) = step { broker.groups[group]!.own(places, by: subscription.member) }
            return (step, state.generation)
        }
        switch step {
        case .nothing:
            return false
        case .assign(let places):
            self.subscription!.generation = generation
            self.subscription!.owned = (subscription.owned + places).sorted()
            subscription.listener.assigned(places)
            precondition(places.allSatisfy { assignments[$0] != nil }, "the listener has not assigned \(places)")
        case .revoke(let places):
            // The member has joined this generation already: what it commits now is accepted.
            self.subscription!.generation = generation
            revoke(places)
            cluster.withBroker { $0.release(places, group: group, member: subscription.member) }
        case .lose:
            let isTold = lose()
            self.subscription!.generation = nil
            self.subscription!.member = cluster.withBroker {
                $0.join(group, topic: subscription.topic, clientId: clientId)
            }
            return isTold
        }
        return true
    }

    func close() {
        checkIsOpen()
        if let group, let subscription {
            if cluster.withBroker({ $0.isMember(subscription.member, of: group) }) {
                if !subscription.owned.isEmpty { revoke(subscription.owned) }
                cluster.withBroker { $0.leave(group, member: subscription.member) }
            } else {
                _ = lose()
            }
        }
        markClosed()
    }

    private func revoke(_ places: [TopicPartition]) {
        subscription!.listener.revoked(places)
        giveUp(places)
    }

    /// - Returns: whether there was anything to lose.
    private func lose() -> Bool {
        let places = subscription!.owned
        guard !places.isEmpty else { return false }
        subscription!.listener.lost(places)
        giveUp(places)
        return true
    }

    private func giveUp(_ places: [TopicPartition]) {
        precondition(places.allSatisfy { assignments[$0] == nil }, "the listener has not unassigned \(places)")
        subscription!.owned.removeAll { places.contains($0) }
    }
}
