import RecordLog
import StreamCore

/// The tasks that a thread has, one for each partition of the exchange that it was given.
struct TaskTable {
    private var byPartition: [Partition: TaskRuntime] = [:]

    /// In no order: for what does not depend on one.
    var all: Dictionary<Partition, TaskRuntime>.Values { byPartition.values }

    /// In the order of their numbers, so that nothing depends on the order of a dictionary.
    var ordered: [TaskRuntime] { byPartition.values.sorted { $0.task.partition < $1.task.partition } }

    /// Those that run, in the order of their numbers.
    var running: [TaskRuntime] {
        byPartition.values.filter(\.isRunning).sorted { $0.task.partition < $1.task.partition }
    }

    /// True while the state of a task is not complete.
    var areRestoring: Bool { byPartition.values.contains(where: \.isRestoring) }

    var partitions: Set<Partition> { Set(byPartition.keys) }

    /// True while tasks run, and none of them is claimed: until the first claim of the thread is committed. Whoever
    /// took over after a crash would not find its name (R4), so nothing else is in a transaction before that.
    var areNameless: Bool {
        let running = byPartition.values.lazy.filter(\.isRunning)
        return !running.isEmpty && !running.contains(where: \.isClaimed)
    }

    subscript(partition: Partition) -> TaskRuntime? { byPartition[partition] }

    /// The group has given the thread a task.
    mutating func add(_ runtime: TaskRuntime) {
        let former = byPartition.updateValue(runtime, forKey: runtime.task.partition)
        precondition(former == nil, "A task is assigned once.")
    }

    /// A task of the thread is taken over anew.
    mutating func replace(with runtime: TaskRuntime) { byPartition[runtime.task.partition] = runtime }

    /// The task is not the thread's any more.
    mutating func remove(_ partition: Partition) -> TaskRuntime? { byPartition.removeValue(forKey: partition) }
}
