/// How a thread works off a backlog: with fewer, larger transactions, so that of all that follows from one key's
/// records only the last is made.
///
/// Far behind is a thread that reads fast and has much left to read. It commits seldom, and its transactions leave in
/// state what may wait there, for `farBehindPatience` at the most. After an abort it works in small transactions, until
/// one of them is committed.
struct Backlog {
    /// Since when transactions have left in state what may wait there; `nil` if the last one did not.
    private var leftSince: Duration?
    private var isThrownBack = false

    /// - Parameters:
    ///   - records: that were read since the last commit.
    ///   - unread: the records that are known to wait.
    func isFarBehind(_ settings: StreamSettings, records: Int, unread: @autoclosure () -> Int) -> Bool {
        !isThrownBack && records >= settings.backlogRecords && unread() >= settings.farBehindRecords
    }

    /// To be asked once for each transaction.
    ///
    /// - Returns: true if the transaction is to leave in state what may wait there.
    mutating func leavesPending(_ settings: StreamSettings, isFarBehind: Bool, at now: Duration) -> Bool {
        guard isFarBehind, now - (leftSince ?? now) < settings.farBehindPatience else {
            leftSince = nil
            return false
        }
        leftSince = leftSince ?? now
        return true
    }

    mutating func noteAbort() { isThrownBack = true }

    mutating func noteCommit() { isThrownBack = false }
}
