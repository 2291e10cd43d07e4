import RecordLog

/// What happens by itself when time passes.
extension Broker {
    struct Event: Sendable {
        var at: Instant
        var what: What

        enum What: Sendable {
            case arrival
            case markers(id: String)
            case offsetMarkers(id: String)
            case transactionTimeout(id: String)
            case departure(group: String, member: Int, FaultKind)
        }
    }

    /// The next thing that is due, up to a moment. Of two at the same time, the one that this looks at first.
    func nextEvent(until end: Instant) -> Event? {
        var next: Event?
        func consider(_ at: Instant, _ what: Event.What) {
            if at <= end, at < next?.at ?? Instant(milliseconds: .max) { next = Event(at: at, what: what) }
        }
        for id in ongoing {
            guard let transaction = coordinator[id]!.transaction else { continue }
            if transaction.decision != nil {
                if let at = transaction.offsetMarkersAt { consider(at, .offsetMarkers(id: id)) }
                if let at = transaction.markersAt { consider(at, .markers(id: id)) }
            } else {
                // A coordinator that is away ends nothing. It lets a transaction last its time, not less.
                let expiry = transaction.startedAt + times.transaction + ElapsedTime(milliseconds: 1)
                consider(nextCheck(from: max(expiry, transactionCoordinatorBackAt)), .transactionTimeout(id: id))
            }
        }
        for name in groups.count > 1 ? groups.keys.sorted() : Array(groups.keys) {
            // Ports that belong to no process are never silent, and their owner polls when it likes.
            for member in groups[name]!.members { considerDeparture(of: member, from: name, consider) }
        }
        // Last: a request that waits for markers comes after them.
        if let first = underWay.first { consider(first.at, .arrival) }
        return next
    }

    /// The first moment from a time on at which the coordinator looks for transactions that are too old.
    private func nextCheck(from time: Instant) -> Instant {
        let interval = times.transactionCheck.milliseconds
        guard interval > 0 else { return time }
        return Instant(milliseconds: (time.milliseconds + interval - 1) / interval * interval)
    }

    private func considerDeparture(
        of member: ConsumerGroup.Member, from group: String, _ consider: (Instant, Event.What) -> Void
    ) {
        let tolerance = ElapsedTime(milliseconds: 1)
        if let since = member.absentSince ?? silent[member.process] {
            // A coordinator that has just taken over gives every member a whole session.
            if member.isParked { return }
            let heard = max(since, groupCoordinatorBackAt, member.joinedAt, member.answeredAt)
            consider(
                heard + times.session + tolerance, .departure(group: group, member: member.id, .sessionTimeout))
        } else if member.process > 0 {
            // The client leaves by itself, which a stopped one cannot do.
            consider(
                max(member.lastPoll + times.pollInterval + tolerance, groupCoordinatorBackAt),
                .departure(group: group, member: member.id, .pollIntervalExceeded))
        }
    }

    mutating func perform(_ event: Event) {
        switch event.what {
        case .arrival:
            let request = underWay.removeFirst()
            arrive(request)
        case .markers(let id):
            settle(id)
        case .offsetMarkers(let id):
            settleOffsets(id)
        case .transactionTimeout(let id):
            settle(id)
            // Fences the producer that was too slow (KIP-588).
            coordinator[id]!.epoch += 1
            counters.transactionsTimedOut += 1
            note(.transactionTimeout)
        case .departure(let group, let member, let kind):
            note(kind)
            if kind == .pollIntervalExceeded { overslept.insert(member) }
            leave(group, member: member)
        }
    }

    mutating func healCoordinators() {
        groupCoordinatorBackAt = min(groupCoordinatorBackAt, now)
        transactionCoordinatorBackAt = min(transactionCoordinatorBackAt, now)
    }
}
