import RecordLog

/// The last progress of a stream thread, for health checks.
///
/// A turning loop is no progress. These are:
/// - a commit that succeeded;
/// - an answer of the broker while nothing waits to be committed, no partition is stalled and no task is being taken
///   over;
/// - a task that was given to the thread, and each step of taking it over: its changelog is read further, more is
///   derived from its state, or it runs.
struct StreamProgress {
    /// What is seen of a thread after an iteration. All times are on its monotonic clock.
    struct Observation {
        var now: Duration
        /// Committed transactions since the start that held more than claims.
        var commits = 0
        /// Aborted ones.
        var aborts = 0
        /// Something was read or made that no commit holds yet.
        var isUncommitted = false
        /// A partition has records to read and gives none.
        var isStalled = false
        /// When the broker last answered a question; `nil` if it never did.
        var lastAnswer: Duration?
        /// By partition.
        var tasks: [Partition: TaskStep] = [:]
    }

    /// How far a task has come.
    enum TaskStep: Comparable {
        case created
        /// The changelog is read up to this offset.
        case restoring(Offset)
        /// So many slots have been looked at.
        case deriving(Int)
        case running
    }

    /// When there was progress last; `nil` before the first.
    private(set) var last: Duration?
    private var commits = 0
    private var aborts = 0
    private var tasks: [Partition: TaskStep] = [:]
    /// The furthest that each task came since the last commit: who is thrown back again and again gets nowhere.
    private var furthest: [Partition: TaskStep] = [:]
    /// When something was last seen that no later commit holds; `nil` if all that was seen is committed.
    private var uncommittedAt: Duration?

    /// After a transaction was aborted nothing waits until its records are read again. Without this a thread whose
    /// transactions all fail would get on in between.
    private static let rereadTime = Duration.seconds(10)

    mutating func observe(_ seen: Observation) {
        let isCommitted = seen.commits != commits
        if isCommitted { furthest = tasks }
        furthest = furthest.filter { seen.tasks[$0.key] != nil }
        let hasStepped = seen.tasks.contains { partition, step in furthest[partition].map { $0 < step } ?? true }
        furthest.merge(seen.tasks) { max($0, $1) }
        // What was read of tasks that are gone is not this thread's to commit.
        if isCommitted || Set(seen.tasks.keys) != Set(tasks.keys) { uncommittedAt = nil }
        if seen.isUncommitted || seen.aborts != aborts { uncommittedAt = seen.now }
        if let since = uncommittedAt, seen.now - since > Self.rereadTime { uncommittedAt = nil }
        commits = seen.commits
        aborts = seen.aborts
        tasks = seen.tasks
        if isCommitted || hasStepped { last = seen.now }
        let isIdle = uncommittedAt == nil && !seen.isStalled && seen.tasks.values.allSatisfy { $0 == .running }
        if isIdle, let answer = seen.lastAnswer { last = max(last ?? answer, answer) }
    }
}

/// Finds out when all threads of an application have made progress since the last time: the slowest decides.
struct CommonProgress {
    private var threads: [Duration?]
    /// The threads' progress at the end of the last round.
    private var reported: [Duration?]

    init(threads count: Int) {
        threads = Array(repeating: nil, count: count)
        reported = threads
    }

    /// - Parameter progress: when the thread last made progress; `nil` before the first.
    /// - Returns: true if this was the last of all threads to make progress. Then the next round begins.
    mutating func note(_ progress: Duration?, of thread: Int) -> Bool {
        threads[thread] = progress
        let allGotOn = zip(threads, reported).allSatisfy { progress, reported in
            guard let progress else { return false }
            return reported.map { progress > $0 } ?? true
        }
        if allGotOn { reported = threads }
        return allGotOn
    }
}
