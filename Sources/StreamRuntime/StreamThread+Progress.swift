import RecordLog
import StreamCore

/// What counts as progress of this thread (`StreamProgress`).
extension StreamThread {
    /// The last progress, on the thread's monotonic clock; `nil` before the first.
    package var lastProgress: Duration? { progress.last }

    /// To be called after each iteration.
    func noteProgress() {
        askWhetherBrokerAnswers()
        let now = clock.monotonic()
        guard now - lastObserved >= .milliseconds(50) else { return }
        lastObserved = now
        let isUncommitted =
            isTransactionOpen || !exchangeOutputs.isEmpty || tasks.values.contains { $0.isRunning && $0.task.isDirty }
        progress.observe(
            StreamProgress.Observation(
                now: now, commits: commitsCount, aborts: abortsCount, isUncommitted: isUncommitted,
                lastAnswer: lastAnswer,
                tasks: tasks.mapValues { runtime in
                    switch runtime.state {
                    case .created: .created
                    case .restoring: .restoring(runtime.restoredNext)
                    case .running: .running
                    }
                }))
    }

    /// A thread that has nothing to commit asks now and then, for nothing else would tell it that the broker is gone.
    private func askWhetherBrokerAnswers() {
        let now = clock.monotonic()
        let last = max(lastAsked, lastCommitted ?? lastAsked)
        guard now - last >= settings.answerInterval else { return }
        lastAsked = now
        let partition = TopicPartition(settings.exchangeTopic, runningTasks.first?.task.partition ?? 0)
        do throws(LogError) {
            _ = try probe.watermarks(of: partition, timeout: settings.answerTimeout)
            lastAnswer = clock.monotonic()
            isUnanswered = false
        } catch {
            if !isUnanswered { observer(.failed(error, doing: "asking whether the broker answers")) }
            isUnanswered = true
        }
    }
}
