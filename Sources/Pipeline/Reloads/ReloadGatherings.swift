import StreamCore
import Timelines

/// The changes of each recipient and kind that are gathered, to go out together: from the first change on for
/// `coalesce`.
struct ReloadGatherings {
    /// The key is a `ReloadKey` without a configuration. Derived: each budget says when its offer goes out.
    private let gatherings = StateStore(.reloadGatherings, isDerived: true)
    /// The budgets whose offers may be in a gathering. Derived from state.
    private var gathered = SlotMap<GatheringState, [Slot<BudgetState>]>(absent: [])
    /// What was gathered, where this transaction changed it, as it was before.
    private var before = SlotQueue<GatheringState, [Slot<BudgetState>]>()
    private var closings = SlotTimers<GatheringState>()
    /// Going through the gatherings after the clock went back.
    private var clockWalk = SlotWalk<GatheringState>()
    private var restored = RestoreWalk<GatheringState>()
    private var isRestored = false
    private let kinds: DeclaredKinds
    /// Holds the slots of the budgets that are gathered.
    private let budgets: StateStore<BudgetState>

    init(_ kinds: DeclaredKinds, of budgets: StateStore<BudgetState>) {
        self.kinds = kinds
        self.budgets = budgets
    }

    var store: StateStore<GatheringState> { gatherings }

    /// The instant at which the first gathering closes; `nil` if nothing is gathered.
    var nextClosing: Instant? { closings.nextDue }

    func count(_ load: inout TimerLoad) { load.add(closings) }

    /// - Returns: when the gathering closes.
    mutating func add(_ budget: Slot<BudgetState>, _ key: ReloadKey, at now: Instant) -> Instant {
        let gathering = slot(of: key)
        let isBegun = gathered[gathering].contains { $0 != budget && isWaiting($0) }
        remember(gathering)
        gathered[gathering].append(budget)
        budgets.hold(budget)
        // Where all that was gathered is withdrawn, this is the first change: a restart would know of no other.
        if isBegun, let state = gatherings[gathering] { return state.closesAt }
        let closesAt = now + kinds.terms(of: key.kind).coalesce
        gatherings[gathering] = GatheringState(closesAt: closesAt)
        closings.arm(gathering, due: closesAt)
        return closesAt
    }

    /// True if the offer goes out with its gathering.
    private func isWaiting(_ budget: Slot<BudgetState>) -> Bool {
        budgets[budget].map { $0.offer != nil && !$0.isHeld } ?? false
    }

    private func slot(of key: ReloadKey) -> Slot<GatheringState> {
        key.ofAllConfigurations.bytes.withUnsafeBytes { gatherings.slot(of: $0) }
    }

    private mutating func remember(_ gathering: Slot<GatheringState>) {
        before.append(gathering, gathered[gathering])
    }

    /// Closes the next gathering that closes until `instant`, or a part of it.
    ///
    /// - Parameter limit: how many budgets are taken out of it at the most; what is left goes out by itself, next.
    /// - Returns: its recipient and kind with the budgets whose offers may be in it; `nil` if none closes.
    mutating func close(
        until instant: Instant, limit: Int
    ) -> (key: ReloadKey, budgets: [Slot<BudgetState>])? {
        while let slot = closings.pop(now: instant) {
            guard let state = gatherings[slot] else { continue }
            guard state.closesAt <= instant else {
                closings.arm(slot, due: state.closesAt)
                continue
            }
            remember(slot)
            let closed = Array(gathered[slot].prefix(limit))
            gathered[slot].removeFirst(closed.count)
            for budget in closed { budgets.letGo(budget) }
            if gathered[slot].isEmpty {
                gatherings[slot] = nil
            } else {
                // Counts as written, so that a transaction ends in any case: the next one has room for the rest.
                gatherings[slot] = state
                closings.arm(slot, due: state.closesAt)
            }
            return (gatherings.withKey(of: slot) { ReloadKey($0) }, closed)
        }
        return nil
    }

    /// No gathering waits for hours that come again: from now on `followClock` goes through them.
    mutating func clockWentBack() { clockWalk.begin() }

    /// True if gatherings wait for the next transaction to be looked at.
    var isFollowingClock: Bool { clockWalk.isUnderWay }

    mutating func followClock(_ context: TaskContext) {
        guard clockWalk.isUnderWay else { return }
        var walk = clockWalk
        walk.advance(over: gatherings, context) { slot in
            guard let state = gatherings[slot] else { return false }
            let kind = gatherings.withKey(of: slot) { ReloadKey($0).kind }
            let latest = context.now + kinds.terms(of: kind).coalesce
            guard state.closesAt > latest else { return false }
            gatherings[slot] = GatheringState(closesAt: latest)
            closings.arm(slot, due: latest)
            return true
        }
        clockWalk = walk
    }

    // MARK: - Derived from state

    /// - Returns: false if the portion was used up, as `DerivingProcessor.finishRestore`.
    mutating func finishRestore(_ portion: inout Int) -> Bool {
        // What is derived since then needs no look.
        if isRestored { return true }
        while let slot = restored.next(in: gatherings, &portion) { rearm(slot) }
        isRestored = restored.isDone(in: gatherings)
        return isRestored
    }

    /// Gathers an offer again that is in state.
    ///
    /// - Parameter closesAt: `nil` in state up to format 3, which has the gathering itself.
    mutating func restore(_ budget: Slot<BudgetState>, _ key: ReloadKey, until closesAt: Instant?, at now: Instant) {
        let gathering = slot(of: key)
        gathered[gathering].append(budget)
        budgets.hold(budget)
        let known = gatherings[gathering]?.closesAt
        guard closesAt != nil || known == nil else { return }
        let due = closesAt ?? now
        if let known, known <= due { return }
        gatherings.derive(gathering, GatheringState(closesAt: due))
        closings.arm(gathering, due: due)
    }

    private mutating func rearm(_ slot: Slot<GatheringState>) {
        if let state = gatherings[slot] { closings.arm(slot, due: state.closesAt) } else { closings.disarm(slot) }
    }

    mutating func committed() {
        clockWalk.committed()
        before.removeAll()
    }

    mutating func reverted() {
        clockWalk.reverted()
        for (slot, budgets) in before.drain() {
            for budget in budgets { self.budgets.hold(budget) }
            for budget in gathered[slot] { self.budgets.letGo(budget) }
            gathered[slot] = budgets
            rearm(slot)
        }
        for slot in gatherings.reverted { rearm(slot) }
    }

    mutating func forget(_ released: ReleasedSlots<GatheringState>) {
        gathered.forget(released)
        before.forget(released)
        closings.forget(released)
    }
}
