package import RecordLog
import StreamCore

/// Called inside `consumer.poll` and `consumer.close`, on the stream's thread: no batch is half processed there.
extension StreamThread: RebalanceListener {
    /// The exchange partitions are read as soon as their tasks know their positions, and not before (R20).
    package func assigned(_ partitions: [TopicPartition]) {
        measuringRebalance { take(partitions) }
        observer(.assigned(partitions.map(\.partition).sorted()))
    }

    private func take(_ partitions: [TopicPartition]) {
        membership.noteAssignment()
        let now = clock.monotonic()
        attempt("assigning") { () throws(LogError) in try consumer.incrementalAssign([]) }
        for partition in partitions.map(\.partition) {
            guard partition < Partition(self.partitions) else {
                membership.refuse(
                    StreamFailure(
                        refused: """
                            \(settings.exchangeTopic) has more partitions than the \(self.partitions) it had at the \
                            start: entities would belong to other tasks than their state
                            """,
                        remedy: "Stop all processes, make it anew with \(self.partitions), or take another application"
                    ))
                continue
            }
            tasks.add(makeRuntime(partition, now: now, from: takeStandby(partition)))
        }
    }

    /// Commits what was read of them, within the revoke deadline, and releases their claims (R15); then gives them up.
    /// Where that fails, or something is owed already, the next iterations settle it (R16).
    package func revoked(_ partitions: [TopicPartition]) {
        observer(.revoked(partitions.map(\.partition).sorted()))
        membership.beginCallback()
        defer { membership.endCallback() }
        membership.noteGivenUp()
        measuringRebalance {
            commit(within: settings.revokeTimeout, releasing: Set(partitions.map(\.partition)))
            giveUp(partitions)
        }
    }

    /// They are somebody else's already, so nothing of this transaction may be committed.
    package func lost(_ partitions: [TopicPartition]) {
        observer(.lost(partitions.map(\.partition).sorted()))
        membership.noteGivenUp()
        measuringRebalance {
            if state.mayProcess {
                abort(because: LogError(.other, name: "_ASSIGNMENT_LOST", "the assignment was lost"))
            }
            giveUp(partitions)
        }
    }

    func seekWhereNeeded() {
        let waiting = cursors.waitingForSeek
        if waiting.isEmpty { return }
        let positions = waiting.map { ($0.topicPartition, $0.runtime.next(of: $0)) }
        attempt("seeking") { () throws(LogError) in
            let notYet = Set(try consumer.seek(positions, timeout: settings.callTimeout))
            for cursor in waiting where !notYet.contains(cursor.topicPartition) { cursor.needsSeek = false }
        }
    }

    func makeRuntime(
        _ partition: Partition, now: Duration, insteadOf predecessor: StreamTask? = nil,
        from copy: StandbyTasks.Copy? = nil
    ) -> TaskRuntime {
        let task = copy?.task ?? makeTask(partition, insteadOf: predecessor)
        task.context.trace = trace
        task.advance(to: clock.wall())
        return TaskRuntime(task: task, serial: rounds.nextSerial(), now: now, from: copy)
    }

    func makeTask(_ partition: Partition, insteadOf predecessor: StreamTask? = nil) -> StreamTask {
        StreamTask(
            partition: partition, partitions: partitions, topology: topology, router: self, terms: settings.state,
            insteadOf: predecessor)
    }

    private func giveUp(_ partitions: [TopicPartition]) {
        var assigned: [TopicPartition] = []
        for partition in partitions.map(\.partition) {
            guard let runtime = tasks.remove(partition) else { continue }
            for (_, place) in layout.sources(of: partition) { watch.forget(place) }
            assigned += letGo(of: runtime)
        }
        attempt("giving up partitions") { () throws(LogError) in try consumer.incrementalUnassign(assigned) }
    }

    /// Begins to take a task over anew that this thread has.
    func retake(_ runtime: TaskRuntime) {
        let assigned = letGo(of: runtime)
        tasks.replace(
            with: makeRuntime(runtime.task.partition, now: clock.monotonic(), insteadOf: runtime.task))
        if assigned.isEmpty { return }
        attempt("letting partitions go") { () throws(LogError) in try consumer.incrementalUnassign(assigned) }
    }

    /// Forgets what the thread knows of a task's partitions.
    ///
    /// - Returns: those that the consumer still reads.
    func letGo(of runtime: TaskRuntime) -> [TopicPartition] {
        if runtime.isReadingChangelog {
            attempt("ending a restore") { () throws(LogError) in
                try restorer.incrementalUnassign([changelog(of: runtime.task.partition)])
            }
        }
        attempt("ending comparisons") { () throws(LogError) in
            try positionChecks.comparer?.forget(runtime.inputs.map(\.topicPartition))
        }
        cursors.remove(runtime.cursors)
        return runtime.cursors.filter(\.isAssigned).map(\.topicPartition)
    }

    func changelog(of partition: Partition) -> TopicPartition { TopicPartition(settings.stateTopic, partition) }

    func attempt(_ doing: String, _ body: () throws(LogError) -> Void) {
        do throws(LogError) { try body() } catch { observer(.failed(error, doing: doing)) }
    }
}
