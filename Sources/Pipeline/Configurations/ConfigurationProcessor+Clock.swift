import Messages
import StreamCore
import Timelines

/// What the clock itself brings about, whatever is due.
extension ConfigurationProcessor: ClockFollower, CatchUpProcessor {
    /// A timeline that was published for an instant that is ahead now is published for now, once, whatever it shows:
    /// nothing stays hours in the future. That is a change of data, which may be announced: a recipient that displays
    /// it would come back too late.
    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        guard settings.concerns(step) else { return }
        let now = context.now
        for slot in table.slots {
            guard let state = table.live(slot) else { continue }
            if let renewal = state.renewal, settings.isAhead(renewal, of: now) { table[slot]!.renewal = now }
            guard let newest = state.history.newest, settings.isAhead(newest.at, of: now) else { continue }
            table[slot]!.history.moveNewest(to: now)
            if table.isRefreshedByVehicle(slot) {
                sources.askForSnapshots(slot, at: now, context)
            } else {
                // A timeline that is pending already is made first.
                let needsSnapshots = state.pending == nil && !state.sources.isEmpty
                pending.add(
                    .init(at: now, cause: .dataChanged, traceParent: nil, needsSnapshots: needsSnapshots), slot)
            }
        }
    }

    func bringUp(_ context: TaskContext) {
        for slot in table.slots {
            guard let state = table.live(slot), let newest = state.history.newest else { continue }
            // With a clock that starts earlier than the last one's end, later counts as brought up, too.
            if newest.at >= context.now || state.pending != nil || table.isRefreshedByVehicle(slot) { continue }
            renew(slot, at: context.now, context)
        }
    }
}
