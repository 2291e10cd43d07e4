import RecordLog

/// Notices that the wall clock of a task went back, by hours or whatever is more than a clock is set right by in
/// passing. Forward nothing needs to be noticed: that is a pause.
///
/// A step counts as noticed once the transaction is committed: after an abort it is noticed again, because
/// what was done about it is undone.
struct ClockWatch {
    /// How far the clock may go back without being noticed.
    private let tolerance: ElapsedTime
    /// The latest time that was seen; `nil` before the first.
    private var latest: Instant?
    private var committed: Instant?

    init(tolerance: ElapsedTime) {
        self.tolerance = tolerance
    }

    /// - Returns: whether the clock went back since the latest time that was seen; true once for each time.
    mutating func hasGoneBack(at now: Instant) -> Bool {
        // Small steps back add up: against the latest time, not the last one.
        let hasGoneBack = latest.map { now < $0 - tolerance } ?? false
        latest = hasGoneBack ? now : max(latest ?? now, now)
        return hasGoneBack
    }

    mutating func commit() { committed = latest }

    mutating func revert() { latest = committed }
}
