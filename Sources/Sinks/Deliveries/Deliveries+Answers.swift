import HTTPClient
import Messages
import RecordLog

/// How answers settle what was sent. `HostState` decides whatever concerns a server as a whole.
extension Deliveries {
    private var limits: HostState<Refused>.Limits {
        .init(
            backoff: settings.pace.backoff, refusalsMax: settings.refusalsMax,
            declinedMax: settings.pace.declinedMax, absenceMin: settings.absenceMin)
    }

    /// - Throws: `refused`, when all completions are settled.
    func settle(_ completions: [HTTPClientCompletion]) throws(DeliveryError) {
        var refusal: String?
        for completion in completions {
            guard let sent = underWay.removeValue(forKey: completion.tag) else { continue }
            let verdict = destination.verdict(
                on: completion.result, to: sent.attempt, sent.items.map(\.parcel.content), wall: clock.wall)
            traces.end(sent.span, completion.result, verdict)
            let reason = settle(sent, verdict)
            refusal = refusal ?? reason
        }
        if let refusal { throw .refused(refusal) }
    }

    /// - Returns: why the run has to end; `nil` if it goes on.
    private func settle(_ sent: Sent, _ verdict: DeliveryVerdict) -> String? {
        let host = sent.attempt.host
        let failingSince = hosts[host]?.failingSince
        if sent.isProbe { hosts[host]?.endProbe() }
        let event = event(of: verdict, sent)
        let action = hosts[host, default: HostState()].apply(event, now: clock.now, limits: limits)
        if case .delivered = verdict, let failingSince, hosts[host]?.failingSince == nil {
            notice(.resumed(host, after: clock.now - failingSince))
        }
        switch verdict {
        case .absent:
            settleAbsent(sent, action)
        case .delivered:
            summary.delivered += sent.items.count
            if case .believe(let doubts) = action { believe(doubts) }
            for item in sent.items { finish(item.lane, item.parcel) }
        case .gone(let retired):
            noticeRetired(retired)
            for item in sent.items { settleGone(item) }
        case .deadLetter(let problem, let reason):
            if case .wait = action {
                var items = declined(sent)
                for index in items.indices { items[index].parcel.attempts += 1 }
                wait(items, action, toldOfMany(reason), givesWay: true)
            } else {
                settle(sent, refusedFor: problem)
            }
        case .refused(_, let reason):
            guard case .stop(let count) = action else { return nil }
            return "\(host) refuses one after the other: \(count) with \(reason), none delivered between;"
                + " is it the right server and topic for them? Nothing is retired for it"
        case .again(let reason, _, let scope):
            wait(scope == .host ? sent.items : failed(sent, reason, isOfAddress: false), action, reason)
        case .turnedAway(let reason, let mayBeAlone):
            let items = mayBeAlone ? failed(sent, reason, isOfAddress: true) : sent.items
            wait(items, action, reason, givesWay: mayBeAlone)
        case .atOnce: sendAgain(sent.items)
        case .stop(let reason): return reason
        }
        return nil
    }

    /// Returns the parcels of a request with this failure, which may be their own.
    private func failed(_ sent: Sent, _ reason: String, isOfAddress: Bool) -> [Item] {
        let deliveredAt = hosts[sent.attempt.host]?.deliveredAt
        return sent.items.map { item in
            var item = item
            item.parcel.attempts += 1
            let since = item.parcel.failure?.since ?? clock.now
            var ownSince = item.parcel.failure?.ownSince
            if let deliveredAt, deliveredAt > since { ownSince = ownSince ?? clock.now }
            item.parcel.failure = ParcelFailure(
                since: since, ownSince: ownSince, reason: reason, isOfAddress: isOfAddress)
            return item
        }
    }

    /// Returns the parcels of a request that was refused for good, and that may be right. Of several each half goes by
    /// itself from now on.
    private func declined(_ sent: Sent) -> [Item] {
        let deliveries = hosts[sent.attempt.host]?.deliveries ?? 0
        return sent.items.map { item in
            var item = item
            item.parcel.declinedAfter = item.parcel.declinedAfter ?? deliveries
            if sent.items.count > 1 { item.parcel.batchMax = (sent.items.count + 1) / 2 }
            return item
        }
    }

    /// True if the host has taken others since it refused all of the request's parcels first.
    private func isDeclinedAlone(_ sent: Sent) -> Bool {
        let deliveries = hosts[sent.attempt.host]?.deliveries ?? 0
        return sent.items.allSatisfy { $0.parcel.declinedAfter.map { deliveries > $0 } ?? false }
    }

    /// The records before the one that made the row long were taken for wrong, and are not tried again by themselves.
    private func toldOfMany(_ reason: String) -> String {
        "\(reason), \(settings.pace.declinedMax) records in a row and none taken between; look at its address and at"
            + " what it expects. Those before this one are dead letters: 'tideline dead-letters replay' puts them back"
            + " when the target is mended. If each of them is wrong, webhook.refusals=0 makes dead letters of all"
    }

