import RecordLog
import StreamCore

/// Taking over tasks, in the order of R2: (a) stable offsets, (b) the changelog's end, (c) the changelog up to it and
/// what follows from the state, (d) the inputs.
///
/// `TopicReader` does not serve here: the changelogs of all tasks share one consumer with partitions that come and go,
/// a round may not wait for any of them, and their end is the one that is seen after the offsets were stable.
extension StreamThread {
    func restore() throws(StreamFailure) {
        takeOver()
        restoreLoad.begin()
        let isReading = tasks.all.contains(where: \.isReadingChangelog)
        let isBeside = isReading && settings.derivation.width > 1 && tasks.all.contains(where: \.isDeriving)
        if isReading && !isBeside { try readChangelogs() }
        if tasks.all.contains(where: \.isDeriving) { try derive(besideReading: isBeside) }
        if isReading { reportRestores() }
        takeComparisons()
        for runtime in tasks.running { advanceStage(of: runtime) }
    }

    // MARK: - (c)

    /// Where tasks run already, a portion of what is there.
    private var restorePortion: Int {
        tasks.all.contains(where: \.isRunning)
            ? min(settings.pollMaximum, settings.restorePortion) : settings.pollMaximum
    }

    /// Where tasks run, or are derived, changelogs are not waited for.
    private func readChangelogs() throws(StreamFailure) {
        let waits = !tasks.all.contains { $0.isRunning || $0.isDeriving }
        var failure: StreamFailure?
        let arrivals = restorer.poll(
            maximum: restorePortion, timeout: waits ? .milliseconds(20) : .zero
        ) { records in
            if failure != nil { return }
            do throws(StreamFailure) { try take(records) } catch { failure = error }
        }
        restoreLoad.note(records: arrivals.records)
        for failure in arrivals.failures { observer(.failed(failure, doing: "restoring")) }
        if let failure { throw failure }
        for end in arrivals.ends {
            guard let runtime = tasks[end.partition], case .restoring(let target) = runtime.state else { continue }
            // Only the end event tells that trailing transaction markers are passed too.
            if end.offset >= target { try endReading(runtime) }
        }
    }

    /// - Parameter records: of one partition or of several, each of them in a row as a rule.
    private func take(_ records: ArraySlice<RecordView>) throws(StreamFailure) {
        var rest = records
        while let first = rest.first {
            let row = rest.prefix { $0.partition == first.partition }
            rest = rest.dropFirst(row.count)
            guard let runtime = tasks[first.partition], case .restoring = runtime.state else { continue }
            for record in row where record.key != nil { runtime.restore.note(record.offset) }
            do throws(UnreadableRecord) {
                try runtime.task.restore(row)
            } catch {
                // Going on would make a wrong state the one that counts.
                throw .unreadable(changelog(of: first.partition), error.offset, error.reason)
            }
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

    private func endReading(_ runtime: TaskRuntime) throws(StreamFailure) {
        try checkState(of: runtime)
        attempt("ending a restore") { () throws(LogError) in
            try restorer.incrementalUnassign([changelog(of: runtime.task.partition)])
        }
        runtime.beginDeriving()
    }

    /// Portions of what follows from the state, of as many tasks at a time as there are cores. Many small tasks are
    /// done at once.
    ///
    /// - Parameter isReading: true if changelogs of other tasks are read meanwhile, on this thread.
    private func derive(besideReading isReading: Bool) throws(StreamFailure) {
        var left = restorePortion
        var reads = isReading
        while left > 0 {
            let some = Array(tasks.ordered.filter(\.isDeriving).prefix(settings.derivation.width))
            if some.isEmpty { return }
            restoreLoad.noteDeriving()
            var failure: StreamFailure?
            let read = { [self] in
                do throws(StreamFailure) { try readChangelogs() } catch { failure = error }
            }
            let portions = derivePortions(of: some.map(\.task), left, beside: reads ? read : nil)
            reads = false
            if let failure { throw failure }
            var isDone = true
            for (runtime, portion) in zip(some, portions) {
                runtime.restore.noteDerived(left - portion.left)
                if let unreadable = portion.unreadable {
                    throw .unreadable(changelog(of: runtime.task.partition), unreadable.offset, unreadable.reason)
                }
                if portion.isDone { run(runtime) } else { isDone = false }
            }
            guard isDone else { return }
            left = portions.map(\.left).min() ?? 0
        }
    }

    private func derivePortions(
        of some: [StreamTask], _ left: Int, beside other: (() -> Void)?
    ) -> [DerivedPortion] {
        var portions = [DerivedPortion](repeating: DerivedPortion(left: left), count: some.count)
        portions.withUnsafeMutableBufferPointer { portions in
            let portions = portions
            settings.derivation.run(some.count, beside: other) { portions[$0].derive(some[$0]) }
        }
        return portions
    }

    // MARK: - (d)

    private func run(_ runtime: TaskRuntime) {
        for start in runtime.starts { addCursor(start, to: runtime) }
        compare(runtime.inputs)
        runtime.run(at: clock.monotonic())
        measureRestore(of: runtime)
        // Another owner may have sent to any of this thread's tasks before (DESIGN.md, "Local delivery").
        for other in tasks.all { other.localBarrier = nil }
        observer(.running(task: runtime.task.partition, restoredRecords: runtime.restore.records))
    }
}

/// A portion of what follows from a task's state.
private struct DerivedPortion {
    /// The slots that may still be looked at.
    var left: Int
    var isDone = false
    /// A value that cannot be read: then nothing may be done with the task.
    var unreadable: UnreadableRecord?

    init(left: Int) {
        self.left = left
    }

    mutating func derive(_ task: StreamTask) {
        do throws(UnreadableRecord) {
            isDone = try task.finishRestore(&left)
        } catch {
            unreadable = error
        }
    }
}
