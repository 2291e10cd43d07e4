/// How a thread works off a backlog: with fewer, larger transactions, so that of all that follows from one key's
/// records only the last is made.
///
/// Far behind is a thread that reads fast, or has just taken tasks over, and has much left to read. It is until little
/// is left, for what little brings would be made twice, or until the patience is over. It commits seldom, and its
/// transactions leave in state what may wait there. After `farBehindPatience` one of them makes as much of that as its
/// time allows, the oldest first; then they leave again. After an abort the thread works in small transactions: for one
/// commit, and for twice as many each time that a large transaction fails again.
struct Backlog {
    /// Since when transactions have left in state what may wait there; `nil` if the last one did not.
    private var leftSince: Duration?
    /// The transaction under way was begun far behind.
    private var isLarge = false
    /// So many commits are still small.
    private var smallCommits = 0
    /// So many were small after the last abort; none after a large transaction that was committed.
    private var penalty = 0

    private static let penaltyMax = 64

    /// - Parameters:
    ///   - records: that one transaction has read, this one or the last.
    ///   - isCatchingUp: tasks that were just taken over have as much to read of what was there by then. Nobody knows
    ///     yet how fast they read.
    ///   - unread: the records that are known to wait.
    func isFarBehind(
        _ settings: StreamSettings, records: Int, isCatchingUp: Bool = false, unread: @autoclosure () -> Int
    ) -> Bool {
        guard smallCommits == 0, isCatchingUp || records >= settings.backlogRecords else { return false }
        let little = min(settings.backlogRecords, settings.farBehindRecords)
        return unread() >= (leftSince == nil ? settings.farBehindRecords : little)
    }

    /// True if the last transaction left in state what may wait there.
    var hasLeft: Bool { leftSince != nil }

    /// To be asked once for each transaction.
    ///
    /// - Returns: true if the transaction is to leave in state what may wait there.
    mutating func leavesPending(_ settings: StreamSettings, isFarBehind: Bool, at now: Duration) -> Bool {
        isLarge = isFarBehind
        guard isFarBehind, now - (leftSince ?? now) < settings.farBehindPatience else {
            leftSince = nil
            return false
        }
        leftSince = leftSince ?? now
        return true
    }

    mutating func noteAbort() {
        penalty = min(max(1, 2 * penalty), Self.penaltyMax)
        smallCommits = penalty
    }

    mutating func noteCommit() {
        if isLarge { penalty = 0 }
        smallCommits = max(0, smallCommits - 1)
    }
}
