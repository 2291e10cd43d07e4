import RecordLog
import StreamCore
import Timelines

/// The node of reloads, the governor: tells each recipient which of its configurations to load anew, within their
/// budgets (L1 to L9).
///
/// Changes of one recipient and kind are gathered (`ReloadGatherings`), then go out together (`ReloadWriter`), each for
/// a token of its configuration (`ReloadBudgets`). A change without a token is held until there is one, and then goes
/// out by itself.
final class ReloadProcessor {
    private let settings: PipelineSettings
    private var gatherings: ReloadGatherings
    private let budgets: ReloadBudgets
    private let writer: ReloadWriter
    private let kinds: DeclaredKinds
    /// The gatherings do not wait for their time any more.
    private var isReleasing = false
    /// The offers that the flushes of this transaction looked at.
    private var used = 0
    private(set) var hasMoreToFlush = false

    init(_ settings: PipelineSettings) {
        self.settings = settings
        kinds = DeclaredKinds(settings)
        budgets = ReloadBudgets(kinds, settings)
        gatherings = ReloadGatherings(kinds, of: budgets.store)
        writer = ReloadWriter(settings)
        gatherings.store.onRelease = { [unowned self] in gatherings.forget($0) }
        budgets.store.onRelease = { [unowned self] in budgets.forget($0) }
    }

    var stores: [any ChangelogStore] { [gatherings.store, budgets.store] }
}

// MARK: - Offers

extension ReloadProcessor: MessageProcessor {
    func receive(_ message: ReloadMessage, for entity: UnsafeRawBufferPointer, _ context: TaskContext) {
        let recipient = String(decoding: entity, as: UTF8.self)
        let key = ReloadKey(recipient: recipient, kind: message.kind, configurationId: message.configurationId)
        let slot = budgets.slot(of: key)
        switch message.change {
        case .offer(let offer):
            guard budgets.accept(offer, slot, key, context) else { return }
            budgets.gather(slot, until: gatherings.add(slot, key, at: context.now), context)
        case .amendment(let revision, let voidFrom): budgets.amend(slot, revision, voidFrom: voidFrom)
        case .withdrawal:
            // Who asked for a reload gets it, whatever there is to see.
            if budgets.offer(of: slot)?.isRequested == false { budgets.drop(slot, key, context) }
        case .removal: budgets.drop(slot, key, context)
        }
    }
}

// MARK: - Times

extension ReloadProcessor: Punctuator, ClockFollower, ConflatingProcessor, HoldingProcessor {
    var nextDue: Instant? {
        guard let closing = gatherings.nextClosing, let wait = budgets.nextWait else {
            return gatherings.nextClosing ?? budgets.nextWait
        }
        return min(closing, wait)
    }

    func count(_ load: inout TimerLoad) {
        gatherings.count(&load)
        budgets.count(&load)
    }

    func punctuate(_ context: TaskContext) {
        issueDue(until: context.now, limit: context.timerPortion, context)
    }

    /// A gathering that lasts no time goes out in the transaction that it began in, if that has room for it.
    func flush(_ context: TaskContext) {
        followClock(context)
        if isClosing(at: context.now) {
            used += issueDue(until: context.now, limit: context.flushPortion - used, context)
        }
        // What waits is in state.
        hasMoreToFlush =
            isClosing(at: isReleasing ? .distantFuture : context.now) || budgets.isFollowingClock
            || gatherings.isFollowingClock
    }

    private func isClosing(at now: Instant) -> Bool { gatherings.nextClosing.map { $0 <= now } ?? false }

    /// Closes every gathering, a portion of them in each transaction: the time that would close it does not come.
    func releaseHeld(_ context: TaskContext) {
        isReleasing = true
        if gatherings.nextClosing == nil { return }
        used += issueDue(until: .distantFuture, limit: context.flushPortion - used, context)
    }

    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        guard settings.concerns(step) else { return }
        budgets.clockWentBack()
        gatherings.clockWentBack()
        followClock(context)
    }

    private func followClock(_ context: TaskContext) {
        budgets.followClock(context)
        gatherings.followClock(context)
    }

    /// Issues the reloads that are due.
    ///
    /// - Parameters:
    ///   - closing: the gatherings that close until then are due, and the held offers that have a token now.
    ///   - limit: how many offers are looked at, at the most.
    /// - Returns: how many were looked at.
    @discardableResult
    private func issueDue(until closing: Instant, limit: Int, _ context: TaskContext) -> Int {
        // By the key's bytes: ids that Unicode takes for the same are others here.
        var due = DueReloads()
        var left = limit
        while left > 0, let (key, slots) = gatherings.close(until: closing, limit: left) {
            due.add(slots, of: key)
            // One that is empty has its cost, too.
            left -= max(1, slots.count)
        }
        let held = budgets.popHeld(at: context.now, limit: max(0, left))
        left -= held.count
        for slot in held { due.add([slot], of: budgets.key(of: slot).ofAllConfigurations) }
        due.forEachInOrder { key, slots in issue(slots, of: key, context) }
        return limit - left
    }

    /// Writes a reload of all of these that have a token; holds the others.
    private func issue(_ slots: [Slot<BudgetState>], of key: ReloadKey, _ context: TaskContext) {
        let terms = kinds.terms(of: key.kind)
        var changes: [ReloadWriter.Change] = []
        for (slot, configurationId) in inOrder(slots) {
            // One that was withdrawn and offered again stands here twice.
            guard let offer = budgets.offer(of: slot) else { continue }
            if offer.isVoid(at: context.now) {
                budgets.drop(slot, key, context)
            } else if let bucket = budgets.charge(offer, slot, key, context) {
                let budget = bucket.budget(terms, at: context.now)
                changes.append(.init(configurationId: configurationId, offer: offer, budget: budget))
                let announcement = ReloadAnnouncement(
                    recipient: key.recipient, kind: key.kind, revision: offer.revision, digest: offer.digest,
                    bucket: bucket)
                context.send(ConfigurationInput.announced(announcement), to: configurationId, at: .configurations)
            }
        }
        writer.write(changes, of: key, context)
    }

    /// Each slot once, in the order of the configurations' ids.
    private func inOrder(_ slots: [Slot<BudgetState>]) -> [(slot: Slot<BudgetState>, configurationId: String)] {
        // Nearly every reload is of one configuration.
        if slots.count == 1 { return [(slots[0], configurationId(of: slots[0]))] }
        return Set(slots).map { ($0, configurationId(of: $0)) }
            .sorted { $0.configurationId.precedesByUTF8($1.configurationId) }
    }

    private func configurationId(of slot: Slot<BudgetState>) -> String {
        guard let configurationId = budgets.key(of: slot).configurationId else {
            preconditionFailure("A budget belongs to a configuration.")
        }
        return configurationId
    }
}

// MARK: - Derived from state

extension ReloadProcessor: DerivingProcessor, TransactionObserver {
    func finishRestore(_ context: TaskContext, _ portion: inout Int) -> Bool {
        guard gatherings.finishRestore(&portion) else { return false }
        return budgets.finishRestore(&portion) { slot, key, closesAt in
            gatherings.restore(slot, key, until: closesAt, at: context.now)
        }
    }

    func committed(_ context: TaskContext) {
        used = 0
        gatherings.committed()
        budgets.committed()
    }

    func reverted(_ context: TaskContext) {
        used = 0
        gatherings.reverted()
        budgets.reverted()
    }
}
