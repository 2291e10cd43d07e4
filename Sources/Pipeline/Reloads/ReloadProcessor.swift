import Messages
import RecordLog
import StreamCore
import Timelines

/// The governor: tells each recipient which of its configurations to load anew, within their budgets (L1 to L9).
///
/// Changes of one recipient and kind are gathered for `coalesce` from the first, then go out together, each for a token
/// of its configuration. One without a token is held until there is one, and then goes out by itself.
final class ReloadProcessor: Processor {
    let settings: PipelineSettings
    let headers: CloudEventHeaders
    /// By `ReloadKey` without a configuration.
    let gatherings = StateStore<GatheringState>(id: StoreID.reloadGatherings)
    /// By `ReloadKey`.
    let budgets = StateStore<BudgetState>(id: StoreID.reloadBudgets)
    /// By slot of a gathering: the budgets whose offers may be in it. Derived from state.
    var gathered: [[Int]] = []
    private var closings = SlotTimers()
    private var waits = SlotTimers()
    private let kinds: DeclaredKinds

    init(_ settings: PipelineSettings) {
        self.settings = settings
        kinds = DeclaredKinds(settings)
        headers = CloudEventHeaders(source: settings.eventSource)
    }

    var stores: [any ChangelogStore] { [gatherings, budgets] }
    var nextDue: Instant? {
        guard let closing = closings.nextDue, let wait = waits.nextDue else { return closings.nextDue ?? waits.nextDue }
        return min(closing, wait)
    }

    func process(_ record: InputRecord, _ context: TaskContext) {
        preconditionFailure("No source feeds the reloads.")
    }

    // MARK: - Offers

    func receive(_ message: NodeMessage, _ context: TaskContext) {
        do throws(CorruptBytes) {
            let (kind, configurationId, told) = try ReloadMessage.read(message.payload)
            let recipient = String(decoding: message.entity, as: UTF8.self)
            let key = ReloadKey(recipient: recipient, kind: kind, configurationId: configurationId)
            let slot = key.bytes.withUnsafeBytes { budgets.slot(of: $0) }
            switch told {
            case .offer(let offer): take(offer, slot, key, context)
            case .amendment(let revision, let voidFrom): amend(slot, revision, voidFrom)
            case .withdrawal: withdraw(slot, key, context)
            case .removal: drop(slot, key, context)
            }
        } catch {
            preconditionFailure("A message about reloads of this program cannot be read: \(error)")
        }
    }

