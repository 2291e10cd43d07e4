import Timelines

/// What the checker knows of a configuration: what stands, what its recipient has seen, and what he is owed.
struct CheckedWidget {
    let id: String
    let group: Int
    let rules: ReloadRules
    /// What stands now; nil: nothing yet.
    private(set) var current: ShownContent?
    private(set) var seen: ShownContent?
    /// Since when there is something to see that was not seen.
    private(set) var pendingSince: Instant?
    /// When the window ends in which that came.
    private var windowEnd: Instant?
    /// The same of a change that costs no token.
    private var freeWindowEnd: Instant?
    /// When the window ends in which a renewal came that was not announced.
    private var renewalWindowEnd: Instant?
    private(set) var tokens: TokenLevel
    /// Of the instant that is being told: a renewal with other content, a change of the configuration itself.
    private var renewsNow = false
    private var isReplaced = false

    init(_ id: String, group: Int, _ rules: ReloadRules, at: Instant) {
        self.id = id
        self.group = group
        self.rules = rules
        tokens = TokenLevel(rules, at: at)
    }

    var isFree: Bool { freeWindowEnd != nil }

    /// A renewal has come that was not announced.
    var isRenewed: Bool { renewalWindowEnd != nil }

    /// The last instant at which what is pending can be announced in time; nil: there is no hurry.
    private var deadline: Instant? {
        guard let windowEnd else { return nil }
        let paid = tokens.nextToken(from: windowEnd)
        return [paid, freeWindowEnd].compactMap { $0 }.min()
    }

    /// True if it had to wait for a token until `at`.
    func hasWaited(at: Instant) -> Bool { windowEnd.map { $0 < at } ?? false }

    func isPayable(at: Instant) -> Bool { isFree || tokens.nextToken(from: at) == at }

    /// True if there is something to see at this instant that was not seen.
    func isVisible(at: Instant) -> Bool {
        guard let current else { return false }
        return seen.map { current.isVisibleChange(from: $0, at: at) } ?? true
    }

    // MARK: - Time

    /// What has come of it until just before `at`.
    mutating func advance(to at: Instant, _ found: (Breach.Rule, Instant, String) -> Void) -> Outcome {
        var outcome = Outcome()
        while let due = seen?.nextUpdate, due < at {
            outcome.merge(comesBack(at: due, found))
            if seen?.nextUpdate == due { break }
        }
        checkDeadline(before: at, found)
        return outcome
    }

    /// How something pending ended without a reload.
    struct Outcome {
        var isSeenByItself = false
        var isDropped = false

        mutating func merge(_ other: Outcome) {
            isSeenByItself = isSeenByItself || other.isSeenByItself
            isDropped = isDropped || other.isDropped
        }
    }

    /// At the `nextUpdate` of what he saw, the recipient loads what stands then.
    private mutating func comesBack(at due: Instant, _ found: (Breach.Rule, Instant, String) -> Void) -> Outcome {
        checkDeadline(before: due, found)
        let wasPending = pendingSince != nil && isVisible(at: due)
        seen = current
        forget()
        return Outcome(isSeenByItself: wasPending)
    }

    private mutating func forget() {
        pendingSince = nil
        windowEnd = nil
        freeWindowEnd = nil
    }

    private mutating func checkDeadline(before at: Instant, _ found: (Breach.Rule, Instant, String) -> Void) {
        guard let deadline, deadline < at, isVisible(at: deadline) else { return }
        let since = pendingSince.map(\.rfc3339) ?? ""
        found(.late, deadline, "\(id) has something to see since \(since), and was not announced")
        forget()
    }

    // MARK: - What comes

    /// - Returns: whether it is a renewal, and whether it is a visible change against the one before.
    mutating func take(_ content: ShownContent, at: Instant) -> (isRenewal: Bool, isVisible: Bool) {
        let isRenewal = current?.nextUpdate == at
        let isVisible = current.map { !isRenewal && content.isVisibleChange(from: $0, at: at) } ?? true
        // One that shows what stood already is no change of what is waiting to be announced.
        if current?.configurationOffset != content.configurationOffset && content.revision != current?.revision {
            isReplaced = true
        }
        renewsNow = renewsNow || isRenewal && content.revision != current?.revision
        current = content
        return (isRenewal, isVisible)
    }

    /// True if it goes out with the open window of its group: something is to be announced that does not wait for a
    /// token.
    func isGathered(at: Instant) -> Bool {
        if let renewalWindowEnd, at < renewalWindowEnd { return true }
        return pendingSince != nil && (isFree || !hasWaited(at: at)) && isVisible(at: at)
    }

    /// All of the instant has come: what is pending now? What is new falls into the open window of the group, or opens
    /// one.
    ///
    /// - Parameter isFirst: nothing of the group is gathered: what is new opens a window, whatever went before.
    mutating func settle(at: Instant, _ window: inout ChangeWindow, isFirst: Bool) -> Outcome {
        if isFirst { window = ChangeWindow() }
        var outcome = Outcome()
        if let due = seen?.nextUpdate, due <= at { outcome = comesBack(at: due) { _, _, _ in } }
        if isVisible(at: at) {
            if pendingSince == nil {
                pendingSince = at
                windowEnd = window.end(of: at, rules)
            }
            if isReplaced && freeWindowEnd == nil { freeWindowEnd = window.end(of: at, rules) }
        } else {
            outcome.isDropped = pendingSince != nil
            forget()
        }
        if renewsNow && rules.announcesRenewals {
            renewalWindowEnd = window.end(of: at, rules)
        }
        renewsNow = false
        isReplaced = false
        return outcome
    }

    /// A reload names it.
    mutating func announced(at: Instant, isPaid: Bool) {
        if isPaid { tokens.spend(at: at) }
        seen = current
        forget()
        renewalWindowEnd = nil
    }
}

/// The window within which the changes of one recipient and kind go out together.
struct ChangeWindow {
    private var began: Instant?

    /// When the window ends that a change at `at` falls into.
    mutating func end(of at: Instant, _ rules: ReloadRules) -> Instant {
        if let began, at < began + rules.coalesce { return began + rules.coalesce }
        began = at
        return at + rules.coalesce
    }
}
