import RecordLog
import StreamCore

/// A task as a thread runs it.
///
///     created ──► restoring ──► running
///        ▲            │            │
///        └────────────┴────────────┘   the producer was replaced: state is read anew
///
/// A task that is revoked or lost is let go in any state.
final class TaskRuntime {
    enum State {
        /// Assigned; its offsets are not known to be stable yet (R2, step a).
        case created
        /// The changelog is read to this end (R2, step c).
        case restoring(end: Offset)
        case running
    }

    let task: StreamTask
    var state = State.created
    let createdAt: Duration
    var lastWaitingReport: Duration
    var restoredRecords = 0
    /// The changelog has been read up to here.
    var restoredNext: Offset = 0
    /// Until it is seen whether a dead owner's transaction holds the changelog up (R4).
    var restoringSince: Duration?
    /// Owners whose transactions were ended for this takeover (R4).
    var settledOwners: Set<String> = []
    /// The place where each partition begins, gathered while taking over.
    var starts: [TaskStart] = []
    var exchange: PartitionCursor?
    var inputs: [PartitionCursor] = []
    /// Sources of this reading order and below are being read (R8); `nil` if none is yet.
    var stage: Int?
    /// Messages may be delivered within the thread once the exchange position has passed this; `nil` if the broker is
    /// still to be asked for it.
    var localBarrier: Offset?
    /// Exchange records below this were removed.
    var removedBefore: Offset = 0
    /// Wrote to the open transaction already.
    var hasProduced = false
    /// True in a run that ends once it has caught up, if everything made of the inputs that were there is committed.
    var isBroughtUp = false

    init(task: StreamTask, now: Duration) {
        self.task = task
        createdAt = now
        lastWaitingReport = now
    }

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
}

/// A partition that a running task reads.
final class PartitionCursor {
    let topicPartition: TopicPartition
    let source: UInt8
    unowned let runtime: TaskRuntime
    /// Index in the task's positions.
    let position: Int
    /// The end that was seen when the task was assigned (R8).
    let stageEnd: Offset
    /// True if the consumer reads it.
    var isAssigned = false
    /// What the consumer returns may not be used before it is moved to the task's position (R1).
    var needsSeek = false
    /// When the last record that was read was produced; `nil` if none was read yet.
    var lastTimestamp: Instant?

    init(_ start: TaskStart, runtime: TaskRuntime, position: Int) {
        topicPartition = start.topicPartition
        source = start.source
        self.runtime = runtime
        self.position = position
        stageEnd = start.watermarks.high
    }
}
