import Timelines

/// The configurations of one recipient and kind.
struct CheckedGroup {
    let recipient: String
    let kind: String
    var members: [Int] = []
    var window = ChangeWindow()
    var lastReload: Instant?
    /// The last one that went out when its window ended.
    var lastGathered: Instant?

    init(recipient: String, kind: String) {
        self.recipient = recipient
        self.kind = kind
    }
}

/// Each rule of a reload.
extension ReloadChecker {
    func judge(_ reload: AnnouncedReload, _ named: [Int], at: Instant) {
        guard let first = named.first, checkAddress(reload, named, at) else { return }
        let group = widgets[first].group
        checkCoalescing(reload, named, group, at)
        checkReason(reload, named, at)
        checkRevision(reload, named, at)
        groups[group].lastReload = at
        for slot in named { announced(slot, reload, at) }
        checkBudget(reload, named, at)
        figures.reloads += 1
        figures.named += named.count
        figures.reasons[reload.reason, default: 0] += 1
        figures.kinds[reload.kind, default: .init()].named += named.count
    }

    private func checkAddress(_ reload: AnnouncedReload, _ named: [Int], _ at: Instant) -> Bool {
        let areKnown = named.count == reload.configurationIds.count && Set(named).count == named.count
        let isTheirs = named.allSatisfy { slot in
            let group = groups[widgets[slot].group]
            return group.recipient == reload.recipient && group.kind == reload.kind
        }
        if areKnown && isTheirs && reload.issuedAt == at { return true }
        found(.address, at, "\(reload.recipient), \(reload.kind): \(reload.configurationIds)")
        return false
    }

    private func announced(_ slot: Int, _ reload: AnnouncedReload, _ at: Instant) {
        let widget = widgets[slot]
        let isRequested = reload.reason == "requested"
        let isAnnouncedRenewal = widget.rules.announcesRenewals && widget.isRenewed
        if !widget.isVisible(at: at) && !isRequested && !isAnnouncedRenewal {
            found(.invisible, at, "\(widget.id) shows nothing that was not seen (\(reload.reason))")
        }
        let isPaid = !widget.isFree && !isRequested
        if isPaid && !widget.isPayable(at: at) { found(.token, at, "\(widget.id) has no token") }
        figures.waited += widget.hasWaited(at: at) ? 1 : 0
        widgets[slot].announced(at: at, isPaid: isPaid)
        if Int64(widgets[slot].tokens.mostInADay) > widget.rules.limit {
            found(.limit, at, "\(widget.id): \(widgets[slot].tokens.mostInADay) in 24 hours")
        }
    }

    /// What came within a window goes out together when it ends, as far as there are tokens; what has waited for a
    /// token may go by itself.
    private func checkCoalescing(_ reload: AnnouncedReload, _ named: [Int], _ group: Int, _ at: Instant) {
        if groups[group].lastReload == at {
            found(.apart, at, "two reloads at once of \(reload.recipient), \(reload.kind)")
        }
        let areHeld = named.allSatisfy { widgets[$0].hasWaited(at: at) }
        if !areHeld { checkWindow(reload, group, at, coalesce: widgets[named[0]].rules.coalesce) }
        for slot in groups[group].members where !areHeld && !named.contains(slot) {
            let widget = widgets[slot]
            // What came at this very instant may count for the next window.
            guard let since = widget.pendingSince, since < at, widget.isVisible(at: at) else { continue }
            if widget.isPayable(at: at) {
                found(.apart, at, "\(widget.id) could have been named with \(reload.configurationIds)")
            }
        }
    }

    /// A window begins when the one before has ended, or later.
    private func checkWindow(_ reload: AnnouncedReload, _ group: Int, _ at: Instant, coalesce: ElapsedTime) {
        if let last = groups[group].lastGathered, last < at, at < last + coalesce {
            found(.early, at, "\(reload.configurationIds) did not wait for others, after a reload of \(last.rfc3339)")
        }
        groups[group].lastGathered = at
    }

    private func checkReason(_ reload: AnnouncedReload, _ named: [Int], _ at: Instant) {
        let isOfConfiguration = named.contains { widgets[$0].isFree }
        if isOfConfiguration != (reload.reason == "configurationChanged") && reload.reason != "requested" {
            found(.reason, at, "\(reload.reason) for \(reload.configurationIds)")
        }
    }

    private func checkRevision(_ reload: AnnouncedReload, _ named: [Int], _ at: Instant) {
        let highest = named.compactMap { widgets[$0].current?.revision }.max() ?? 0
        if highest != reload.revision {
            found(.revision, at, "\(reload.revision) for \(reload.configurationIds), which are at \(highest)")
        }
    }

    private func checkBudget(_ reload: AnnouncedReload, _ named: [Int], _ at: Instant) {
        guard let budget = reload.budget else { return found(.budget, at, "no budget in \(reload.configurationIds)") }
        let poorest = named.map { widgets[$0] }.max { left, right in
            (left.tokens.isFull(from: at) ?? at) < (right.tokens.isFull(from: at) ?? at)
        }
        guard let poorest, let full = poorest.tokens.isFull(from: at) else { return }
        let expected = AnnouncedReload.Budget(
            limit: poorest.rules.limit, remaining: poorest.tokens.whole(at: at), resetsAt: full)
        if budget != expected { found(.budget, at, "\(poorest.id): \(budget), expected \(expected)") }
    }
}
