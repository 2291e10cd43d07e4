import RecordLog

/// How soon the next commit follows: by what was read since the last one, and by what was left to do (R17).
struct CommitPace {
    /// When the last one ended, whatever became of it.
    private(set) var last: Duration
    /// Records since then.
    private(set) var records = 0
    /// Records of the transaction before.
    private var recordsBefore = 0
    /// The portions of timers since then behind which more were due.
    private var leftTimerPortions = 0
    private var backlog = Backlog()
    /// A flush left work for the next transaction.
    private(set) var hasMoreToFlush = false
    /// See `Backlog.isFarBehind`.
    private(set) var isCatchingUp = false
    /// What transactions before left in state is being made (`StreamThread.flush`).
    private(set) var endsBacklog = false
    /// The last of it was made in this transaction.
    private var hasEndedBacklog = false

    init(at now: Duration) {
        last = now
    }

    mutating func note(records count: Int) { records += count }

    /// A portion of timers has fired, and more are due.
    mutating func noteTimersLeft() { leftTimerPortions += 1 }

    mutating func noteFlush(hasMore: Bool) {
        hasMoreToFlush = hasMore
        guard endsBacklog, !hasMore else { return }
        endsBacklog = false
        hasEndedBacklog = true
    }

    mutating func note(isCatchingUp: Bool) { self.isCatchingUp = isCatchingUp }

    /// What the transaction made does not count, and so there is nothing left of it to flush.
    mutating func noteAbort() {
        hasMoreToFlush = false
        endsBacklog = endsBacklog || hasEndedBacklog
        hasEndedBacklog = false
        backlog.noteAbort()
    }

    mutating func noteCommit() { backlog.noteCommit() }

    /// A commit has ended, whatever became of it. The interval is time to process in: a slow commit is not followed by
    /// the next one at once.
    mutating func begin(at now: Duration) {
        last = now
        recordsBefore = records
        records = 0
        leftTimerPortions = 0
        hasEndedBacklog = false
    }

    /// True if the next commit does not wait for the interval.
    ///
    /// - Parameter unread: the records that are known to wait.
    func isUrgent(_ settings: StreamSettings, unread: @autoclosure () -> Int) -> Bool {
        leftTimerPortions >= settings.timerPortionsMax || hasMoreToFlush && !isFarBehind(settings, unread: unread())
    }

    /// A first poll that brings little, after a transaction that read much, ends no backlog.
    func isFarBehind(_ settings: StreamSettings, unread: @autoclosure () -> Int) -> Bool {
        backlog.isFarBehind(
            settings, records: max(records, recordsBefore), isCatchingUp: isCatchingUp, unread: unread())
    }

    /// To be asked once for each transaction (`Backlog.leavesPending`).
    mutating func leavesPending(_ settings: StreamSettings, isFarBehind: Bool, at now: Duration) -> Bool {
        let hadLeft = backlog.hasLeft
        let leaves = backlog.leavesPending(settings, isFarBehind: isFarBehind, at: now)
        if leaves { endsBacklog = false } else if hadLeft { endsBacklog = true }
        return leaves
    }

    /// - Parameters:
    ///   - isFinishing: true if a run that ends has nothing left to read: no commit has more records to wait for.
    ///   - hasNews: true if something waits for the commit that others may see.
    ///   - unread: the records that are known to wait.
    func interval(
        _ settings: StreamSettings, isFinishing: Bool, hasNews: @autoclosure () -> Bool, unread: @autoclosure () -> Int
    ) -> Duration {
        if isFinishing {
            return min(settings.commitInterval, settings.visibleCommitInterval ?? settings.commitInterval)
        }
        if isFarBehind(settings, unread: unread()) { return settings.farBehindInterval }
        if records >= settings.backlogRecords { return settings.backlogInterval }
        guard let visible = settings.visibleCommitInterval, records < settings.urgentRecordsMax, hasNews()
        else { return settings.commitInterval }
        return min(settings.commitInterval, visible)
    }
}
