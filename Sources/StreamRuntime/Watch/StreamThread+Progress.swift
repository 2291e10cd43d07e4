import RecordLog
import StreamCore

/// What counts as progress of this thread (`StreamProgress`).
extension StreamThread {
    /// The last progress, on the thread's monotonic clock; `nil` before the first.
    package var lastProgress: Duration? { progress.last }

    /// To be called after each iteration.
    func noteProgress() {
        let now = clock.monotonic()
        guard schedule.progress.takeTurn(at: now, every: .milliseconds(50)) else { return }
        let isUncommitted =
            state.name != .ready || !outbox.outputs.isEmpty || pace.hasMoreToFlush
            || tasks.all.contains { $0.isRunning && $0.task.isDirty }
        progress.observe(
            StreamProgress.Observation(
                now: now, commits: counts.advancingCommits, aborts: counts.aborts, isUncommitted: isUncommitted,
                isStalled: watch.isStalled, lastAnswer: watch.lastAnswer,
                tasks: tasks.steps))
    }
}

extension TaskTable {
    /// How far each task has come.
    fileprivate var steps: [Partition: StreamProgress.TaskStep] {
        Dictionary(
            uniqueKeysWithValues: all.map { runtime in
                let step: StreamProgress.TaskStep =
                    switch runtime.state {
                    case .created: .created
                    case .restoring: .restoring(runtime.restore.next)
                    case .deriving: .deriving(runtime.restore.derived)
                    case .running: .running
                    }
                return (runtime.task.partition, step)
            })
    }
}
