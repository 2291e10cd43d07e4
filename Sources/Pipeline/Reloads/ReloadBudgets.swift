import StreamCore
import Timelines

/// The token bucket and the open offer of each configuration, at the task of its recipient (L1 to L9).
final class ReloadBudgets {
    /// The key is a `ReloadKey`.
    private let budgets = StateStore(.reloadBudgets)
    /// When an offer that is held gets a token, else when a bucket is full again and can be forgotten.
    private var waits = SlotTimers<BudgetState>()
    /// The timers that this transaction took out.
    private var fired: [Slot<BudgetState>] = []
    /// Going through the buckets after the clock went back.
    private var clockWalk = SlotWalk<BudgetState>()
    private var restored = RestoreWalk<BudgetState>()
    private let kinds: DeclaredKinds
    private let settings: PipelineSettings

    init(_ kinds: DeclaredKinds, _ settings: PipelineSettings) {
        self.kinds = kinds
        self.settings = settings
    }

    var store: StateStore<BudgetState> { budgets }

    /// The earliest of the waits; `nil` if nothing waits.
    var nextWait: Instant? { waits.nextDue }

    func count(_ load: inout TimerLoad) { load.add(waits) }

    func slot(of key: ReloadKey) -> Slot<BudgetState> { key.bytes.withUnsafeBytes { budgets.slot(of: $0) } }

    func key(of slot: Slot<BudgetState>) -> ReloadKey { budgets.withKey(of: slot) { ReloadKey($0) } }

    func offer(of slot: Slot<BudgetState>) -> ReloadOffer? { budgets[slot]?.offer }

    // MARK: - Offers

    /// Keeps an offer, in place of the one that is open.
    ///
    /// - Returns: true if the offer is to be gathered; false if it waits already, for its gathering or for a token.
    func accept(_ new: ReloadOffer, _ slot: Slot<BudgetState>, _ key: ReloadKey, _ context: TaskContext) -> Bool {
        var state = budgets[slot] ?? BudgetState()
        var offer = new
        var isWaiting = false
        if let old = state.offer {
            if old.isVoid(at: context.now) {
                context.counters.count(.dropped, kind: key.kind, old.reason)
                state.isHeld = false
            } else {
                context.counters.count(.replaced, kind: key.kind, old.reason)
                offer = new.replacing(old)
                // What costs nothing is not held.
                isWaiting = !state.isHeld || !offer.isFree
                state.isHeld = state.isHeld && isWaiting
            }
        }
        state.offer = offer
        budgets[slot] = state
        return !isWaiting
    }

    /// The offer goes out with its gathering. Up to format 3 the gathering itself says when, in a store of its own.
    func gather(_ slot: Slot<BudgetState>, until closesAt: Instant, _ context: TaskContext) {
        if context.format >= StateFormat.derived { budgets[slot]!.closesAt = closesAt }
    }

    func amend(_ slot: Slot<BudgetState>, _ revision: Revision, voidFrom: Instant?) {
        guard budgets[slot]?.offer?.revision == revision else { return }
        budgets[slot]!.offer!.voidFrom = voidFrom
    }

    /// Drops the open offer; does nothing if there is none.
    func drop(_ slot: Slot<BudgetState>, _ key: ReloadKey, _ context: TaskContext) {
        guard var state = budgets[slot], let offer = state.offer else { return }
        context.counters.count(.dropped, kind: key.kind, offer.reason)
        state.close()
        budgets[slot] = state.isEmpty ? nil : state
    }

    // MARK: - Tokens

    /// Takes from the bucket what the open offer costs, and closes the offer.
    ///
    /// - Returns: the bucket after that; `nil` if there is no token: then the offer is held or, if it is a renewal's,
    ///   dropped.
    func charge(
        _ offer: ReloadOffer, _ slot: Slot<BudgetState>, _ key: ReloadKey, _ context: TaskContext
    ) -> TokenBucket? {
        let now = context.now
        let terms = kinds.terms(of: key.kind)
        guard var state = budgets[slot] else { return nil }
        var bucket = state.bucket ?? TokenBucket(terms, at: now)
        guard offer.isFree || bucket.take(terms, at: now) else {
            if offer.isRenewal {
                drop(slot, key, context)
            } else {
                if !state.isHeld { context.counters.count(.held, kind: key.kind, offer.reason) }
                budgets[slot]!.isHeld = true
                budgets[slot]!.closesAt = nil
                waits.arm(slot, due: bucket.nextToken(terms, at: now))
            }
            return nil
        }
        state.close()
        state.bucket = bucket
        budgets[slot] = state
        rest(slot, terms, now)
        context.counters.count(.announced, kind: key.kind, offer.reason)
        return bucket
    }

