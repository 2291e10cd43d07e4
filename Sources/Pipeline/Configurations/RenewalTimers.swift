import Messages
import StreamCore
import Timelines

/// The timers of configurations: when a timeline is renewed, and when a deleted configuration is forgotten.
struct RenewalTimers {
    private let table: ConfigurationTable
    private let maker: TimelineMaker
    private let settings: PipelineSettings
    private var timers = SlotTimers<ConfigurationState>()
    /// Timelines that are overdue, and that the tasks of their vehicles renew: until then these have time to do so.
    private var overdue = SlotTimers<ConfigurationState>()
    /// The timers that this transaction took out.
    private var fired: [Slot<ConfigurationState>] = []

    /// The revision of a deleted configuration is kept for so long: 30 days.
    private static let keptAfterDeletion = ElapsedTime.hours(30 * 24)

    init(of table: ConfigurationTable, _ maker: TimelineMaker, _ settings: PipelineSettings) {
        self.table = table
        self.maker = maker
        self.settings = settings
    }

    /// The purpose of a timer that fired.
    enum Fired {
        /// The timeline is renewed for this instant.
        case renewal(Slot<ConfigurationState>, at: Instant)
        /// The task of the vehicle had time enough to renew the timeline, and did not.
        case overdue(Slot<ConfigurationState>)
        /// The configuration was deleted long ago.
        case forgetting(Slot<ConfigurationState>)
    }

    var nextDue: Instant? { earlier(timers.nextDue, overdue.nextDue) }

    /// Takes out timers that are due, the earliest first, and at most a portion of them.
    mutating func pop(_ context: TaskContext) -> [Fired] {
        var due: [Fired] = []
        for _ in 0..<context.timerPortion {
            if let slot = timers.pop(now: context.now) {
                fired.append(slot)
                if let purpose = purpose(of: slot, context) { due.append(purpose) }
            } else if let slot = overdue.pop(now: context.now) {
                fired.append(slot)
                if !context.hasReadSources {
                    // The vehicle's task knows too little to renew anything, and waits for telemetry.
                    overdue.arm(slot, due: context.now + settings.pause)
                } else if isStillOverdue(slot, context) {
                    due.append(.overdue(slot))
                }
            } else {
                break
            }
        }
        return due
    }

    /// The purpose of a timer that fired; `nil` if the timer was overtaken.
    private mutating func purpose(of slot: Slot<ConfigurationState>, _ context: TaskContext) -> Fired? {
        guard let state = table[slot] else { return nil }
        if let deletedAt = state.deletedAt {
            if deletedAt + Self.keptAfterDeletion <= context.now { return .forgetting(slot) }
            arm(slot)
        } else if let due = due(of: slot) {
            if due.firesAt <= context.now {
                return .renewal(slot, at: instant(for: slot, due, firing: context.now))
            }
            arm(slot)
        } else if let due = dueAtVehicle(of: slot) {
            // The vehicle's own renewal is due by now as well, and comes first.
            if due.firesAt <= context.now {
                overdue.arm(slot, due: context.now + settings.pause)
            } else {
                timers.arm(slot, due: due.firesAt)
            }
        }
        return nil
    }

    /// False if the timer was overtaken. Else the timer is set again, for an interval later: the vehicle's task refuses
    /// what it is asked while the clock here is behind its own, and that clock may be set right.
    private mutating func isStillOverdue(_ slot: Slot<ConfigurationState>, _ context: TaskContext) -> Bool {
        guard let due = dueAtVehicle(of: slot), due.firesAt <= context.now, let made = table[slot]?.history.newest?.at
        else { return false }
        timers.arm(slot, due: context.now + max(settings.pause, due.at - made))
        return true
    }

    /// Sets the configuration's timer as its state says.
    mutating func arm(_ slot: Slot<ConfigurationState>) {
        overdue.disarm(slot)
        if let deletedAt = table[slot]?.deletedAt {
            timers.arm(slot, due: deletedAt + Self.keptAfterDeletion)
        } else if let due = due(of: slot) {
            timers.arm(slot, due: due.firesAt)
        } else {
            timers.disarm(slot)
        }
    }

    /// The same if the task of the configuration's vehicle may not renew the timeline when it is due: it was published
    /// for an earlier instant than the vehicle's update was for, by a clock that is behind. After a restore, and after
    /// an abort, nobody knows whether it was.
    ///
    /// There is no look at the configuration's record: after a restore, to read them all takes longer than all else.
    mutating func armWatching(_ slot: Slot<ConfigurationState>) {
        overdue.disarm(slot)
        guard table.isLive(slot), !table.isRead(slot) || table.isRefreshedByVehicle(slot),
            let nextUpdate = table[slot]?.history.newest?.digest.nextUpdate,
            let made = table[slot]?.history.newest?.at
        else { return arm(slot) }
        timers.arm(slot, due: renewal(slot, at: nextUpdate, madeAt: made).firesAt)
    }

    mutating func forget(_ released: ReleasedSlots<ConfigurationState>) {
        timers.forget(released)
        overdue.forget(released)
    }

    mutating func committed() { fired.removeAll(keepingCapacity: true) }

    /// Sets the timers again that the aborted transaction took out.
    mutating func reverted() {
        for slot in fired { armWatching(slot) }
        fired.removeAll()
    }

    /// `nil` if the task of the configuration's vehicle renews its timeline, or if nothing is due.
    private func due(of slot: Slot<ConfigurationState>) -> Due? {
        guard table.isLive(slot), !table.isRefreshedByVehicle(slot), let published = table[slot]?.published,
            let newest = table[slot]?.history.newest
        else { return nil }
        let nextUpdate = newest.digest.nextUpdate
        if published.isFailure && nextUpdate == nil && published.rules != settings.contentRules.version {
            // A usable configuration's timeline was too large, under a release that never tried it again.
            if case .usable = table.message(of: slot) { return Due(at: newest.at) }
        }
        return nextUpdate.map { renewal(slot, at: $0, madeAt: newest.at) }
    }

    /// The date by which the task of the configuration's vehicle should have renewed the timeline; `nil` if that does
    /// not renew it, or if nothing is due.
    private func dueAtVehicle(of slot: Slot<ConfigurationState>) -> Due? {
        guard table.isLive(slot), table.isRefreshedByVehicle(slot), table[slot]?.published != nil,
            let newest = table[slot]?.history.newest
        else { return nil }
        return newest.digest.nextUpdate.map { renewal(slot, at: $0, madeAt: newest.at) }
    }

    private func renewal(_ slot: Slot<ConfigurationState>, at: Instant, madeAt made: Instant) -> Due {
        Due(renewal: at, ofHash: table.store.hash(of: slot), madeAt: made, settings)
    }

    /// The instant for which a timeline is made whose timer fires now.
    private func instant(for slot: Slot<ConfigurationState>, _ due: Due, firing now: Instant) -> Instant {
        due.instant(firing: now, settings) {
            // Late by as long as the timeline was to be shown, it may have missed the next one, too.
            guard let state = table.live(slot), let newest = state.history.newest,
                now - due.firesAt >= due.at - newest.at
            else { return nil }
            let missed = maker.timeline(of: table.message(of: slot), state, at: due.at)
            return missed.nextUpdate.map { renewal(slot, at: $0, madeAt: due.at) }
        }
    }

    func count(_ load: inout TimerLoad) {
        load.add(timers)
        load.add(overdue)
    }
}
