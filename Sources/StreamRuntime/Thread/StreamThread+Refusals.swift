import RecordLog

/// What brokers refuse for good (`LogError.lasts`), such as for a permission that is missing.
struct Refusals {
    /// The refusals of transactions that are counted together, and when the last of them was.
    var inARow = 0
    var lastAt = Duration.zero
    /// The last refusal, until something is committed.
    var cause: LogError?
    /// All since the thread began.
    var count = 0
    /// The thread waits until then.
    var pausedUntil = Duration.zero
}

extension StreamThread {
    /// True while the thread waits after a refusal.
    var isPausing: Bool { clock.monotonic() < refusals.pausedUntil }

    /// What is read again would be refused again, for ever: it ends the thread as a failing producer does. Commits of
    /// other partitions in between say nothing of it.
    func countLasting(_ cause: LogError) throws(StreamFailure) {
        let now = clock.monotonic()
        if now - refusals.lastAt > settings.refusalMemory { refusals.inARow = 0 }
        refusals.inARow += 1
        refusals.lastAt = now
        pause(after: cause, count: refusals.inARow)
        guard refusals.inARow >= settings.failuresMax else { return }
        enter(.ended)
        throw StreamFailure("transactions were refused \(refusals.inARow) times, last: \(cause)")
    }

    /// Lets a refusal be seen, and gives whoever mends it some seconds, before the next attempt.
    ///
    /// - Parameter count: of refusals in a row; each doubles the pause.
    func pause(after cause: LogError, count: Int) {
        refusals.count += 1
        refusals.cause = cause
        let doublings = min(max(count - 1, 0), 10)
        let pause = settings.refusalPause * (1 << doublings)
        refusals.pausedUntil = clock.monotonic() + min(pause, settings.refusalPauseMax)
    }
}
