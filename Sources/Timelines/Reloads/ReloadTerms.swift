/// How often the recipients of a kind are told to reload, every setting decided (L1 to L9).
package struct ReloadTerms: Hashable, Sendable {
    /// Reloads per configuration in any 24 hours, 1 or more.
    package var limit: Int64
    /// Reloads at once, from 1 to the limit.
    package var burst: Int64
    /// Changes within so long of the first go out together.
    package var coalesce: ElapsedTime
    /// Whether renewals are announced, too.
    package var announcesRenewals: Bool

    /// What a kind says goes before what holds for all kinds, and that before the defaults: 48, 10, PT2S, false.
    ///
    /// A burst that was not chosen for this kind is below its limit, so that the bucket refills evenly.
    package init(_ kind: WidgetKind.Reload? = nil, otherwise all: WidgetKind.Reload = .init()) {
        let limit = kind?.limit ?? all.limit ?? WidgetKind.Reload.defaultLimit
        let chosen = kind?.burst ?? (kind?.limit == nil ? all.burst : nil)
        let burst = chosen ?? min(all.burst ?? 10, max(1, limit - 1))
        precondition(burst <= limit, "Settings are checked at the start.")
        self.limit = Int64(limit)
        self.burst = Int64(burst)
        coalesce = kind?.coalesce ?? all.coalesce ?? .seconds(2)
        announcesRenewals = kind?.scheduled ?? all.scheduled ?? false
        precondition(self.limit >= 1 && self.burst >= 1 && coalesce >= .zero, "Settings are checked at the start.")
    }
}

/// How many reloads are left, as timelines and reloads say it (L8).
package struct ReloadBudget: Hashable, Sendable {
    package var limit: Int64
    /// Whole tokens.
    package var remaining: Int64
    /// When the bucket is full again: of a full one, the instant that this was reckoned for.
    package var resetsAt: Instant

    package init(limit: Int64, remaining: Int64, resetsAt: Instant) {
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}
