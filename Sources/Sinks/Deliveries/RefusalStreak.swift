/// Counts the records in a row that a server refuses for good, all with one answer and none taken between.
///
/// One refusal speaks of its record. So many alike, of more than one lane, speak of the server: of its address, of what
/// is deployed there, of a setting. To take each at its word would make dead letters of a whole topic. One lane alone
/// says nothing of the server: each record of a configuration may be wrong for the same reason.
struct RefusalStreak: Hashable {
    private var reason = ""
    private var count = 0
    private var firstLane = ""
    private var isOfSeveral = false

    /// Counts a refusal, and returns true if it cannot be about its record alone.
    ///
    /// - Parameters:
    ///   - lane: `nil` of a request with several records: nobody knows which of them is meant, so it does not count.
    ///   - most: so many are believed to be about more than their records; 0: none is, however many.
    mutating func isLong(with reason: String, of lane: String?, most: Int) -> Bool {
        if let lane { add(reason, lane) }
        return most > 0 && reason == self.reason && isOfSeveral && count >= most
    }

    /// Another answer begins another row: the server tells records apart.
    private mutating func add(_ reason: String, _ lane: String) {
        if reason != self.reason || count == 0 {
            self = RefusalStreak()
            (self.reason, firstLane) = (reason, lane)
        }
        count += 1
        if lane != firstLane { isOfSeveral = true }
    }
}
