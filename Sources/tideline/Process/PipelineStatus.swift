import Observability
import RecordLog
import StreamRuntime

/// What the pipeline of this process is doing at an instant, as its status line says it.
struct PipelineStatus: Hashable, Sendable {
    /// By partition.
    var tasks: [Task] = []
    /// By topic, of this process's tasks alone; nil: the ends could not be asked for.
    var lag: [TopicLag]?
    /// Since the start, of committed transactions.
    var records = 0
    /// Since the status before; nil: there was none.
    var recordsPerSecond: Double?
    /// Nil: nothing was committed yet.
    var lastCommitAge: Duration?
    /// Since the start.
    var aborts = 0
    var deadLetters = 0
    /// Telemetry that was dropped because newer was known of its vehicle.
    var lateTelemetry = 0
    /// Telemetry from the future, which counted as observed at its arrival.
    var futureTelemetry = 0
    /// What became of changes, in a fixed order.
    var changes: [NamedCount] = []
    /// How long a broker has been out of reach; nil: none is known to be.
    var away: Duration?

    struct Task: Hashable, Sendable {
        var partition: Int32
        var state: StreamStatus.State
    }

    struct TopicLag: Hashable, Sendable {
        var topic: String
        var records: Int64
        /// How long ago the last record that was read was produced, where others wait behind it; zero where none do.
        /// Nil: not known.
        var time: Duration?
    }

    struct NamedCount: Hashable, Sendable {
        var name: String
        var count: Int
    }

    // MARK: - Tasks

    var running: Int { tasks.count { $0.state == .running } }
    var waiting: Int { tasks.count { $0.state == .created } }
    var restoring: Int { tasks.count - running - waiting }

    /// What of all changelogs that are being read has been read, in per cent, rounded down; nil: none is.
    var restoredPercent: Int? {
        var read: Int64 = 0
        var whole: Int64 = 0
        for task in tasks {
            guard case .restoring(let next, let end) = task.state else { continue }
            read += min(next, end)
            whole += end
        }
        if restoring == 0 { return nil }
        return whole == 0 ? 100 : Int(read * 100 / whole)
    }

    // MARK: - Lag

    var lagRecords: Int64? { lag?.reduce(0) { $0 + $1.records } }
    /// The longest of the topics'.
    var lagTime: Duration? { lag?.compactMap(\.time).max() }
}
