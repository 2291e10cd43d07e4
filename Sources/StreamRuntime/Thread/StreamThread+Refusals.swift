import RecordLog

/// What brokers refuse for good (`LogError.lasts`), such as for a permission that is missing.
struct Refusals {
    /// The last refusal, until something is committed.
    private(set) var cause: LogError?
    /// All since the thread began.
    private(set) var count = 0
    /// The refusals of transactions that are counted together, and when the last of them was.
    private var inARow: (count: Int, at: Duration) = (0, .zero)
    /// The thread waits until then; `nil` before the first refusal.
    private var pausedUntil: Duration?

    /// Something was committed: what was refused before it is told no longer.
    mutating func forgive() { cause = nil }

    /// Counts a refused transaction. One that is older than `memory` is another story.
    ///
    /// - Returns: how many there were.
    mutating func countTransaction(at now: Duration, memory: Duration) -> Int {
        if now - inARow.at > memory { inARow.count = 0 }
        inARow = (inARow.count + 1, now)
        return inARow.count
    }

    /// The thread waits before it tries again.
    mutating func pause(after cause: LogError, until then: Duration) {
        count += 1
        self.cause = cause
        pausedUntil = then
    }

    /// True while the thread waits. The clock is looked at only if it may.
    func isPausing(at now: @autoclosure () -> Duration) -> Bool {
        pausedUntil.map { now() < $0 } ?? false
    }
}

extension StreamThread {
    /// True while the thread waits after a refusal.
    var isPausing: Bool { refusals.isPausing(at: clock.monotonic()) }

    /// What is read again would be refused again, for ever: it ends the thread as a failing producer does. Commits of
    /// other partitions in between say nothing of it.
    func countLasting(_ cause: LogError) throws(StreamFailure) {
        let count = refusals.countTransaction(at: clock.monotonic(), memory: settings.refusalMemory)
        pause(after: cause, count: count)
        guard count >= settings.failuresMax else { return }
        enter(.ended)
        throw StreamFailure("transactions were refused \(count) times, last: \(cause)")
    }

    /// Lets a refusal be seen, and gives whoever mends it some seconds, before the next attempt.
    ///
    /// - Parameter count: of refusals in a row; each doubles the pause.
    func pause(after cause: LogError, count: Int) {
        let doublings = min(max(count - 1, 0), 10)
        let pause = min(settings.refusalPause * (1 << doublings), settings.refusalPauseMax)
        refusals.pause(after: cause, until: clock.monotonic() + pause)
    }
}
