package import Metrics
import RecordLog
import StreamCore

/// What a stream thread has measured since it began, and how much its tasks hold: for metrics. A value that the thread
/// alone changes, without a lock.
package struct StreamMeasures: Sendable {
    /// From the flush of a commit to its success.
    package private(set) var commits = Distribution()
    /// How long callbacks of rebalances kept the thread, with the commit of what was given up.
    package private(set) var rebalances = Distribution()
    /// From the assignment of a task until it ran.
    package private(set) var restores = Distribution()
    /// The records of changelogs that were read in them.
    package private(set) var restoredRecords = 0
    /// By topic: from when the oldest record of a partition in a transaction was produced until that was committed.
    package private(set) var latencies: [String: Distribution] = [:]
    /// The stores of all tasks together, in the order of their numbers.
    package private(set) var stores: [StoreSize] = []
    /// The timers of all tasks; due ones as far as `dueMax`.
    package private(set) var timers = (armed: 0, due: 0)
    /// The most due timers that a look counts, of all tasks of the thread together.
    package static let dueMax = 2_000
    /// How long the timer that is due for longest has been due; zero if none is due that may fire (R17).
    package private(set) var timerDelay = Duration.zero
    /// Partitions that have records to read and give none.
    package private(set) var stalledPartitions = 0

    package struct StoreSize: Hashable, Sendable {
        package var name: String
        package var keys: Int
        package var bytes: Int
    }

    package init() {}

    mutating func observe(_ age: Duration, of topic: String) {
        latencies[topic, default: Distribution()].record(max(.zero, age))
    }

    mutating func noteCommit(_ duration: Duration) { commits.record(duration) }

    mutating func noteRebalance(_ duration: Duration) { rebalances.record(duration) }

    mutating func noteRestore(_ duration: Duration, records: Int) {
        restores.record(duration)
        restoredRecords += records
    }

    /// Begins to look at what the tasks hold.
    mutating func beginLook(stalledPartitions stalled: Int) {
        (stores, timers, timerDelay, stalledPartitions) = ([], (0, 0), .zero, stalled)
    }

    /// Adds the stores of one more task of the same topology.
    mutating func add(_ sizes: [(name: String, keys: Int, bytes: Int)]) {
        guard !stores.isEmpty else {
            stores = sizes.map { StoreSize(name: $0.name, keys: $0.keys, bytes: $0.bytes) }
            return
        }
        for (index, size) in sizes.enumerated() {
            stores[index].keys += size.keys
            stores[index].bytes += size.bytes
        }
    }

    /// Adds the timers of one more task that runs.
    ///
    /// - Parameter delay: how long its first timer that may fire has been due; `nil` if it is not due yet.
    mutating func add(_ load: TimerLoad, delay: Duration?) {
        timers.armed += load.armed
        timers.due += load.due
        timerDelay = max(timerDelay, delay ?? .zero)
    }
}

extension StreamThread {
    /// Measures a callback of a rebalance.
    func measuringRebalance(_ body: () -> Void) {
        let began = clock.monotonic()
        body()
        measures.noteRebalance(clock.monotonic() - began)
    }

    /// To be called when a transaction is committed: how old its oldest records were.
    func measureLatencies() {
        var now: Instant?
        for cursor in cursors.all {
            guard let oldest = cursor.takeOldest(), oldest != .noTimestamp else { continue }
            let instant = now ?? clock.wall()
            now = instant
            measures.observe(Duration(instant - oldest), of: cursor.topicPartition.topic)
        }
    }

    /// - Parameter began: when its flush began, on the monotonic clock.
    func measureCommit(since began: Duration) { measures.noteCommit(clock.monotonic() - began) }

    func measureRestore(of runtime: TaskRuntime) {
        measures.noteRestore(clock.monotonic() - runtime.createdAt, records: runtime.restore.records)
    }

    /// Looks at what the tasks hold, once a second and only for somebody who asks: the look costs as much as there are
    /// tasks, and `StreamMeasures.dueMax` timers at most.
    func measureTasks(now: Duration) {
        guard settings.measuresTasks else { return }
        guard schedule.measurement.takeTurn(at: now, every: .seconds(1)) else { return }
        let wall = clock.wall()
        measures.beginLook(stalledPartitions: watch.stalledPartitions)
        for runtime in tasks.all {
            measures.add(runtime.task.storeSizes)
            guard runtime.isRunning else { continue }
            let load = runtime.task.timerLoad(at: wall, dueMax: StreamMeasures.dueMax - measures.timers.due)
            let due = runtime.task.nextDue(readThrough: runtime.readThrough)
            measures.add(load, delay: due.flatMap { $0 < wall ? Duration(wall - $0) : nil })
        }
    }
}
