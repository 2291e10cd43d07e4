import RecordLog
import StreamCore

/// Taking over tasks, in the order of R2: (a) stable offsets, (b) the changelog's end, (c) the changelog up to it,
/// (d) the inputs.
///
/// `TopicReader` does not serve here: the changelogs of all tasks share one consumer with partitions that come and go,
/// a round may not wait for any of them, and their end is the one that is seen after the offsets were stable.
extension StreamThread {
    func restore() throws(StreamFailure) {
        let created = tasks.values.filter { if case .created = $0.state { true } else { false } }
            .sorted { $0.task.partition < $1.task.partition }
        if !created.isEmpty { takeOver(created) }
        let restoring = tasks.values.contains { if case .restoring = $0.state { true } else { false } }
        if restoring {
            try readChangelogs()
            settleHeldUp()
        }
        for runtime in runningTasks { advanceStage(of: runtime) }
    }

    // MARK: - (a) and (b)

    private func takeOver(_ created: [TaskRuntime]) {
        let partitions = created.flatMap { sources(of: $0.task.partition).map(\.1) }
        let committed: [TopicPartition: CommittedOffset]
        do throws(LogError) {
            committed = try consumer.committed(partitions, timeout: settings.stableOffsetsTimeout)
        } catch {
            guard error.code == .timedOut || error.code == .unstableOffsets else {
                observer(.failed(error, doing: "asking for committed offsets"))
                return
            }
            settleClaims(of: created)
            return
        }
        for runtime in created {
            attempt("taking over task \(runtime.task.partition)") { () throws(LogError) in
                try beginRestoring(runtime, committed)
            }
        }
    }

    private func beginRestoring(
        _ runtime: TaskRuntime, _ committed: [TopicPartition: CommittedOffset]
    ) throws(LogError) {
        let partition = runtime.task.partition
        let changelog = changelog(of: partition)
        // Asked of the read_uncommitted handle, after the offsets were stable: the last commit's records lie below it.
        let end = try probe.watermarks(of: changelog, timeout: settings.callTimeout).high
        var starts: [TaskStart] = []
        for (source, topicPartition) in sources(of: partition) {
            let watermarks = try probe.watermarks(of: topicPartition, timeout: settings.callTimeout)
            let next = committed[topicPartition]?.next
            starts.append(
                TaskStart(source: source, topicPartition: topicPartition, committed: next, watermarks: watermarks))
        }
        try restorer.incrementalAssign([(changelog, .earliest)])
        runtime.starts = starts
        runtime.state = .restoring(end: end)
        runtime.restoringSince = clock.monotonic()
        observer(.restoring(task: partition, end: end))
    }

    // MARK: - (c)

    private func readChangelogs() throws(StreamFailure) {
        let batch = restorer.poll(maximum: settings.pollMaximum, timeout: .milliseconds(20))
        for failure in batch.failures { observer(.failed(failure, doing: "restoring")) }
        for record in batch.records {
            guard let runtime = tasks[record.partition], case .restoring = runtime.state else { continue }
            guard let key = record.key else { continue }
            runtime.restoredRecords += 1
            runtime.restoredNext = record.offset.next
            do throws(CorruptBytes) {
                try runtime.task.restore(key: key, value: record.value)
            } catch {
                // Going on would make a wrong state the one that counts.
                throw StreamFailure(
                    "\(changelog(of: record.partition)) cannot be read at offset \(record.offset): \(error)")
            }
        }
        for end in batch.ends {
            guard let runtime = tasks[end.partition], case .restoring(let target) = runtime.state else { continue }
            // Only the end event tells that trailing transaction markers are passed too.
            if end.offset >= target { finishRestoring(runtime) }
        }
    }

    // MARK: - (d)

    private func finishRestoring(_ runtime: TaskRuntime) {
        attempt("ending a restore") { () throws(LogError) in
            try restorer.incrementalUnassign([changelog(of: runtime.task.partition)])
        }
        runtime.task.finishRestore()
        for start in runtime.starts { addCursor(start, to: runtime) }
        runtime.state = .running
        // Its claim is committed in this iteration, before any of its input is read: who takes over after a crash must
        // find the right name (R4).
        lastCommit = clock.monotonic() - max(settings.commitInterval, settings.backlogCommitInterval)
        // Another owner may have sent to any of this thread's tasks before (DESIGN.md, "Local delivery").
        for other in tasks.values { other.localBarrier = nil }
        observer(.running(task: runtime.task.partition, restoredRecords: runtime.restoredRecords))
        advanceStage(of: runtime)
    }

    /// Adds a cursor that begins at the state's position, else at the committed offset, else at the earliest (R5).
    func addCursor(_ start: TaskStart, to runtime: TaskRuntime) {
        let known =
            runtime.task.positions.restoredNext(source: start.source, partition: start.topicPartition.partition)
            ?? start.committed
        let low = start.watermarks.low
        var next = known ?? low
        if next < low || next > start.watermarks.high {
            observer(
                .positionOutOfRange(start.topicPartition, position: next, kept: start.watermarks))
            next = low
        }
        let position = runtime.task.positions.add(
            source: start.source, partition: start.topicPartition.partition, next: next)
        let cursor = PartitionCursor(start, runtime: runtime, position: position)
        cursors[start.topicPartition] = cursor
        cursorTable.removeAll()
        if start.source == TaskPositions.exchange {
            cursor.isAssigned = true
            cursor.needsSeek = true
            runtime.exchange = cursor
        } else {
            runtime.inputs.append(cursor)
        }
    }

    /// Begins to read the sources of the next reading order when those before have reached the end that was seen when
    /// the task was assigned (R8).
    private func advanceStage(of runtime: TaskRuntime) {
        while true {
            let waiting = runtime.inputs.filter { !$0.isAssigned }
            guard let order = waiting.map({ readingOrder(of: $0) }).min() else { return }
            let isRead = runtime.inputs.allSatisfy {
                !$0.isAssigned || runtime.next(of: $0) >= $0.stageEnd || readingOrder(of: $0) >= order
            }
            if !isRead { return }
            let stage = waiting.filter { readingOrder(of: $0) == order }
            do throws(LogError) {
                try consumer.incrementalAssign(
                    stage.map { ($0.topicPartition, .at(runtime.next(of: $0))) })
            } catch {
                observer(.failed(error, doing: "assigning inputs"))
                return
            }
            for cursor in stage { cursor.isAssigned = true }
            runtime.stage = order
        }
    }

    private func readingOrder(of cursor: PartitionCursor) -> Int {
        topology.sources[Int(cursor.source)].readingOrder
    }

    /// The exchange partition of task *p*, and of every source the partitions *q* with *q* mod *P* = *p*.
    func sources(of partition: Partition) -> [(UInt8, TopicPartition)] {
        var result = [(TaskPositions.exchange, TopicPartition(settings.exchangeTopic, partition))]
        for (index, source) in topology.sources.enumerated() where source.isRead {
            for number in stride(from: partition, to: Partition(sourcePartitions[index]), by: Int(partitions)) {
                result.append((UInt8(index), TopicPartition(source.topic, number)))
            }
        }
        return result
    }
}
