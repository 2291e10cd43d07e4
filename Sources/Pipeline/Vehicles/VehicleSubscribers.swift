import StreamCore
import Timelines

/// Refreshes and silences, by a timer for each subscription.
extension VehicleProcessor {
    func punctuate(_ context: TaskContext) {
        while let slot = timers.pop(now: context.now) {
            guard let subscription = subscriptions[slot], let due = nextDue(of: slot) else { continue }
            guard due.firesAt <= context.instant else {
                timers.arm(slot, due: due.firesAt.milliseconds)
                continue
            }
            let vehicle = vehicles[links.source(of: slot)]?.vehicle
            let at = due.instant(firing: context.instant, settings) {
                refresh(of: slot, madeAt: due.at, status: subscription.told?.status)
            }
            let isSilence = subscription.need.silencesPassed(of: vehicle, at: at) != subscription.told?.silences
            pending.insert(slot) {
                Pending(must: (isSilence ? .statusChanged : .scheduled, at), traceParent: nil)
            }
        }
    }

    func arm(_ slot: Int) {
        if let due = nextDue(of: slot) {
            timers.arm(slot, due: due.firesAt.milliseconds)
        } else {
            timers.disarm(slot)
        }
    }

    /// What there is to tell if nothing more is heard: a refresh, or the next silence of the vehicle, which is a change
    /// of status and waits for nothing.
    private func nextDue(of slot: Int) -> Due? {
        guard let subscription = subscriptions[slot], let told = subscription.told else { return nil }
        let silence = subscription.silenceDue(of: vehicles[links.source(of: slot)]?.vehicle).map { Due(at: $0) }
        let refresh = told.refreshDue.map { renewal(at: $0, of: slot, madeAt: told.at) }
        guard let silence, let refresh else { return silence ?? refresh }
        return silence.firesAt < refresh.firesAt ? silence : refresh
    }

    /// The refresh after one that is told for `made`; nil where the configuration's own timer does that.
    private func refresh(of slot: Int, madeAt made: Instant, status: VehicleStatus?) -> Due? {
        subscriptions[slot]?.need.refresh.map {
            renewal(at: $0.nextUpdate(after: made, status: status), of: slot, madeAt: made)
        }
    }

    private func renewal(at: Instant, of slot: Int, madeAt made: Instant) -> Due {
        Due(renewal: at, of: links.configurationId(of: slot, in: subscriptions), madeAt: made, settings)
    }

    /// What was told for an instant that is ahead now is told for now where timelines are renewed from here. Who has
    /// timers of its own asks by itself; what it was told is reckoned anew, so that the next change is one.
    func clockWentBack(_ context: TaskContext) {
        let now = context.instant
        for slot in 0..<subscriptions.slots {
            guard let subscription = subscriptions[slot], let told = subscription.told,
                settings.isAhead(told.at, of: now)
            else { continue }
            subscriptions[slot]!.told!.at = now
            if subscription.need.refresh != nil {
                let trace = pending.item(of: slot)?.traceParent
                pending.insert(slot, replacing: Pending(must: (.dataChanged, now), traceParent: trace))
            } else {
                let vehicle = vehicles[links.source(of: slot)]?.vehicle
                subscriptions[slot]!.told!.status = vehicle?.status(
                    at: now, offlineAfter: subscription.need.offlineAfter)
                subscriptions[slot]!.told!.silences = subscription.need.silencesPassed(of: vehicle, at: now)
                glance(at: slot)
                arm(slot)
            }
        }
    }
}
