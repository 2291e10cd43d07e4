import RecordLog
import StreamCore

/// A task as a thread runs it.
///
///     created ──► restoring ──► deriving ──► running
///        ▲            │            │            │
///        └────────────┴────────────┴────────────┘   an outcome stays unknown, or it makes no progress: state is read
///                                                   anew
///
/// A task that is revoked or lost is let go in any state.
final class TaskRuntime {
    enum State {
        /// Assigned; its offsets are not known to be stable yet (R2, step a).
        case created
        /// The changelog is read to this end (R2, step c).
        case restoring(end: Offset)
        /// The changelog is read, and what follows from the state is derived, a portion in each iteration (R17).
        case deriving
        case running
    }

    let task: StreamTask
    /// Tells apart the runtimes that a thread has for the same task one after the other.
    let serial: Int
    private(set) var state = State.created
    let createdAt: Duration
    var lastWaitingReport: Duration
    var restore: ChangelogRestore
    /// The claims whose owners' transactions were ended for this takeover (R15): each once, for an owner that lives is
    /// not to be fenced again and again.
    var settledClaims: Set<Claim> = []
    /// When the task began to run, on the monotonic clock.
    private(set) var runningSince: Duration?
    /// The reading order up to which sources have been read to the ends seen at take-over; `nil` if none is, `Int.max`
    /// if all are. It never goes back, whatever is aborted.
    var readThrough: Int?
    /// The place where each partition begins, gathered while taking over.
    var starts: [TaskStart] = []
    var exchange: PartitionCursor?
    var inputs: [PartitionCursor] = []
    /// Messages may be delivered within the thread once the exchange position has passed this; `nil` if the broker is
    /// still to be asked for it.
    var localBarrier: Offset?
    /// Exchange records below this were removed.
    var removedBefore: Offset = 0
    /// Wrote to the open transaction already.
    var hasProduced = false
    /// The last claim that was committed says that nothing of this thread follows (R15).
    var isReleased = false
    /// True in a run that ends once it has caught up, if everything made of the inputs that were there is committed.
    var isBroughtUp = false

    /// - Parameter copy: the standby copy that it goes on from, if there is one.
    init(task: StreamTask, serial: Int, now: Duration, from copy: StandbyTasks.Copy? = nil) {
        self.task = task
        restore = ChangelogRestore(from: copy)
        self.serial = serial
        createdAt = now
        lastWaitingReport = now
    }

    /// The format of the task's claims: up to 2 without a number.
    var claimFormat: UInt8 { task.format }

    // MARK: - States

    func beginRestoring(to end: Offset, _ starts: [TaskStart], at now: Duration) {
        precondition(isCreated, "A task is restored once.")
        self.starts = starts
        state = .restoring(end: end)
        restore.wait(from: now)
        restore.begin(at: now)
    }

    func beginDeriving() {
        precondition(isReadingChangelog, "What is derived follows from a changelog that was read.")
        state = .deriving
    }

    func run(at now: Duration) {
        guard case .deriving = state else { preconditionFailure("A task runs when all is derived from its state.") }
        state = .running
        runningSince = now
    }

    /// True while its state is not complete.
    var isRestoring: Bool { isReadingChangelog || isDeriving }

    var isReadingChangelog: Bool { if case .restoring = state { true } else { false } }

    var isDeriving: Bool { if case .deriving = state { true } else { false } }

    /// Changelog records read each second since the restore began; `nil` if none are to be read, or for less than a
    /// second: few records in a moment tell nothing.
    func restoreRate(at now: Duration) -> Double? { isReadingChangelog ? restore.rate(at: now) : nil }

    var isCreated: Bool { if case .created = state { true } else { false } }

    /// All partitions that it reads.
    var cursors: [PartitionCursor] { (exchange.map { [$0] } ?? []) + inputs }

    /// True if the open transaction has read or written more than a claim.
    var hasAdvanced: Bool {
        hasProduced || task.positions.entries.contains { $0.next != $0.committed }
    }

    /// True once this thread has committed a claim to the task, so that whoever takes over finds its name (R4).
    var isClaimed: Bool { exchange.map { task.positions.entries[$0.position].isClaimed } ?? false }

    var isRunning: Bool { if case .running = state { true } else { false } }

    var exchangeNext: Offset { exchange.map { task.positions.entries[$0.position].next } ?? 0 }

    func next(of cursor: PartitionCursor) -> Offset { task.positions.entries[cursor.position].next }
}

/// What is known of a partition when its task is taken over.
struct TaskStart {
    var source: UInt8
    var topicPartition: TopicPartition
    var committed: Offset?
    var watermarks: Watermarks
    /// The last stable offset.
    var stableEnd: Offset

    init(
        source: UInt8, topicPartition: TopicPartition, committed: Offset?, watermarks: Watermarks,
        stableEnd: Offset? = nil
    ) {
        self.source = source
        self.topicPartition = topicPartition
        self.committed = committed
        self.watermarks = watermarks
        self.stableEnd = stableEnd ?? watermarks.high
    }
}

/// A partition that a running task reads.
final class PartitionCursor {
    let topicPartition: TopicPartition
    let source: UInt8
    unowned let runtime: TaskRuntime
    /// Index in the task's positions.
    let position: Int
    /// The last stable offset that was seen when the task was taken over (R8, R17): what an open transaction of
    /// others holds back is not waited for. No further than the topic goes, which may be another by now.
    var stageEnd: Offset
    /// Where the consumer last reached the end of what it may read.
    var endSeen: Offset?
    /// True if the consumer reads it.
    var isAssigned = false
    /// What the consumer returns may not be used before it is moved to the task's position (R1).
    var needsSeek = false
    /// The watch over stalled partitions has seen it since its task was taken over.
    var isWatched = false
    /// The last record that was read when the anchor was asked for (R18): the next anchor.
    var nextAnchor: Fingerprint?
    /// The last gap that was met between the position and the next record, since it was last looked at.
    var jump: (from: Offset, to: Offset)?
    /// When the last record that was read was produced; `nil` if none was read yet.
    var lastTimestamp: Instant?
    /// When the oldest record was produced that was read since the last commit.
    private var oldest: Instant?

    init(_ start: TaskStart, runtime: TaskRuntime, position: Int) {
        topicPartition = start.topicPartition
        source = start.source
        self.runtime = runtime
        self.position = position
        stageEnd = start.stableEnd
    }

    /// To be told of the first record of a run of records, which is the oldest in all that are in order.
    func noteFirst(_ record: RecordView) {
        oldest = oldest.map { min($0, record.timestamp) } ?? record.timestamp
    }

    /// Takes the date of the oldest record that was read since the last call.
    func takeOldest() -> Instant? { oldest.take() }

    /// Notes the last record of several in a row.
    func note(_ record: RecordView) {
        lastTimestamp = record.timestamp
        runtime.task.positions.note(position, record: record)
    }
}
