import Messages
import StreamCore
import Timelines

/// What the clock itself brings about, whatever is due; a portion of it in each transaction (R17).
extension ConfigurationProcessor: ClockFollower, CatchUpProcessor {
    /// A timeline that was published for an instant that is ahead now is published for now, once, whatever it shows:
    /// nothing stays hours in the future. That is a change of data, which may be announced: a recipient that displays
    /// it would come back too late.
    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        guard settings.concerns(step) else { return }
        clockWalk.begin()
        followClock(context)
    }

    /// Goes on with the next configurations.
    func followClock(_ context: TaskContext) {
        clockWalk.advance(over: table.store, context) { follow($0, context) }
    }

    /// Before anything is made of a configuration that the walk may not have come to yet.
    func followClock(_ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        if clockWalk.isUnderWay { _ = follow(slot, context) }
    }

    /// - Returns: true if anything was ahead.
    private func follow(_ slot: Slot<ConfigurationState>, _ context: TaskContext) -> Bool {
        let now = context.now
        guard let state = table.live(slot) else { return false }
        let isRenewalAhead = state.renewal.map { settings.isAhead($0, of: now) } ?? false
        if isRenewalAhead { table[slot]!.renewal = now }
        guard let newest = state.history.newest, settings.isAhead(newest.at, of: now) else { return isRenewalAhead }
        table[slot]!.history.moveNewest(to: now)
        if table.isRefreshedByVehicle(slot) {
            sources.askForSnapshots(slot, at: now, context)
        } else {
            // A timeline that is pending already is made first.
            let needsSnapshots = state.pending == nil && !state.sources.isEmpty
            pending.add(.init(at: now, cause: .dataChanged, traceParent: nil, needsSnapshots: needsSnapshots), slot)
        }
        return true
    }

    func bringUp(_ context: TaskContext) { catchUp.advance(over: table.store, context) { bringUp($0, context) } }

    /// - Returns: true if the timeline is renewed.
    private func bringUp(_ slot: Slot<ConfigurationState>, _ context: TaskContext) -> Bool {
        guard let state = table.live(slot), let newest = state.history.newest else { return false }
        // With a clock that starts earlier than the last one's end, later counts as brought up, too.
        if newest.at >= context.now || state.pending != nil || table.isRefreshedByVehicle(slot) { return false }
        guard state.renewal == nil, state.areAllAnswered else { return false }
        renew(slot, at: context.now, context)
        return true
    }
}
