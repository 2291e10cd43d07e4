import RecordLog

/// What brokers refuse for good (`LogError.lasts`), such as for a permission that is missing.
struct Refusals {
    /// What is refused.
    enum Subject {
        /// The producer's transactional id.
        case producer
        case transaction
    }

    /// The last refusal, until a commit holds more than claims, or the producer is not refused any more.
    private var last: (cause: LogError, subject: Subject)?
    /// All since the thread began.
    private(set) var count = 0
    /// The refusals of transactions that are counted together, and when the last of them was.
    private var inARow: (count: Int, at: Duration) = (0, .zero)
    /// The thread waits until then; `nil` before the first refusal.
    private var pausedUntil: Duration?

    /// A commit held more than claims: what was refused before it is told no longer.
    mutating func forgive() { last = nil }

    /// The producer is taken.
    mutating func forgiveProducer() {
        if last?.subject == .producer { last = nil }
    }

    /// The refusal that stands; `nil` if there is none. One of a transaction concerns a thread with tasks alone.
    func standing(hasTasks: Bool) -> LogError? {
        guard let last, last.subject == .producer || hasTasks else { return nil }
        return last.cause
    }

    /// Counts a refused transaction. One that is older than `memory` is another story.
    ///
    /// - Returns: how many there were.
    mutating func countTransaction(at now: Duration, memory: Duration) -> Int {
        if now - inARow.at > memory { inARow.count = 0 }
        inARow = (inARow.count + 1, now)
        return inARow.count
    }

    /// The thread waits before it tries again.
    mutating func pause(after cause: LogError, of subject: Subject, until then: Duration) {
        count += 1
        last = (cause, subject)
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
        pause(after: cause, of: .transaction, count: count)
        guard count >= settings.failuresMax else { return }
        enter(.ended)
        throw StreamFailure("transactions were refused \(count) times, last: \(cause)")
    }

    /// Notes a refusal. One for a permission that is missing is let be seen, and whoever gives the permission has some
    /// seconds before the next attempt; a record that is refused is so again, whatever time passes.
    ///
    /// - Parameter count: of refusals in a row; each doubles the pause.
    func pause(after cause: LogError, of subject: Refusals.Subject, count: Int) {
        let doublings = min(max(count - 1, 0), 10)
        let isOfPermission = cause.code == .notAuthorised
        let pause = isOfPermission ? min(settings.refusalPause * (1 << doublings), settings.refusalPauseMax) : .zero
        refusals.pause(after: cause, of: subject, until: clock.monotonic() + pause)
    }
}
