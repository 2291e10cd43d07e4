import HTTPClient
import RecordLog

/// How answers settle what was sent. `HostState` decides whatever concerns a server as a whole.
extension Deliveries {
    private var limits: HostState<Refused>.Limits {
        .init(backoff: settings.pace.backoff, refusalsMax: settings.refusalsMax)
    }

    /// - Throws: `refused`, when all completions are settled.
    func settle(_ completions: [HTTPClientCompletion]) throws(ReloadSinkError) {
        var refusal: String?
        for completion in completions {
            guard let sent = underWay.removeValue(forKey: completion.tag) else { continue }
            let verdict = destination.verdict(
                on: completion.result, to: sent.attempt, sent.parcel.content, wall: clock.wall)
            traces.end(sent.span, completion.result, verdict)
            let reason = settle(sent, verdict)
            refusal = refusal ?? reason
        }
        if let refusal { throw .refused(refusal) }
    }

    /// - Returns: why the run has to end; `nil` if it goes on.
    private func settle(_ sent: Sent, _ verdict: DeliveryVerdict) -> String? {
        let host = sent.attempt.host
        let action = hosts[host, default: HostState()].apply(event(of: verdict, sent), now: clock.now, limits: limits)
        switch verdict {
        case .delivered:
            summary.delivered += 1
            if case .believe(let doubts) = action { believe(doubts) }
            finish(sent.lane, sent.parcel)
        case .gone(let retired):
            noticeRetired(retired)
            settleGone(sent)
        case .deadLetter(let problem):
            deadLetter(sent.parcel.records, problem)
            finish(sent.lane, sent.parcel)
        case .refused(_, let reason):
            guard case .stop(let count) = action else { return nil }
            return "\(host) refuses one after the other: \(count) with \(reason), none delivered between;"
                + " is it the right server and topic for them? Nothing is retired for it"
        case .again(let reason, _, let scope):
            var parcel = sent.parcel
            if scope == .parcel {
                parcel.attempts += 1
                parcel.failure = (parcel.failure?.since ?? clock.now, reason)
            }
            wait(parcel, sent.lane, action, reason)
        case .turnedAway(let reason): wait(sent.parcel, sent.lane, action, reason)
        case .atOnce:
            summary.retries += 1
            putBack(sent.parcel, to: sent.lane, due: clock.now)
        case .stop(let reason): return reason
        }
        return nil
    }

    /// Returns what a verdict says of the server.
    private func event(of verdict: DeliveryVerdict, _ sent: Sent) -> HostState<Refused>.Event {
        switch verdict {
        case .delivered: return .delivered
        case .gone, .deadLetter, .atOnce, .stop: return .answered
        case .refused(let problem, let reason):
            refusals += 1
            return .refused(Refused(sent: sent, problem: problem, number: refusals), reason: reason)
        case .again(_, let after, .parcel):
            return .failed(attempts: sent.parcel.attempts + 1, after: after, jitter: random())
        case .again(_, let after, .host): return .unavailable(after: after, jitter: random())
        case .turnedAway: return .turnedAway(jitter: random())
        }
    }

    /// Puts a parcel back that failed for now.
    private func wait(_ parcel: Parcel, _ lane: String, _ action: HostState<Refused>.Action, _ reason: String) {
        guard case .wait(let due, let told) = action else { preconditionFailure("a failure for now is waited for") }
        summary.retries += 1
        putBack(parcel, to: lane, due: due)
        switch told {
        case .nothing: break
        case .holding(let delay): notice(.holding(reason, retryIn: delay))
        case .turnedAway: notice(.turnedAway(reason))
        }
    }

    /// The recipient is gone; it is sent to once more if a newer registration contradicts that.
    private func settleGone(_ sent: Sent) {
        if var rest = redirect(sent.parcel, from: sent.lane), !rest.wasGone {
            summary.retries += 1
            rest.wasGone = true
            putBack(rest, to: sent.lane, due: clock.now)
        } else {
            finish(sent.lane, sent.parcel)
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
            let (sent, problem) = (doubt.refused.sent, doubt.refused.problem)
            if let rest = redirect(sent.parcel, from: sent.lane) {
                noticeRetired(destination.believe(problem, reason: doubt.reason, of: rest.content))
                deadLetter(rest.records, problem)
            }
            finish(sent.lane, sent.parcel)
        }
    }

    private func noticeRetired(_ retired: ReloadSinkNotice?) {
        guard let retired else { return }
        summary.retired += 1
        notice(retired)
    }
}
