import RecordLog

/// Membership: callbacks run inside `poll` and `close`, without the cluster's lock.
extension MemoryConsumer {
    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        checkIsOpen()
        guard let group else { throw LogError(.wrongState, name: "_UNKNOWN_GROUP", "\(clientId) has no group") }
        precondition(subscription == nil, "\(clientId) has subscribed already")
        let started = try process.begin(.log(.subscribe), client: clientId)
        subscription = Subscription(topic: topic, listener: listener, member: join(group, topic: topic))
        try process.end(started)
    }

    private func join(_ group: String, topic: String) -> Int {
        let serial = process.serial
        return cluster.withBroker { $0.join(group, topic: topic, client: (clientId, instance), process: serial) }
    }

    /// Tells the group that the application lives.
    ///
    /// - Returns: the failure with which the client says that it had left the group, since it was not polled in time,
    ///   or that another process has its name.
    func notePoll() -> LogError? {
        guard let group, let subscription else { return nil }
        return cluster.withBroker { broker in
            broker.notePoll(group, member: subscription.member)
            if broker.groups[group]!.fenced.contains(subscription.member) {
                return LogError(
                    .fatal, name: "FENCED_INSTANCE_ID", "another process has taken the name of \(clientId) over")
            }
            guard broker.overslept.remove(subscription.member) != nil else { return nil }
            return LogError(.other, name: "_MAX_POLL_EXCEEDED", "\(clientId) was not polled in time")
        }
    }

    func groupMetadata() -> (any GroupMetadata)? {
        checkIsOpen()
        if process.isDead { return nil }
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
            // Without the coordinator nobody learns of anything.
            guard broker.groupCoordinatorBackAt <= broker.now else { return (ConsumerGroup.Step.nothing, 0) }
            let state = broker.groups[group]!
            let step = state.step(of: subscription.member, seen: subscription.generation ?? 0)
            if case .assign(let places) = step { broker.groups[group]!.own(places, by: subscription.member) }
            return (step, state.generation)
        }
        switch step {
        case .nothing, .fenced:
            return false
        case .assign(let places):
            self.subscription!.generation = generation
            self.subscription!.owned = (subscription.owned + places).sorted()
            assignmentChanged = false
            subscription.listener.assigned(places)
            if process.isDead { return true }
            precondition(assignmentChanged, "the listener has assigned nothing, not even none of \(places)")
        case .revoke(let places):
            // The member has joined this generation already: what it commits now is accepted.
            self.subscription!.generation = generation
            revoke(places)
            if process.isDead { return true }
            cluster.withBroker { $0.release(places, group: group, member: subscription.member) }
        case .lose:
            cluster.note(.zombie)
            let isTold = lose()
            if process.isDead { return true }
            self.subscription!.generation = nil
            self.subscription!.member = join(group, topic: subscription.topic)
            return isTold
        }
        return true
    }

    func close() {
        checkIsOpen()
        defer { markClosed() }
        guard let started = try? process.begin(.log(.close), client: clientId) else { return }
        leaveGroup()
        try? process.end(started)
    }

    private func leaveGroup() {
        if let group, let subscription {
            if cluster.withBroker({ $0.isMember(subscription.member, of: group) }) {
                if !subscription.owned.isEmpty { revoke(subscription.owned) }
                if process.isDead { return }
                let isStatic = instance != nil
                cluster.withBroker { broker in
                    if isStatic {
                        broker.depart(group, member: subscription.member)
                    } else {
                        broker.leave(group, member: subscription.member)
                    }
                }
            } else {
                _ = lose()
            }
        }
    }

    private func revoke(_ places: [TopicPartition]) {
        assignmentChanged = false
        subscription!.listener.revoked(places)
        giveUp(places)
    }

    /// - Returns: whether there was anything to lose.
    private func lose() -> Bool {
        let places = subscription!.owned
        guard !places.isEmpty else { return false }
        assignmentChanged = false
        subscription!.listener.lost(places)
        giveUp(places)
        return true
    }

    private func giveUp(_ places: [TopicPartition]) {
        if process.isDead { return }
        precondition(
            assignmentChanged && places.allSatisfy { assignments[$0] == nil },
            "the listener has not unassigned \(places)")
        subscription!.owned.removeAll { places.contains($0) }
    }
}
