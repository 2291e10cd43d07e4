import StreamCore

/// What a thread counts of its transactions since it began.
struct ThreadCounts {
    /// What tasks counted in all committed transactions together.
    private(set) var committed = TaskCounters()
    private(set) var commits = 0
    /// Commits that held more than claims.
    private(set) var advancingCommits = 0
    private(set) var aborts = 0
    /// When the last transaction was committed; `nil` before the first.
    private(set) var lastCommit: Duration?

    mutating func noteCommit(of counted: TaskCounters, at now: Duration) {
        committed.add(counted)
        commits += 1
        lastCommit = now
    }

    /// A transaction that is committed held more than claims.
    mutating func noteAdvance() { advancingCommits += 1 }

    mutating func noteAbort() { aborts += 1 }
}
