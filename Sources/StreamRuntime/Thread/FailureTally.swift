/// The failures that end a thread where they come again and again (R6).
struct FailureTally {
    /// Producers that failed since a commit held more than claims.
    private(set) var inARow = 0
    /// Refusals that last (`LogError.lasts`), and when the last of them was.
    private var refusals: (count: Int, at: Duration) = (0, .zero)

    /// A producer has failed.
    mutating func count() { inARow += 1 }

    /// The failure that was counted last is explained by a topic or a broker that was missing.
    mutating func excuse() { inARow = max(inARow - 1, 0) }

    /// A commit held more than claims: what failed before it does not count any more.
    mutating func forgive() { inARow = 0 }

    /// Counts a refusal that lasts. One that is older than `memory` is another story.
    ///
    /// - Returns: how many there were.
    mutating func countRefusal(at now: Duration, memory: Duration) -> Int {
        if now - refusals.at > memory { refusals.count = 0 }
        refusals = (refusals.count + 1, now)
        return refusals.count
    }
}
