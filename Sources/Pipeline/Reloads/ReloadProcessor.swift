import Messages
import RecordLog
import StreamCore
import Timelines

/// The node of reloads, the governor: tells each recipient which of its configurations to load anew, within their
/// budgets (L1 to L9).
///
/// Changes of one recipient and kind are gathered for `coalesce` from the first, then go out together, each for a token
/// of its configuration. One without a token is held until there is one, and then goes out by itself.
final class ReloadProcessor {
    let settings: PipelineSettings
    let headers: CloudEventHeaders
    /// The key is a `ReloadKey` without a configuration.
    let gatherings = StateStore(.reloadGatherings)
    /// The key is a `ReloadKey`.
    let budgets = StateStore(.reloadBudgets)
    /// The budgets whose offers may be in a gathering. Derived from state.
    private var gathered = SlotMap<GatheringState, [Slot<BudgetState>]>(absent: [])
    private var closings = SlotTimers<GatheringState>()
    private var waits = SlotTimers<BudgetState>()
    private let kinds: DeclaredKinds

    init(_ settings: PipelineSettings) {
        self.settings = settings
        kinds = DeclaredKinds(settings)
        headers = CloudEventHeaders(source: settings.eventSource)
    }

    var stores: [any ChangelogStore] { [gatherings, budgets] }
}

// MARK: - Offers

extension ReloadProcessor: MessageProcessor {
    func receive(_ message: ReloadMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        let recipient = String(decoding: entity, as: UTF8.self)
        let key = ReloadKey(recipient: recipient, kind: message.kind, configurationId: message.configurationId)
        let slot = key.bytes.withUnsafeBytes { budgets.slot(of: $0) }
        switch message.change {
        case .offer(let offer): accept(offer, slot, key, context)
        case .amendment(let revision, let voidFrom): amend(slot, revision, voidFrom)
        case .withdrawal: withdraw(slot, key, context)
        case .removal: drop(slot, key, context)
        }
    }

    private func accept(_ new: ReloadOffer, _ slot: Slot<BudgetState>, _ key: ReloadKey, _ context: TaskContext) {
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
        if !isWaiting { gather(slot, key, context) }
    }

    private func amend(_ slot: Slot<BudgetState>, _ revision: Int64, _ voidFrom: Instant?) {
        guard budgets[slot]?.offer?.revision == revision else { return }
        budgets[slot]!.offer!.voidFrom = voidFrom
    }

    private func withdraw(_ slot: Slot<BudgetState>, _ key: ReloadKey, _ context: TaskContext) {
        // Who asked for a reload gets it, whatever there is to see.
        guard let offer = budgets[slot]?.offer, !offer.isRequested else { return }
        drop(slot, key, context)
    }

    func drop(_ slot: Slot<BudgetState>, _ key: ReloadKey, _ context: TaskContext) {
        guard var state = budgets[slot], let offer = state.offer else { return }
        context.counters.count(.dropped, kind: key.kind, offer.reason)
        state.offer = nil
        state.isHeld = false
        budgets[slot] = state.isEmpty ? nil : state
    }

    private func gather(_ slot: Slot<BudgetState>, _ key: ReloadKey, _ context: TaskContext) {
        let gathering = self.gathering(of: key)
        gathered[gathering].append(slot)
        guard gatherings[gathering] == nil else { return }
        let closesAt = context.now + terms(of: key.kind).coalesce
        gatherings[gathering] = GatheringState(closesAt: closesAt)
        closings.arm(gathering, due: closesAt)
    }

    private func gathering(of key: ReloadKey) -> Slot<GatheringState> {
        let key = ReloadKey(recipient: key.recipient, kind: key.kind)
        return key.bytes.withUnsafeBytes { gatherings.slot(of: $0) }
    }

}

// MARK: - Timers

extension ReloadProcessor: Punctuator, ClockFollower, ConflatingProcessor, HoldingProcessor {
    var nextDue: Instant? {
        guard let closing = closings.nextDue, let wait = waits.nextDue else { return closings.nextDue ?? waits.nextDue }
        return min(closing, wait)
    }

    func punctuate(_ context: TaskContext) { issueDue(until: context.now, context) }

    /// A gathering that lasts no time goes out in the transaction that it began in.
    func flush(_ context: TaskContext) {
        if let due = closings.nextDue, due <= context.now { issueDue(until: context.now, context) }
    }