    private func take(_ new: ReloadOffer, _ slot: Int, _ key: ReloadKey, _ context: TaskContext) {
        var state = budgets[slot] ?? BudgetState()
        var offer = new
        var isWaiting = false
        if let old = state.offer {
            if old.isVoid(at: context.instant) {
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

    private func amend(_ slot: Int, _ revision: Int64, _ voidFrom: Instant?) {
        guard budgets[slot]?.offer?.revision == revision else { return }
        budgets[slot]!.offer!.voidFrom = voidFrom
    }

    private func withdraw(_ slot: Int, _ key: ReloadKey, _ context: TaskContext) {
        // Who asked for a reload gets it, whatever there is to see.
        guard let offer = budgets[slot]?.offer, !offer.isRequested else { return }
        drop(slot, key, context)
    }

    func drop(_ slot: Int, _ key: ReloadKey, _ context: TaskContext) {
        guard var state = budgets[slot], let offer = state.offer else { return }
        context.counters.count(.dropped, kind: key.kind, offer.reason)
        state.offer = nil
        state.isHeld = false
        budgets[slot] = state.isEmpty ? nil : state
    }

    private func gather(_ slot: Int, _ key: ReloadKey, _ context: TaskContext) {
        let gathering = self.gathering(of: key)
        gathered[gathering].append(slot)
        guard gatherings[gathering] == nil else { return }
        let closesAt = context.instant + terms(of: key.kind).coalesce
        gatherings[gathering] = GatheringState(closesAt: closesAt)
        closings.arm(gathering, due: closesAt)
    }

    private func gathering(of key: ReloadKey) -> Int {
        let key = ReloadKey(recipient: key.recipient, kind: key.kind)
        let slot = key.bytes.withUnsafeBytes { gatherings.slot(of: $0) }
        while gathered.count <= slot { gathered.append([]) }
        return slot
    }

    // MARK: - Timers

    func punctuate(_ context: TaskContext) { issueDue(until: context.now, context) }

    /// What is gathered for no time at all goes out in the transaction that it came in.
    func flush(_ context: TaskContext) {
        if let due = closings.nextDue, due <= context.now { issueDue(until: context.now, context) }
    }

    func bringUp(_ context: TaskContext) {}

    func closeOut(_ context: TaskContext) {
        if closings.nextDue != nil { issueDue(until: .distantFuture, context) }
    }

    /// Nobody waits for hours that come again: neither what is gathered, nor for a token.
    func clockWentBack(_ context: TaskContext) {
        for slot in 0..<budgets.slots {
            guard let bucket = budgets[slot]?.bucket, settings.isAhead(bucket.asOf, of: context.instant) else {
                continue
            }
            budgets[slot]!.bucket!.clockWentBack(to: context.instant, terms(of: key(of: slot).kind))
            arm(slot, terms(of: key(of: slot).kind))
        }
        for slot in 0..<gatherings.slots {
            guard let state = gatherings[slot] else { continue }
            let kind = gatherings.withKey(of: slot) { ReloadKey($0).kind }
            let latest = context.instant + terms(of: kind).coalesce
            guard state.closesAt > latest else { continue }
            gatherings[slot] = GatheringState(closesAt: latest)
            closings.arm(slot, due: latest)
        }
    }

    /// - Parameter closing: gatherings that close until then; what is held waits for its tokens in any case.
    private func issueDue(until closing: Instant, _ context: TaskContext) {
        // By the key's bytes: ids that Unicode takes for the same are others here.
        var due: [[UInt8]: (key: ReloadKey, slots: [Int])] = [:]
        func add(_ slots: [Int], _ key: ReloadKey) { due[key.bytes, default: (key, [])].slots += slots }
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
                rest(slot, terms(of: key.kind), context.instant)
            }
        }
        // In an order that does not depend on when which slot was made.
        for (key, slots) in due.values.sorted(by: { $0.key.precedes($1.key) }) { issue(slots, of: key, context) }
    }

    /// Forgets a bucket that is full again, else looks at it again when it should be.
    func rest(_ slot: Int, _ terms: ReloadTerms, _ now: Instant) {
        guard var state = budgets[slot], let bucket = state.bucket else { return }
        if bucket.isFull(terms, at: now) {
            state.bucket = nil
            budgets[slot] = state.isEmpty ? nil : state
        } else {
            waits.arm(slot, due: bucket.fullAt(terms, at: now))
        }
    }

    /// Until the next token.
    func hold(_ slot: Int, until due: Instant) { waits.arm(slot, due: due) }

    // MARK: - Derived from state

    func finishRestore(_ context: TaskContext) { derive() }
    func committed(_ context: TaskContext) {}
    func reverted(_ context: TaskContext) { derive() }

    private func derive() {
        closings.removeAll()
        waits.removeAll()
        gathered = Array(repeating: [], count: gatherings.slots)
        for slot in 0..<gatherings.slots {
            if let state = gatherings[slot] { closings.arm(slot, due: state.closesAt) }
        }
        for slot in 0..<budgets.slots {
            guard let state = budgets[slot] else { continue }
            let key = key(of: slot)
            if state.offer != nil && !state.isHeld { gathered[gathering(of: key)].append(slot) }
            arm(slot, terms(of: key.kind))
        }
    }

    /// For the next token where something is held, else for when the bucket can be forgotten.
    private func arm(_ slot: Int, _ terms: ReloadTerms) {
        guard let state = budgets[slot], let bucket = state.bucket else { return }
        let due = state.isHeld ? bucket.nextToken(terms, at: bucket.asOf) : bucket.fullAt(terms, at: bucket.asOf)
        waits.arm(slot, due: due)
    }

    func key(of slot: Int) -> ReloadKey { budgets.withKey(of: slot) { ReloadKey($0) } }

    func terms(of kind: String) -> ReloadTerms { kinds.terms(of: kind) }
}