    /// Returns what a verdict says of the server.
    private func event(of verdict: DeliveryVerdict, _ sent: Sent) -> HostState<Refused>.Event {
        let attempts = (sent.items.map(\.parcel.attempts).max() ?? 0) + 1
        switch verdict {
        case .delivered: return .delivered
        case .gone, .atOnce, .stop: return .answered
        case .absent:
            for item in sent.items { failing.remove(item.lane) }
            return .absent(
                absence(of: sent), isOnly: failing.count(of: sent.attempt.host) == 0, attempts: attempts,
                jitter: random())
        case .deadLetter(_, let reason):
            let lane = sent.items.count == 1 ? sent.items[0].lane : nil
            return .declined(reason: reason, lane: lane, isOwn: isDeclinedAlone(sent), jitter: random())
        case .refused(let problem, let reason):
            refusals += 1
            return .refused(Refused(sent: sent, problem: problem, number: refusals), reason: reason)
        case .again(_, let after, .parcel): return .failed(attempts: attempts, after: after, jitter: random())
        case .again(_, let after, .either):
            let lane = isAlone(sent) ? nil : sent.items.first?.lane
            return .failed(attempts: attempts, after: after, jitter: random(), lane: lane)
        case .again(_, let after, .host): return .unavailable(after: after, jitter: random())
        case .turnedAway(_, let mayBeAlone):
            guard mayBeAlone, isAlone(sent) else { return .turnedAway(jitter: random()) }
            return .turnedAwayAlone(attempts: attempts, jitter: random())
        }
    }

    /// True if the host has taken others since the request's parcels failed first: then it is about them alone.
    private func isAlone(_ sent: Sent) -> Bool {
        guard let deliveredAt = hosts[sent.attempt.host]?.deliveredAt else { return false }
        return sent.items.allSatisfy { $0.parcel.failure.map { deliveredAt > $0.since } ?? false }
    }

    /// One that was alone is a dead letter; of several each half is sent again.
    private func settle(_ sent: Sent, refusedFor problem: MessageProblem) {
        guard sent.items.count == 1 else { return sendAgain(declined(sent)) }
        for item in sent.items {
            deadLetter(item.parcel.records, problem)
            finish(item.lane, item.parcel)
        }
    }

    private func sendAgain(_ items: [Item]) {
        summary.retries += items.count
        for item in items { putBack(item.parcel, to: item.lane, due: clock.now) }
    }

    /// Puts back what failed for now.
    ///
    /// - Parameter givesWay: what has failed least goes first after the pause. Else the first ones would always be the
    ///   first, and none behind them would show that the host takes others.
    private func wait(
        _ items: [Item], _ action: HostState<Refused>.Action, _ reason: String, givesWay: Bool = false
    ) {
        guard case .wait(let due, let told) = action else { preconditionFailure("a failure for now is waited for") }
        summary.retries += items.count
        for item in items {
            absent.remove(item.lane)
            failing.insert(item.lane, of: destination.host(of: item.parcel.content), reason)
            let place = givesWay ? HostBreaker.place(item.parcel.attempts) : .zero
            putBack(item.parcel, to: item.lane, due: due + place)
        }
        switch told {
        case .nothing: break
        case .holding(let delay): notice(.holding(reason, retryIn: delay))
        case .opened(let delay):
            let count = "\(HostBreaker.failuresMax) failures in a row"
            let reason = "\(reason); after \(count) all for this host waits, and one at a time is tried"
            notice(.holding(reason, retryIn: delay))
        case .turnedAway: notice(.turnedAway(reason))
        }
    }

    /// The recipient is gone; it is sent to once more if a newer registration contradicts that.
    private func settleGone(_ item: Item) {
        if var rest = redirect(item.parcel, from: item.lane), !rest.wasGone {
            rest.wasGone = true
            sendAgain([Item(lane: item.lane, parcel: rest)])
        } else {
            finish(item.lane, item.parcel)
        }
    }

    // MARK: - Doubted refusals

    /// Believes all doubted refusals when nothing is left that could be delivered, and when they have grown old.
    func endDoubts(hasReadAll: Bool) {
        let doubts = hosts.values.flatMap(\.doubts)
        guard let first = doubts.map(\.since).min() else { return }
        let isLast = hasReadAll && underWay.isEmpty && lanes.count == doubts.count
        guard isLast || clock.now - first >= settings.pace.ageMax else { return }
        var believed: [HostState<Refused>.Doubt] = []
        for host in hosts.keys {
            let action = hosts[host]?.apply(.doubtsEnd, now: clock.now, limits: limits)
            if case .believe(let doubts) = action { believed += doubts }
        }
        believe(believed)
    }

    /// Settles refusals as what they say, in the order of their answers.
    private func believe(_ doubts: [HostState<Refused>.Doubt]) {
        for doubt in doubts.sorted(by: { $0.refused.number < $1.refused.number }) {
            let problem = doubt.refused.problem
            for item in doubt.refused.sent.items {
                if let rest = redirect(item.parcel, from: item.lane) {
                    noticeRetired(destination.believe(problem, reason: doubt.reason, of: rest.content))
                    deadLetter(rest.records, problem)
                }
                finish(item.lane, item.parcel)
            }
        }
    }

    private func noticeRetired(_ retired: DeliveryNotice?) {
        guard let retired else { return }
        summary.retired += 1
        notice(retired)
    }
}