    /// Closes every gathering: the time that would close it does not come.
    func releaseHeld(_ context: TaskContext) {
        if closings.nextDue != nil { issueDue(until: .distantFuture, context) }
    }

    /// Nobody waits for hours that come again: neither what is gathered, nor for a token.
    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        guard settings.concerns(step) else { return }
        for slot in budgets.slots {
            guard let bucket = budgets[slot]?.bucket, settings.isAhead(bucket.asOf, of: context.now) else {
                continue
            }
            budgets[slot]!.bucket!.clockWentBack(to: context.now, terms(of: key(of: slot).kind))
            arm(slot, terms(of: key(of: slot).kind))
        }
        for slot in gatherings.slots {
            guard let state = gatherings[slot] else { continue }
            let kind = gatherings.withKey(of: slot) { ReloadKey($0).kind }
            let latest = context.now + terms(of: kind).coalesce
            guard state.closesAt > latest else { continue }
            gatherings[slot] = GatheringState(closesAt: latest)
            closings.arm(slot, due: latest)
        }
    }

    /// Issues the reloads that are due.
    ///
    /// - Parameter closing: the gatherings that close until then are due; what is held waits for its tokens in any case.
    private func issueDue(until closing: Instant, _ context: TaskContext) {
        // By the key's bytes: ids that Unicode takes for the same are others here.
        var due: [[UInt8]: (key: ReloadKey, slots: [Slot<BudgetState>])] = [:]
        func add(_ slots: [Slot<BudgetState>], _ key: ReloadKey) { due[key.bytes, default: (key, [])].slots += slots }
        while let slot = closings.pop(now: closing) {
            guard let state = gatherings[slot] else { continue }
            guard state.closesAt <= closing else {
                closings.arm(slot, due: state.closesAt)
                continue
            }
            gatherings[slot] = nil
            add(gathered[slot], gatherings.withKey(of: slot) { ReloadKey($0) })
            gathered[slot].removeAll()
        }
        while let slot = waits.pop(now: context.now) {
            guard let state = budgets[slot] else { continue }
            let key = self.key(of: slot)
            if state.offer != nil && state.isHeld {
                add([slot], ReloadKey(recipient: key.recipient, kind: key.kind))
            } else {
                rest(slot, terms(of: key.kind), context.now)
            }
        }
        // In an order that does not depend on when which slot was made.
        for (key, slots) in due.values.sorted(by: { $0.key.precedes($1.key) }) { issue(slots, of: key, context) }
    }

    /// Forgets a bucket that is full again, else looks at it again when it should be.
    func rest(_ slot: Slot<BudgetState>, _ terms: ReloadTerms, _ now: Instant) {
        guard var state = budgets[slot], let bucket = state.bucket else { return }
        if bucket.isFull(terms, at: now) {
            state.bucket = nil
            budgets[slot] = state.isEmpty ? nil : state
        } else {
            waits.arm(slot, due: bucket.fullAt(terms, at: now))
        }
    }

    /// Until the next token.
    func hold(_ slot: Slot<BudgetState>, until due: Instant) { waits.arm(slot, due: due) }

}

// MARK: - Derived from state

extension ReloadProcessor: DerivingProcessor {
    func finishRestore(_ context: TaskContext) { derive() }

    func reverted(_ context: TaskContext) { derive() }

    private func derive() {
        closings.removeAll()
        waits.removeAll()
        gathered.removeAll()
        for slot in gatherings.slots {
            if let state = gatherings[slot] { closings.arm(slot, due: state.closesAt) }
        }
        for slot in budgets.slots {
            guard let state = budgets[slot] else { continue }
            let key = key(of: slot)
            if state.offer != nil && !state.isHeld { gathered[gathering(of: key)].append(slot) }
            arm(slot, terms(of: key.kind))
        }
    }

    /// For the next token where something is held, else for when the bucket can be forgotten.
    private func arm(_ slot: Slot<BudgetState>, _ terms: ReloadTerms) {
        guard let state = budgets[slot], let bucket = state.bucket else { return }
        let due = state.isHeld ? bucket.nextToken(terms, at: bucket.asOf) : bucket.fullAt(terms, at: bucket.asOf)
        waits.arm(slot, due: due)
    }

    func key(of slot: Slot<BudgetState>) -> ReloadKey { budgets.withKey(of: slot) { ReloadKey($0) } }

    func terms(of kind: String) -> ReloadTerms { kinds.terms(of: kind) }
}
