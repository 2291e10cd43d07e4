import HTTPClient
import Messages
import RecordLog

extension ReloadSinkRunner {
    /// Sends what is due, waits a moment for answers, settles them.
    func deliver() throws(ReloadSinkError) {
        sendWhatIsDue()
        if lanes.isEmpty { return }
        var patience = Duration.milliseconds(underWay.isEmpty ? 200 : 20)
        // More may be there that goes with what waits.
        if underWay.isEmpty, hasRead { patience = .zero }
        if let due = lanes.nextDue, underWay.count < settings.requestsMax {
            patience = min(patience, max(due - clock.now, .zero))
        }
        try settle(transport.completions(timeout: patience))
        believeWhatIsOver()
    }

    private func sendWhatIsDue() {
        let isFlushing = hasReadAll || outstanding.count >= settings.outstandingMax
        while underWay.count < settings.requestsMax,
            let (lane, taken) = lanes.next(now: clock.now, isFlushing: isFlushing)
        {
            guard let parcel = redirect(taken, from: lane) else {
                finish(lane, taken)
                continue
            }
            let attempt = destination.attempt(parcel.content, wall: clock.wall, now: clock.now)
            if dropsForAge(parcel, by: attempt.host) {
                finish(lane, parcel)
                continue
            }
            if let pause = pauses[attempt.host], pause.until > clock.now {
                putBack(parcel, to: lane, due: pause.until)
                continue
            }
            tag += 1
            underWay[tag] = Sent(lane: lane, parcel: parcel, attempt: attempt)
            transport.execute(attempt.request, tag: tag)
        }
    }

    /// What has to go elsewhere by now is put there.
    ///
    /// - Returns: what is left here.
    func redirect(
        _ parcel: DeliveryLanes<Destination.Content>.Parcel, from lane: String
    ) -> DeliveryLanes<Destination.Content>.Parcel? {
        let routes = destination.routes(of: parcel.content)
        if routes.isEmpty { summary.skipped += parcel.records.count }
        var rest: DeliveryLanes<Destination.Content>.Parcel?
        for (route, content) in routes {
            if route == lane {
                rest = parcel
                rest?.content = content
                continue
            }
            for place in parcel.records {
                outstanding.claim(place)
                lanes.add(content, of: place, written: parcel.newest, to: route, now: clock.now)
            }
        }
        return rest
    }

    /// - Throws: `refused`, when all that was answered is settled and kept.
    private func settle(_ completions: [HTTPClientCompletion]) throws(ReloadSinkError) {
        var refusal: String?
        for completion in completions {
            guard let sent = underWay.removeValue(forKey: completion.tag) else { continue }
            let verdict = destination.verdict(
                on: completion.result, to: sent.attempt, sent.parcel.content, wall: clock.wall)
            if !verdict.holdsHost { pauses[sent.attempt.host] = nil }
            switch verdict {
            case .delivered:
                summary.delivered += 1
                deliveredAt[sent.attempt.host] = clock.now
                turnedAway.remove(sent.attempt.host)
                failing.remove(sent.attempt.host)
                believeRefusals(by: sent.attempt.host)
                finish(sent.lane, sent.parcel)
            case .gone(let retired):
                tellRetired(retired)
                if var rest = redirect(sent.parcel, from: sent.lane), !rest.wasGone {
                    summary.retries += 1
                    rest.wasGone = true
                    putBack(rest, to: sent.lane, due: clock.now)
                } else {
                    finish(sent.lane, sent.parcel)
                }
            case .deadLetter(let problem):
                deadLetter(sent.parcel.records, problem)
                finish(sent.lane, sent.parcel)
            case .refused(let problem, let reason):
                refusedRow.append(Refused(sent: sent, problem: problem, reason: reason, at: clock.now))
                refusal = refusal ?? refusalOfAll(by: sent.attempt.host, reason: reason)
            case .again(let reason, let after, let scope):
                summary.retries += 1
                hold(sent, reason: reason, after: after, scope: scope).map { notice(.holding(reason, retryIn: $0)) }
            case .turnedAway(let reason):
                summary.retries += 1
                hold(sent, reason: reason, after: nil, scope: .host)
                if turnedAway.insert(sent.attempt.host).inserted { notice(.turnedAway(reason)) }
            case .atOnce:
                summary.retries += 1
                putBack(sent.parcel, to: sent.lane, due: clock.now)
            case .stop(let reason): refusal = refusal ?? reason
            }
        }
        if let refusal {
            try commit()
            throw .refused(refusal)
        }
    }

    /// What failed for now waits, and with it, where the server as a whole failed, all that goes there.
    ///
    /// - Returns: how long, where that begins a pause of the server, or is the first failure since it took something.
    @discardableResult
    private func hold(
        _ sent: Sent, reason: String, after: Duration?, scope: DeliveryVerdict.Scope
    ) -> Duration? {
        var parcel = sent.parcel
        var failures: Int
        switch scope {
        case .parcel:
            parcel.attempts += 1
            parcel.failure = (parcel.failure?.since ?? clock.now, reason)
            failures = parcel.attempts
        case .host:
            let pause = pauses[sent.attempt.host]
            // Of requests that fail together only the first counts.
            if let pause, pause.until > clock.now {
                putBack(parcel, to: sent.lane, due: pause.until)
                return nil
            }
            failures = (pause?.failures ?? 0) + 1
        }
        let delay = max(settings.backoff.delay(after: failures, random: random()), after ?? .zero)
        if scope == .host {
            pauses[sent.attempt.host] = Pause(until: clock.now + delay, failures: failures)
        }
        putBack(parcel, to: sent.lane, due: clock.now + delay)
        let isFirst = failing.insert(sent.attempt.host).inserted
        return scope == .host || isFirst ? delay : nil
    }

    private func putBack(_ parcel: DeliveryLanes<Destination.Content>.Parcel, to lane: String, due: Duration) {
        if lanes.putBack(parcel, to: lane, due: due) { summary.conflated += 1 }
    }

    func finish(_ lane: String, _ parcel: DeliveryLanes<Destination.Content>.Parcel) {
        lanes.finish(lane, now: clock.now)
        for place in parcel.records { outstanding.settle(place) }
    }

    func tellRetired(_ retired: ReloadSinkNotice?) {
        guard let retired else { return }
        summary.retired += 1
        notice(retired)
    }

    /// Each record once, whatever is wrong with several of those it names.
    func deadLetter(_ places: [OutstandingRecords.Place], _ problem: MessageProblem) {
        for place in places {
            guard let record = outstanding.takeForDeadLetters(place) else { continue }
            let added = DeadLetterHeaders.headers(
                for: problem, topic: record.topic, partition: record.partition.rawValue, offset: record.offset.rawValue)
            entries.deadLetters.append((record, record.headers + added.map { Header($0.name, $0.value) }))
            summary.deadLetters += 1
            let origin = TopicPartition(record.topic, record.partition)
            notice(.deadLetter(origin, record.offset, reason: problem.description))
        }
    }

    /// The end of a run: waits for the answers to what was sent, sends nothing more, keeps what is settled.
    func drain() throws(ReloadSinkError) {
        let deadline = clock.now + settings.drainTimeout
        while !underWay.isEmpty, clock.now < deadline {
            try settle(transport.completions(timeout: min(deadline - clock.now, .milliseconds(200))))
        }
        if ledger.isOpen { try commit() }
    }
}

extension DeliveryVerdict {
    /// All that goes to the server waits.
    fileprivate var holdsHost: Bool {
        switch self {
        case .again(_, _, .host), .turnedAway: true
        default: false
        }
    }
}
