/// Notices that the wall clock of a task went back, by hours or whatever is more than a clock is set right by in
/// passing. Forward nothing needs to be noticed: that is a pause.
///
/// A step counts as noticed once the transaction is committed: after an abort it is noticed again, because
/// what was done about it is undone.
struct ClockWatch {
    /// Milliseconds that the clock may go back without being noticed.
    private let tolerance: Int64
    private var latest = Int64.min
    private var committed = Int64.min

    init(tolerance: Int64) {
        self.tolerance = tolerance
    }

    /// - Parameter now: milliseconds since 1970.
    /// - Returns: whether the clock went back since the latest time that was seen; true once for each time.
    mutating func hasGoneBack(at now: Int64) -> Bool {
        // Small steps back add up: against the latest time, not the last one.
        let hasGoneBack = latest > .min && now < latest - tolerance
        latest = hasGoneBack ? now : max(latest, now)
        return hasGoneBack
    }

    mutating func commit() { committed = latest }

    mutating func revert() { latest = committed }
}
