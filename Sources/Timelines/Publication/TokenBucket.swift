/// The reloads that a configuration has left (L3): `burst` of them at first, refilled evenly
/// by `limit − burst` in 24 hours, so that no 24 hours see more than `limit`.
///
/// Where burst and limit are the same nothing would ever be refilled evenly: such a bucket is full again when 24 hours
/// have passed since its last token was taken, which keeps the promise as well.
///
/// Reckoned in whole numbers, so it comes out the same wherever and however often it is asked. A clock that
/// goes back a little adds nothing until it has passed the instant that was reached before; of hours it has to be told.
package struct TokenBucket: Hashable, Sendable {
    /// What was there at `asOf`, in parts of a token: a day's milliseconds are one.
    package private(set) var level: Int64
    package private(set) var asOf: Instant

    private static let token = ElapsedTime.hours(24).milliseconds

    /// Full.
    package init(_ terms: ReloadTerms, at now: Instant) {
        level = Self.capacity(terms)
        asOf = now
    }

    /// From stored fields.
    package init(level: Int64, asOf: Instant) {
        self.level = level
        self.asOf = asOf
    }

    /// Whole tokens at that instant.
    package func remaining(_ terms: ReloadTerms, at now: Instant) -> Int64 { level(terms, at: now) / Self.token }

    package func isFull(_ terms: ReloadTerms, at now: Instant) -> Bool {
        level(terms, at: now) == Self.capacity(terms)
    }

    /// When it is full again: `now` for a full one.
    package func fullAt(_ terms: ReloadTerms, at now: Instant) -> Instant {
        instant(of: Self.capacity(terms), terms, at: now)
    }

    /// When the next whole token is there: `now` where one is.
    package func nextToken(_ terms: ReloadTerms, at now: Instant) -> Instant {
        instant(of: Self.token, terms, at: now)
    }

    /// Takes a token; false where there is none.
    package mutating func take(_ terms: ReloadTerms, at now: Instant) -> Bool {
        let level = level(terms, at: now)
        if level < Self.token { return false }
        self.level = level - Self.token
        asOf = max(asOf, now)
        return true
    }

    /// After the clock went back: goes on from there with what it has. What it was given for time that comes again is
    /// little beside waiting for hours.
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

    /// Parts that come in a millisecond.
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

    /// The first instant, from `now`, at which there is as much as `wanted`.
    private func instant(of wanted: Int64, _ terms: ReloadTerms, at now: Instant) -> Instant {
        let level = level(terms, at: now)
        if level >= wanted { return now }
        let start = max(asOf, now)
        let refill = Self.refill(terms)
        if refill == 0 { return asOf + ElapsedTime(milliseconds: Self.token + 1) }
        return start + ElapsedTime(milliseconds: (wanted - level + refill - 1) / refill)
    }
}

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
