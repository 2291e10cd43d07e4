import Messages
import StreamCore
import Timelines

/// When a configuration's own timer fires, and for when its timeline is made then.
extension ConfigurationProcessor {
    /// Nil where the configuration's vehicle's task renews it, or nothing is due.
    func ownDue(_ slot: Int) -> Due? {
        guard let state = configurations[slot], state.value != nil, !isRefreshedByVehicle(slot),
            let published = state.published
        else { return nil }
        if published.isFailure && published.nextUpdate == nil && published.rules != settings.contentRules.version {
            // One that can be used was too large, under a release that never tried it again.
            if case .usable = message(of: slot) { return Due(at: published.at) }
        }
        return published.nextUpdate.map { due(slot, at: $0, madeAt: published.at) }
    }

    func armOwn(_ slot: Int) {
        if let due = ownDue(slot) {
            timers.arm(slot, due: due.firesAt.milliseconds)
        } else {
            timers.disarm(slot)
        }
    }

    func renewalInstant(_ slot: Int, of due: Due, _ context: TaskContext) -> Instant {
        due.instant(firing: context.instant, settings) {
            // Late by as long as the timeline was to be shown, it may have missed the next one, too.
            guard let state = configurations[slot], let published = state.published,
                context.instant - due.firesAt >= due.at - published.at
            else { return nil }
            let missed = timeline(of: message(of: slot), state, at: due.at)
            return missed.nextUpdate.map { self.due(slot, at: $0, madeAt: due.at) }
        }
    }

    private func due(_ slot: Int, at: Instant, madeAt made: Instant) -> Due {
        Due(renewal: at, of: configurations.key(of: slot), madeAt: made, settings)
    }

    /// What was published for an instant that is ahead now is published for now, once, whatever it shows: nothing stays
    /// hours in the future. It is a change of data, which may be announced: who shows it would come back too late.
    func clockWentBack(_ context: TaskContext) {
        let now = context.instant
        for slot in 0..<configurations.slots {
            guard let state = configurations[slot], state.value != nil else { continue }
            if let renewal = state.renewal, settings.isAhead(renewal, of: now) { configurations[slot]!.renewal = now }
            guard let published = state.published, settings.isAhead(published.at, of: now) else { continue }
            configurations[slot]!.published!.at = now
            if isRefreshedByVehicle(slot) {
                for source in state.sources { ask(source.id, .snapshot(at: now), slot, context) }
            } else {
                makeLater(
                    slot,
                    .init(at: now, cause: .dataChanged, traceParent: nil, needsSnapshots: !state.sources.isEmpty))
            }
        }
    }
}
