import Messages
import RecordLog
import StreamCore
import Timelines

/// Writing reloads.
extension ReloadProcessor {
    private static let namedBytesMax = 256 << 10

    /// One configuration of a reload.
    private struct Named {
        var configurationId: String
        var offer: ReloadOffer
        /// After the reload.
        var budget: ReloadBudget
    }

    /// Writes reloads of all of these that have a token; holds the others.
    func issue(_ slots: [Slot<BudgetState>], of key: ReloadKey, _ context: TaskContext) {
        let terms = terms(of: key.kind)
        var named: [Named] = []
        for (slot, configurationId) in inOrder(slots) {
            // One that was withdrawn and offered again stands here twice.
            guard let offer = budgets[slot]?.offer else { continue }
            if offer.isVoid(at: context.now) {
                drop(slot, key, context)
            } else if let bucket = charge(slot, offer, terms, key, context) {
                let budget = bucket.budget(terms, at: context.now)
                named.append(Named(configurationId: configurationId, offer: offer, budget: budget))
                answer(configurationId, offer, bucket, key, context)
            }
        }
        if named.isEmpty { return }
        for part in parts(of: named) { write(part, key, context) }
    }

    /// Each slot once, in the order of the configurations' ids.
    private func inOrder(_ slots: [Slot<BudgetState>]) -> [(slot: Slot<BudgetState>, configurationId: String)] {
        Set(slots).map { slot in
            guard let configurationId = key(of: slot).configurationId else {
                preconditionFailure("A budget belongs to a configuration.")
            }
            return (slot, configurationId)
        }
        .sorted { $0.configurationId.precedesByUTF8($1.configurationId) }
    }

    /// Takes from the bucket what the offer costs.
    ///
    /// - Returns: the bucket after that; `nil` if there is no token: then the offer is held or, if it is a renewal's,
    ///   dropped.
    private func charge(
        _ slot: Slot<BudgetState>, _ offer: ReloadOffer, _ terms: ReloadTerms, _ key: ReloadKey, _ context: TaskContext
    ) -> TokenBucket? {
        let now = context.now
        guard var state = budgets[slot] else { return nil }
        var bucket = state.bucket ?? TokenBucket(terms, at: now)
        guard offer.isFree || bucket.take(terms, at: now) else {
            if offer.isRenewal {
                drop(slot, key, context)
            } else {
                if !state.isHeld { context.counters.count(.held, kind: key.kind, offer.reason) }
                budgets[slot]!.isHeld = true
                hold(slot, until: bucket.nextToken(terms, at: now))
            }
            return nil
        }
        state.offer = nil
        state.isHeld = false
        state.bucket = bucket
        budgets[slot] = state
        rest(slot, terms, now)
        context.counters.count(.announced, kind: key.kind, offer.reason)
        return bucket
    }

    private func answer(
        _ configurationId: String, _ offer: ReloadOffer, _ bucket: TokenBucket, _ key: ReloadKey,
        _ context: TaskContext
    ) {
        let announcement = ReloadAnnouncement(
            recipient: key.recipient, kind: key.kind, revision: offer.revision, digest: offer.digest, bucket: bucket)
        context.send(ConfigurationInput.announced(announcement), to: configurationId, at: .configurations)
    }

    /// A recipient may have more configurations than one record can name.
    private func parts(of named: [Named]) -> [[Named]] {
        var parts: [[Named]] = [[]]
        var size = 0
        for one in named {
            size += one.configurationId.utf8.count + 8
            if size > Self.namedBytesMax {
                parts.append([])
                size = one.configurationId.utf8.count + 8
            }
            parts[parts.count - 1].append(one)
        }
        return parts
    }

    private func write(_ part: [Named], _ key: ReloadKey, _ context: TaskContext) {
        guard let reason = part.map(\.offer.reason).max(), let revision = part.map(\.offer.revision).max(),
            let budget = part.map(\.budget).min(by: { $0.isTighter(than: $1) })
        else { preconditionFailure("A reload names a configuration.") }
        let notification = ReloadNotification(
            recipient: key.recipient, kind: key.kind, configurationIds: part.map(\.configurationId), reason: reason,
            revision: revision, issuedAt: context.now, budget: budget)
        context.counters.count(.sent, kind: key.kind, reason)
        var json = JSONWriter()
        notification.write(to: &json)
        let headers = headers.reload(notification, traceParent: part.lazy.compactMap(\.offer.traceParent).first)
        var recipient = notification.recipient
        recipient.withUTF8 { key in
            json.withUnsafeBytes { value in
                context.emit(
                    .reloads, key: UnsafeRawBufferPointer(key), value: value, headers: headers.map { Header($0) })
            }
        }
    }
}

extension ReloadBudget {
    /// Fewer tokens are tighter; of equally many, those that take longer to be full again.
    fileprivate func isTighter(than other: ReloadBudget) -> Bool {
        remaining == other.remaining ? resetsAt > other.resetsAt : remaining < other.remaining
    }
}
