import RecordLog
import StreamCore

/// Taking over tasks, in the order of R2: (a) stable offsets, (b) the changelog's end, (c) the changelog up to it,
/// (d) the inputs.
///
/// `TopicReader` does not serve here: the changelogs of all tasks share one consumer with partitions that come and go,
/// a round may not wait for any of them, and their end is the one that is seen after the offsets were stable.
extension StreamThread {
    func restore() throws(StreamFailure) {
        takeOver()
        if tasks.all.contains(where: \.isRestoring) {
            try readChangelogs()
            reportRestores()
        }
        takeComparisons()
        for runtime in tasks.running { advanceStage(of: runtime) }
    }

    // MARK: - (c)

    /// Where tasks run already, a portion of what is there, without waiting for it.
    private func readChangelogs() throws(StreamFailure) {
        let isShared = tasks.all.contains(where: \.isRunning)
        var failure: StreamFailure?
        let arrivals = restorer.poll(
            maximum: isShared ? min(settings.pollMaximum, settings.restorePortion) : settings.pollMaximum,
            timeout: isShared ? .zero : .milliseconds(20)
        ) { record in
            if failure != nil { return }
            do throws(StreamFailure) { try take(record) } catch { failure = error }
        }
        for failure in arrivals.failures { observer(.failed(failure, doing: "restoring")) }
        if let failure { throw failure }
        for end in arrivals.ends {
            guard let runtime = tasks[end.partition], case .restoring(let target) = runtime.state else { continue }
            // Only the end event tells that trailing transaction markers are passed too.
            if end.offset >= target { try finishRestoring(runtime) }
        }
    }

    private func take(_ record: RecordView) throws(StreamFailure) {
        guard let runtime = tasks[record.partition], case .restoring = runtime.state else { return }
        guard let key = record.key else { return }
        runtime.restore.note(record.offset)
        do throws(CorruptBytes) {
            try runtime.task.restore(key: key, value: record.value, offset: record.offset)
        } catch {
            // Going on would make a wrong state the one that counts.
            throw .unreadable(changelog(of: record.partition), record.offset, error)
        }
    }

    /// Says now and then how far each restore has come, and how fast.
    private func reportRestores() {
        let now = clock.monotonic()
        for runtime in tasks.ordered {
            guard case .restoring(let end) = runtime.state,
                runtime.restore.takeReport(at: now, every: settings.restoreReportInterval)
            else { continue }
            let rate = runtime.restoreRate(at: now) ?? 0
            observer(
                .restoreProgress(
                    task: runtime.task.partition, next: runtime.restore.next, end: end, recordsPerSecond: Int(rate)))
        }
    }

    // MARK: - (d)

    private func finishRestoring(_ runtime: TaskRuntime) throws(StreamFailure) {
        try checkState(of: runtime)
        attempt("ending a restore") { () throws(LogError) in
            try restorer.incrementalUnassign([changelog(of: runtime.task.partition)])
        }
        do throws(UnreadableRecord) {
            try runtime.task.finishRestore()
        } catch {
            throw .unreadable(changelog(of: runtime.task.partition), error.offset, error.reason)
        }
        for start in runtime.starts { addCursor(start, to: runtime) }
        compare(runtime.inputs)
        runtime.state = .running
        runtime.runningSince = clock.monotonic()
        measureRestore(of: runtime)
        // Another owner may have sent to any of this thread's tasks before (DESIGN.md, "Local delivery").
        for other in tasks.all { other.localBarrier = nil }
        observer(.running(task: runtime.task.partition, restoredRecords: runtime.restore.records))
    }
}
