import Timelines

/// The tokens of a configuration, reckoned in whole numbers: a token is as many parts as a day has milliseconds, so
/// that each millisecond brings `limit − burst` parts and nothing is ever rounded.
struct TokenLevel {
    private static let day: Int64 = 86_400_000

    private let burst: Int64
    private let perDay: Int64
    /// As of `since`.
    private var parts: Int64
    private var since: Instant
    private var spent: [Instant] = []
    private var firstInWindow = 0
    /// The most in any 24 hours, both ends included.
    private(set) var mostInADay = 0

    /// A full bucket.
    init(_ rules: ReloadRules, at: Instant) {
        burst = rules.burst
        perDay = rules.limit - rules.burst
        parts = burst * Self.day
        since = at
    }

    var spentCount: Int { spent.count }

    private func parts(at: Instant) -> Int64 {
        min(burst * Self.day, parts + (at - since).milliseconds * perDay)
    }

    func whole(at: Instant) -> Int64 { parts(at: at) / Self.day }

    /// The first instant, from `at` on, at which there is a token; nil: never.
    func nextToken(from at: Instant) -> Instant? { instant(of: Self.day, from: at) }

    func isFull(from at: Instant) -> Instant? { instant(of: burst * Self.day, from: at) }

    private func instant(of level: Int64, from at: Instant) -> Instant? {
        let missing = level - parts(at: at)
        if missing <= 0 { return at }
        if perDay == 0 { return nil }
        return at + ElapsedTime(milliseconds: (missing + perDay - 1) / perDay)
    }

    /// Takes a token, be it there or not.
    mutating func spend(at: Instant) {
        parts = parts(at: at) - Self.day
        since = at
        spent.append(at)
        while at - spent[firstInWindow] > .hours(24) { firstInWindow += 1 }
        mostInADay = max(mostInADay, spent.count - firstInWindow)
    }
}
