/// The reloads that a configuration has left (L3): `burst` of them at first, refilled evenly
/// by `limit − burst` in 24 hours, so that no 24 hours see more than `limit`.
///
/// A bucket whose burst is its limit would never be refilled: it is full again when 24 hours have passed since its last
/// token was taken, which keeps the promise as well.
///
/// The level is a whole number, so it is the same wherever and however often it is asked for. If the clock goes back a
/// little, nothing is added until it has passed the instant that it had reached before; `clockWentBack` is for hours.
package struct TokenBucket: Hashable, Sendable {
    /// The level at `asOf`, in parts of a token: as many as a day has milliseconds are one token.
    package private(set) var level: Int64
    package private(set) var asOf: Instant

    private static let token = ElapsedTime.hours(24).milliseconds

    /// A full bucket.
    package init(_ terms: ReloadTerms, at now: Instant) {
        level = Self.capacity(terms)
        asOf = now
    }

    /// A bucket of stored fields.
    package init(level: Int64, asOf: Instant) {
        self.level = level
        self.asOf = asOf
    }

    /// The number of whole tokens at `now`.
    package func remaining(_ terms: ReloadTerms, at now: Instant) -> Int64 { level(terms, at: now) / Self.token }

    package func isFull(_ terms: ReloadTerms, at now: Instant) -> Bool {
        level(terms, at: now) == Self.capacity(terms)
    }

    /// The instant at which the bucket is full again: `now` if it is full.
    package func fullAt(_ terms: ReloadTerms, at now: Instant) -> Instant {
        instant(of: Self.capacity(terms), terms, at: now)
    }

    /// The instant at which the next whole token is there: `now` if there is one.
    package func nextToken(_ terms: ReloadTerms, at now: Instant) -> Instant {
        instant(of: Self.token, terms, at: now)
    }

    /// Takes a token.
    ///
    /// - Returns: false if there is none.
    package mutating func take(_ terms: ReloadTerms, at now: Instant) -> Bool {
        let level = level(terms, at: now)
        if level < Self.token { return false }
        self.level = level - Self.token
        asOf = max(asOf, now)
        return true
    }

    /// Goes on from `now`, after the clock went back, with the tokens that there are. Tokens for time that comes again
    /// are few beside a wait of hours.
    package mutating func clockWentBack(to now: Instant, _ terms: ReloadTerms) {
        guard asOf > now else { return }
        level = min(level, Self.capacity(terms))
        asOf = now
    }

    package func budget(_ terms: ReloadTerms, at now: Instant) -> ReloadBudget {
        ReloadBudget(limit: terms.limit, remaining: remaining(terms, at: now), resetsAt: fullAt(terms, at: now))
    }

    // MARK: - Reckoning

    private static func capacity(_ terms: ReloadTerms) -> Int64 { terms.burst * token }

    /// The parts of a token that come in a millisecond.
    private static func refill(_ terms: ReloadTerms) -> Int64 { terms.limit - terms.burst }

    private func level(_ terms: ReloadTerms, at now: Instant) -> Int64 {
        let capacity = Self.capacity(terms)
        // Terms may have become narrower since.
        let level = min(level, capacity)
        let elapsed = max(0, now.milliseconds - asOf.milliseconds)
        let refill = Self.refill(terms)
        if refill == 0 { return elapsed > Self.token ? capacity : level }
        // Compared first, for a product of years would overflow.
        if elapsed >= (capacity - level + refill - 1) / refill { return capacity }
        return level + elapsed * refill
    }

    /// The first instant, from `now` on, at which the level is at least `wanted`.
    private func instant(of wanted: Int64, _ terms: ReloadTerms, at now: Instant) -> Instant {
        let level = level(terms, at: now)
        if level >= wanted { return now }
        let start = max(asOf, now)
        let refill = Self.refill(terms)
        if refill == 0 { return asOf + ElapsedTime(milliseconds: Self.token + 1) }
        return start + ElapsedTime(milliseconds: (wanted - level + refill - 1) / refill)
    }
}

/// How often the recipients of a kind are told to reload, with a value for every setting (L1 to L9).
package struct ReloadTerms: Hashable, Sendable {
    /// Reloads per configuration in any 24 hours, 1 or more.
    package var limit: Int64
    /// Reloads at once, from 1 to the limit.
    package var burst: Int64
    /// How long a change waits for others to go out together with it.
    package var coalesce: ElapsedTime
    /// True if renewals are announced, too.
    package var announcesRenewals: Bool

    /// The terms of a kind. Its own settings go before those for all kinds, and these before the defaults: 48, 10,
    /// PT2S, false.
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
    /// The number of whole tokens.
    package var remaining: Int64
    /// The instant at which the bucket is full again; if it is full, the instant for which this was reckoned.
    package var resetsAt: Instant

    package init(limit: Int64, remaining: Int64, resetsAt: Instant) {
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}