    /// Takes out held offers whose bucket has a token at `now`: those among the first timers that are due.
    ///
    /// - Parameter limit: how many timers are looked at, at the most.
    func popHeld(at now: Instant, limit: Int) -> [Slot<BudgetState>] {
        var held: [Slot<BudgetState>] = []
        for _ in 0..<limit {
            guard let slot = waits.pop(now: now) else { break }
            fired.append(slot)
            guard let state = budgets[slot] else { continue }
            if state.offer != nil && state.isHeld {
                held.append(slot)
            } else {
                rest(slot, kinds.terms(of: key(of: slot).kind), now)
            }
        }
        return held
    }

    /// Forgets a bucket that is full again, else looks at it again when it should be.
    private func rest(_ slot: Slot<BudgetState>, _ terms: ReloadTerms, _ now: Instant) {
        guard var state = budgets[slot], let bucket = state.bucket else { return }
        if bucket.isFull(terms, at: now) {
            state.bucket = nil
            budgets[slot] = state.isEmpty ? nil : state
        } else {
            waits.arm(slot, due: bucket.fullAt(terms, at: now))
        }
    }

    /// No offer waits for a token through hours that come again: from now on `followClock` goes through the buckets.
    func clockWentBack() { clockWalk.begin() }

    /// True if buckets wait for the next transaction to be looked at.
    var isFollowingClock: Bool { clockWalk.isUnderWay }

    func followClock(_ context: TaskContext) {
        guard clockWalk.isUnderWay else { return }
        var walk = clockWalk
        walk.advance(over: budgets, context) { slot in
            let closesAt = budgets[slot]?.closesAt
            let bucket = budgets[slot]?.bucket.flatMap { settings.isAhead($0.asOf, of: context.now) ? $0 : nil }
            if closesAt == nil && bucket == nil { return false }
            let terms = kinds.terms(of: key(of: slot).kind)
            let latest = context.now + terms.coalesce
            let isLate = closesAt.map { $0 > latest } ?? false
            if isLate { budgets[slot]!.closesAt = latest }
            if bucket != nil {
                budgets[slot]!.bucket!.clockWentBack(to: context.now, terms)
                arm(slot, terms)
            }
            return isLate || bucket != nil
        }
        clockWalk = walk
    }

    // MARK: - Derived from state

    /// - Parameter restoreOffer: called with each open offer that waits for its gathering, and when that closes.
    /// - Returns: false if the portion was used up, as `DerivingProcessor.finishRestore`.
    func finishRestore(
        _ portion: inout Int, _ restoreOffer: (Slot<BudgetState>, ReloadKey, Instant?) -> Void
    ) -> Bool {
        while let slot = restored.next(in: budgets, &portion) {
            guard let state = budgets[slot] else { continue }
            let key = key(of: slot)
            if state.offer != nil && !state.isHeld { restoreOffer(slot, key, state.closesAt) }
            arm(slot, kinds.terms(of: key.kind))
        }
        return restored.isDone(in: budgets)
    }

    /// Waits for the next token if an offer is held, else until the bucket can be forgotten.
    private func arm(_ slot: Slot<BudgetState>, _ terms: ReloadTerms) {
        guard let state = budgets[slot], let bucket = state.bucket else { return waits.disarm(slot) }
        let due = state.isHeld ? bucket.nextToken(terms, at: bucket.asOf) : bucket.fullAt(terms, at: bucket.asOf)
        waits.arm(slot, due: due)
    }

    func committed() {
        fired.removeAll(keepingCapacity: true)
        clockWalk.committed()
    }

    func reverted() {
        clockWalk.reverted()
        for slot in fired + budgets.reverted { arm(slot, kinds.terms(of: key(of: slot).kind)) }
        fired.removeAll()
    }

    func forget(_ released: ReleasedSlots<BudgetState>) { waits.forget(released) }
}
