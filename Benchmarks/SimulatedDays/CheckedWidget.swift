import Timelines

/// What the checker knows of a configuration: what stands, what its recipient has seen, and what he is owed.
struct CheckedWidget {
    let id: String
    let group: Int
    let rules: ReloadRules
    /// What stands now; nil: nothing yet.
    private(set) var current: ShownContent?
    /// The revision that stood when the instant began.
    private(set) var revisionBefore: Int64 = 0
    private(set) var seen: ShownContent?
    /// Since when there is something to see that was not seen.
    private(set) var pendingSince: Instant?
    /// Since when it may be announced without a token.
    private(set) var freeSince: Instant?
    /// A renewal has come that was not announced.
    private(set) var isRenewed = false
    private(set) var tokens: TokenLevel
    private var madeAt: Instant?
    private var isReplaced = false

    init(_ id: String, group: Int, _ rules: ReloadRules, at: Instant) {
        self.id = id
        self.group = group
        self.rules = rules
        tokens = TokenLevel(rules, at: at)
    }

    var isFree: Bool { freeSince != nil }

    /// The last instant at which what is pending can be announced in time; nil: there is no hurry.
    private var deadline: Instant? {
        guard let pendingSince else { return nil }
        let windowEnd = pendingSince + rules.coalesce
        let paid = tokens.nextToken(from: pendingSince).map { max($0, windowEnd) }
        let free = freeSince.map { $0 + rules.coalesce }
        return [paid, free].compactMap { $0 }.min()
    }

    /// Whether it could go out when its window ends, without a wait for a token.
    var isRegular: Bool {
        guard let pendingSince else { return false }
        return deadline == pendingSince + rules.coalesce
    }

    func isPayable(at: Instant) -> Bool { isFree || tokens.nextToken(from: at) == at }

    /// Whether there is something to see at this instant that was not seen.
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
        pendingSince = nil
        freeSince = nil
        return Outcome(isSeenByItself: wasPending)
    }

    private mutating func checkDeadline(before at: Instant, _ found: (Breach.Rule, Instant, String) -> Void) {
        guard let deadline, deadline < at, isVisible(at: deadline) else { return }
        found(.late, deadline, "\(id) has something to see since \(pendingSince!.rfc3339), and was not announced")
        pendingSince = nil
        freeSince = nil
    }

    // MARK: - What comes

    mutating func beginInstant() { revisionBefore = current?.revision ?? 0 }

    /// - Returns: whether it is a renewal, and whether it is a visible change against the one before.
    mutating func take(_ content: ShownContent, at: Instant) -> (isRenewal: Bool, isVisible: Bool) {
        let isRenewal = current?.nextUpdate == at
        let isVisible = current.map { !isRenewal && content.isVisibleChange(from: $0, at: at) } ?? true
        if current?.configurationOffset != content.configurationOffset { isReplaced = true }
        if isRenewal { isRenewed = true }
        current = content
        return (isRenewal, isVisible)
    }

    /// All of the instant has come: what is pending now?
    mutating func settle(at: Instant) -> Outcome {
        var outcome = Outcome()
        if let due = seen?.nextUpdate, due <= at { outcome = comesBack(at: due) { _, _, _ in } }
        if isVisible(at: at) {
            pendingSince = pendingSince ?? at
            if isReplaced { freeSince = freeSince ?? at }
        } else {
            outcome.isDropped = pendingSince != nil
            pendingSince = nil
            freeSince = nil
        }
        isReplaced = false
        return outcome
    }

    /// A reload names it.
    mutating func announced(at: Instant, isPaid: Bool) {
        if isPaid { tokens.spend(at: at) }
        seen = current
        pendingSince = nil
        freeSince = nil
        isRenewed = false
    }
}
