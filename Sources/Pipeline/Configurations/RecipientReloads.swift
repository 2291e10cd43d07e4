import Messages
import StreamCore
import Timelines

/// The reloads of configurations: this part decides which changes are worth telling, the recipient's task when.
///
/// It owns `bucket` of a configuration's state, and the displayed and the offered revision in `history`.
struct RecipientReloads {
    private let table: ConfigurationTable
    private let kinds: DeclaredKinds

    init(of table: ConfigurationTable, _ kinds: DeclaredKinds) {
        self.table = table
        self.kinds = kinds
    }

    /// A timeline that was just published.
    struct Published {
        var kind: String
        var publication: PublicationHistory.Publication
        var cause: Cause
        var traceParent: [UInt8]?
        /// The timeline before showed that something had failed.
        var followsFailure: Bool
    }

    // MARK: - Offers

    /// Offers a published timeline to its recipient if it is a visible change, else withdraws an open offer.
    func account(for published: Published, _ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        let publication = published.publication
        let reason = published.cause.reason ?? (published.followsFailure ? .retry : .scheduled)
        if publication.hasNewContent { context.counters.count(.seen, kind: published.kind, reason) }
        if publication.isVisibleChange {
            // What is offered already stands.
            if table[slot]!.history.offered == publication.revision { return }
            // A renewal of what the recipient never saw: it does not come back for that by itself.
            offer(slot, max(reason, .dataChanged), traceParent: published.traceParent, context)
            return
        }
        withdraw(slot, context)
        guard publication.hasNewContent else { return }
        if published.cause == .scheduled && kinds.terms(of: published.kind).announcesRenewals {
            offer(slot, reason, traceParent: nil, context)
        } else {
            context.counters.count(.suppressed, kind: published.kind, reason)
        }
    }

    /// Offers the timeline that was published last.
    private func offer(
        _ slot: Slot<ConfigurationState>, _ reason: ReloadNotification.Reason, traceParent: [UInt8]?,
        _ context: TaskContext
    ) {
        guard let history = table[slot]?.history, let newest = history.newest else { return }
        let offer = ReloadOffer(
            revision: history.revision, reason: reason, voidFrom: history.displayedDigest?.nextUpdate,
            digest: newest.digest, traceParent: traceParent)
        // A renewal's is not withdrawn: nothing is compared with it.
        if !offer.isRenewal { table[slot]!.history.offer() }
        let read = table.asRead(slot)
        context.counters.count(.visible, kind: read.address.kind, reason)
        send(.offer(offer), of: read.address, context)
    }

    /// Withdraws an open offer: what was offered is no longer to be seen.
    private func withdraw(_ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        guard table[slot]?.history.offered != nil, table[slot]!.history.withdrawOffer() else { return }
        send(.withdrawal, of: table.address(of: slot), context)
    }

    /// Leaves the recipient, before the configuration goes or gets another recipient or kind.
    func leave(_ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        guard table[slot]?.published != nil else { return }
        send(.removal, of: table.address(of: slot), context)
        table.modify(slot) { state in
            state.history.forgetRecipient()
            state.bucket = nil
        }
    }

    private func send(_ change: ReloadMessage.Change, of address: TimelineAddress, _ context: TaskContext) {
        let message = ReloadMessage(change, kind: address.kind, configurationId: address.configurationId)
        context.send(message, to: address.recipient, at: .reloads)
    }

    // MARK: - Announcements and requests

    /// The recipient was told of a revision. What was published while the announcement was under way was compared with
    /// what had been seen before, so it is judged once more.
    func receive(_ announcement: ReloadAnnouncement, _ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        guard table.isLive(slot) else { return }
        let read = table.asRead(slot)
        guard read.address.recipient.isSameByUTF8(as: announcement.recipient),
            read.address.kind.isSameByUTF8(as: announcement.kind)
        else { return }
        let comparison = table.modify(slot) { state in
            state.bucket = announcement.bucket
            return state.history.announce(announcement.revision, announcement.digest, at: context.now)
        }
        switch comparison {
        case .settled: break
        case .visibleChange:
            if let history = table[slot]?.history, let offered = history.offered {
                let voidFrom = history.displayedDigest?.nextUpdate
                send(.amendment(revision: offered, voidFrom: voidFrom), of: read.address, context)
            } else {
                offer(slot, .dataChanged, traceParent: nil, context)
            }
        case .noVisibleChange: withdraw(slot, context)
        }
    }

    /// Offers the timeline of a configuration because somebody asked for it, whatever there is to see (L9).
    func offerAsRequested(_ slot: Slot<ConfigurationState>, _ context: TaskContext) {
        offer(slot, .requested, traceParent: nil, context)
    }

    // MARK: - Budget

    /// The budget at an instant; a full one if nobody told of a bucket yet.
    func budget(of state: ConfigurationState, kind: String, at: Instant) -> ReloadBudget {
        let terms = kinds.terms(of: kind)
        return (state.bucket ?? TokenBucket(terms, at: at)).budget(terms, at: at)
    }
}
