/// The failures that end a thread where they come again and again (R6).
struct FailureTally {
    /// Producers that failed since a commit held more than claims.
    private(set) var inARow = 0

    /// A producer has failed.
    mutating func count() { inARow += 1 }

    /// The failure that was counted last is explained by a topic or a broker that was missing.
    mutating func excuse() { inARow = max(inARow - 1, 0) }

    /// A commit held more than claims: what failed before it does not count any more.
    mutating func forgive() { inARow = 0 }
}
