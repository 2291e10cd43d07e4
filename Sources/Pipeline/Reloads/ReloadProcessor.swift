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
    private var budgets: ReloadBudgets
    private let writer: ReloadWriter
    private let kinds: DeclaredKinds

    init(_ settings: PipelineSettings) {
        self.settings = settings
        kinds = DeclaredKinds(settings)
        gatherings = ReloadGatherings(kinds)
        budgets = ReloadBudgets(kinds, settings)
        writer = ReloadWriter(settings)
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
            if budgets.accept(offer, slot, key, context) { gatherings.add(slot, key, at: context.now) }
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

    func punctuate(_ context: TaskContext) { issueDue(until: context.now, context) }

    /// A gathering that lasts no time goes out in the transaction that it began in.
    func flush(_ context: TaskContext) {
        if let due = gatherings.nextClosing, due <= context.now { issueDue(until: context.now, context) }
    }

    /// Closes every gathering: the time that would close it does not come.
    func releaseHeld(_ context: TaskContext) {
        if gatherings.nextClosing != nil { issueDue(until: .distantFuture, context) }
    }

    func clockWentBack(_ context: TaskContext, _ step: ClockStep) {
        guard settings.concerns(step) else { return }
        budgets.clockWentBack(to: context.now)
        gatherings.clockWentBack(to: context.now)
    }

    /// Issues the reloads that are due.
    ///
    /// - Parameter closing: the gatherings that close until then are due, and the held offers that have a token now.
    private func issueDue(until closing: Instant, _ context: TaskContext) {
        // By the key's bytes: ids that Unicode takes for the same are others here.
        var due: [[UInt8]: (key: ReloadKey, slots: [Slot<BudgetState>])] = [:]
        while let (key, slots) = gatherings.close(until: closing) {
            due[key.bytes, default: (key, [])].slots += slots
        }
        while let slot = budgets.popHeld(at: context.now) {
            let key = budgets.key(of: slot).ofAllConfigurations
            due[key.bytes, default: (key, [])].slots.append(slot)
        }
        // In an order that does not depend on when which slot was made.
        for (key, slots) in due.values.sorted(by: { $0.key.precedes($1.key) }) { issue(slots, of: key, context) }
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
        Set(slots).map { slot in
            guard let configurationId = budgets.key(of: slot).configurationId else {
                preconditionFailure("A budget belongs to a configuration.")
            }
            return (slot, configurationId)
        }
        .sorted { $0.configurationId.precedesByUTF8($1.configurationId) }
    }
}

// MARK: - Derived from state

extension ReloadProcessor: DerivingProcessor {
    func finishRestore(_ context: TaskContext) { derive() }

    func reverted(_ context: TaskContext) { derive() }

    private func derive() {
        gatherings.derive()
        budgets.derive { slot, key in gatherings.restore(slot, key) }
    }
}
