/// The release of what waits for a time that will not come (`HoldingProcessor.releaseHeld`).
struct HeldRelease {
    /// Every flush releases from now on.
    private(set) var isAsked = false
    /// A commit has released all since.
    private(set) var isDone = false
    /// It is asked for, and not done yet.
    var isWanted: Bool { isAsked && !isDone }

    mutating func ask() { isAsked = true }

    /// - Parameter hasMore: true if the flush left work for the next transaction.
    mutating func noteCommit(hasMore: Bool) { isDone = isAsked && !hasMore }
}
