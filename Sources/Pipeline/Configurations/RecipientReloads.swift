import Messages
import StreamCore
import Timelines

/// What recipients are told of a configuration: this decides what is worth telling, the recipient's task when.
extension ConfigurationProcessor {
    /// What was published, for what its recipient is told of it.
    struct Publication {
        var record: TimelineRecord
        var cause: Cause
        var traceParent: [UInt8]?
        /// It has other content than the one before.
        var isChange: Bool
        /// It is a visible change against what the recipient has seen.
        var isVisible: Bool
        /// The one before showed that something had failed.
        var followsFailure: Bool
    }

    func account(_ publication: Publication, _ slot: Int, _ context: TaskContext) {
        let record = publication.record
        let reason = publication.cause.reason ?? (publication.followsFailure ? .retry : .scheduled)
        if publication.isChange { context.counters.count(.seen, kind: record.kind, reason) }
        if publication.isVisible {
            // What is offered already stands.
            if configurations[slot]!.offered == record.revision { return }
            // A renewal of what the recipient never saw: it does not come back for that by itself.
            offer(slot, max(reason, .dataChanged), traceParent: publication.traceParent, context)
            return
        }
        withdraw(slot, context)
        guard publication.isChange else { return }
        if publication.cause == .scheduled && kinds.terms(of: record.kind).announcesRenewals {
            offer(slot, reason, traceParent: nil, context)
        } else {
            context.counters.count(.suppressed, kind: record.kind, reason)
        }
    }

    /// Offers what was published last.
    private func offer(
        _ slot: Int, _ reason: ReloadNotification.Reason, traceParent: [UInt8]?, _ context: TaskContext
    ) {
        guard let state = configurations[slot], let published = state.published else { return }
        let offer = ReloadOffer(
            revision: state.revision, reason: reason, voidFrom: state.seenDigest?.nextUpdate,
            digest: published.digest, traceParent: traceParent)
        // A renewal's is not withdrawn: nothing is compared with it.
        if !offer.isRenewal { configurations[slot]!.offered = offer.revision }
        let frame = Frame(message(of: slot))
        context.counters.count(.visible, kind: frame.kind, reason)
        send(.offer(offer), of: frame, context)
    }

    /// What was offered is no longer to be seen.
    func withdraw(_ slot: Int, _ context: TaskContext) {
        guard configurations[slot]?.offered != nil else { return }
        configurations[slot]!.offered = nil
        send(.withdrawal, of: Frame(message(of: slot)), context)
    }

    /// Before its recipient or kind changes, or it goes.
    func leaveRecipient(_ slot: Int, _ context: TaskContext) {
        guard let state = configurations[slot], state.published != nil else { return }
        send(.removal, of: Frame(message(of: slot)), context)
        configurations[slot]!.forgetRecipient()
    }

    private func send(_ message: ReloadMessage, of frame: Frame, _ context: TaskContext) {
        context.send(to: frame.recipient, node: NodeID.reloads) {
            message.encode(kind: frame.kind, configurationId: frame.configurationId, into: &$0)
        }
    }

    // MARK: - Answers and requests

    func take(_ announcement: ReloadAnnouncement, _ slot: Int, _ context: TaskContext) {
        guard var state = configurations[slot], state.value != nil else { return }
        let frame = Frame(message(of: slot))
        guard frame.recipient.isSameByUTF8(as: announcement.recipient), frame.kind.isSameByUTF8(as: announcement.kind)
        else { return }
        state.bucket = announcement.bucket
        if state.offered == announcement.revision { state.offered = nil }
        let isVisible = state.saw(announcement, at: context.instant)
        configurations[slot] = state
        // What was published while the announcement was under way was compared with what had been seen before.
        switch isVisible {
        case nil: break
        case true?:
            if let offered = state.offered {
                send(.amendment(revision: offered, voidFrom: state.seenDigest?.nextUpdate), of: frame, context)
            } else {
                offer(slot, .dataChanged, traceParent: nil, context)
            }
        case false?: withdraw(slot, context)
        }
    }

    func take(_ request: ReloadRequest, _ context: TaskContext) {
        for slot in 0..<configurations.slots {
            guard let state = configurations[slot], state.value != nil, state.published != nil else { continue }
            let frame = Frame(message(of: slot))
            guard frame.kind.isSameByUTF8(as: request.kind) else { continue }
            if let recipient = request.recipient, !frame.recipient.isSameByUTF8(as: recipient) { continue }
            offer(slot, .requested, traceParent: nil, context)
        }
    }

    // MARK: - Terms

    /// As of `at`; of a bucket that nobody has told of yet, a full one.
    func budget(_ state: ConfigurationState, kind: String, at: Instant) -> ReloadBudget {
        let terms = kinds.terms(of: kind)
        return (state.bucket ?? TokenBucket(terms, at: at)).budget(terms, at: at)
    }
}
