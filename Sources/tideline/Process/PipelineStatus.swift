import Observability
import RecordLog
import StreamRuntime

/// The state of this process's pipeline at an instant, as its status line shows it.
struct PipelineStatus: Hashable, Sendable {
    /// The tasks of this process, ascending by partition.
    var tasks: [Task] = []
    /// The lag of each topic, of this process's tasks alone; `nil` means that the topics' ends could not be asked for.
    var lag: [TopicLag]?
    /// The records of committed transactions since the start.
    var records = 0
    /// Records per second since the status before; `nil` means that there was none.
    var recordsPerSecond: Double?
    /// The time since the latest commit; `nil` means that nothing was committed yet.
    var lastCommitAge: Duration?
    /// The aborted transactions since the start.
    var aborts = 0
    /// The partitions that were not gone on with where their positions were (`StreamStatus.lostPositions`).
    var lostPositions = 0
    var deadLetters = 0
    /// The telemetry records that were dropped because newer ones of their vehicles were known.
    var lateTelemetry = 0
    /// The telemetry records from the future, which counted as observed at their arrival.
    var futureTelemetry = 0
    /// The timelines that say that they were too large.
    var tooLargeTimelines = 0
    /// What became of readers' positions.
    var positions = PositionCounts()
    /// The outcomes of changes and their counts, in a fixed order.
    var changes: [NamedCount] = []
    /// The time for which a broker has been out of reach; `nil` means that none is known to be.
    var away: Duration?

    struct Task: Hashable, Sendable {
        var partition: Partition
        var state: StreamStatus.State
        /// As in `StreamStatus.TaskStatus`.
        var restoreRate: Double?
    }

    struct TopicLag: Hashable, Sendable {
        var topic: String
        var records: Int64
        /// The longest time for which the first unread record can have waited, zero where none waits; `nil` means that
        /// it is not known.
        var time: Duration?
        /// Where `time` is not known: for how long the first unread record has waited at least.
        var seen = Duration.zero
    }

    struct NamedCount: Hashable, Sendable {
        var name: String
        var count: Int
    }

    // MARK: - Tasks

    var running: Int { tasks.count { $0.state == .running } }
    var waiting: Int { tasks.count { $0.state == .created } }
    var restoring: Int { tasks.count - running - waiting }

    /// The part of all changelogs being restored that has been read, in per cent, rounded down; `nil` means that no
    /// task restores.
    var restoredPercent: Int? {
        var read: Int64 = 0
        var whole: Int64 = 0
        for task in tasks {
            guard case .restoring(let next, let end) = task.state else { continue }
            read += min(next, end).rawValue
            whole += end.rawValue
        }
        if restoring == 0 { return nil }
        return whole == 0 ? 100 : Int(read * 100 / whole)
    }

    /// Changelog records per second of all tasks that restore, each since it began; `nil` if no rate is known yet.
    var restoredPerSecond: Double? {
        let rates = tasks.compactMap(\.restoreRate)
        return rates.isEmpty ? nil : rates.reduce(0, +)
    }

    // MARK: - Lag

    var lagRecords: Int64? { lag?.reduce(0) { $0 + $1.records } }
    /// The longest time lag of a topic.
    var lagTime: Duration? { lag?.compactMap(\.time).max() }
}
