/// What a thread does now and then beside its iterations, and when it did it last.
struct ThreadSchedule {
    /// Looks for new partitions, and removes consumed records of the exchange.
    var maintenance: Recurrence
    /// Commits the offsets of all partitions anew (R5).
    var offsetsRefresh: Recurrence
    /// Asks whether the broker answers, and where partitions end.
    var ends: Recurrence
    /// Asks who is in the group, for standby copies.
    var standbys: Recurrence
    /// Looks for progress.
    var progress = Recurrence(last: .zero)
    /// Looks at what tasks hold, for metrics.
    var measurement = Recurrence()

    /// The trim of caches that was done last (`MemoryState.trimCount`).
    private var trims = 0

    /// - Parameter now: when the thread begins.
    init(at now: Duration) {
        let begun = Recurrence(last: now)
        (maintenance, offsetsRefresh, ends, standbys) = (begun, begun, begun, begun)
    }

    /// - Parameter count: how many trims were asked for so far.
    /// - Returns: true if the last of them is not done yet. Then it counts as done.
    mutating func takeTrim(_ count: Int) -> Bool {
        defer { trims = count }
        return count != trims
    }
}

/// When something that comes again after an interval was done last, on the monotonic clock.
struct Recurrence {
    /// `nil` before the first time, which is due at once.
    private(set) var last: Duration?

    init(last: Duration? = nil) {
        self.last = last
    }

    func isDue(at now: Duration, every interval: Duration) -> Bool { last.map { now - $0 >= interval } ?? true }

    /// It is done now.
    mutating func note(at now: Duration) { last = now }

    /// - Returns: true if it is due. Then it counts as done.
    mutating func takeTurn(at now: Duration, every interval: Duration) -> Bool {
        guard isDue(at: now, every: interval) else { return false }
        last = now
        return true
    }
}
