import RecordLog
import StreamCore

/// Asks brokers now and then where the partitions end that this thread reads: that they answer is a sign of life, and a
/// partition that has more to read, but gets nothing, is healed.
extension StreamThread {
    /// Asks beside this thread; the answer comes to `use`.
    func askForEnds() {
        let now = clock.monotonic()
        guard !inquiry.isBusy, schedule.ends.takeTurn(at: now, every: settings.answerInterval) else { return }
        var places = cursors.assigned
        if places.isEmpty { places = [TopicPartition(settings.exchangeTopic, 0)] }
        let timeout = settings.answerTimeout
        ask { [places] ports in
            do throws(LogError) {
                let ends = try ports.admin.endOffsets(of: places, isolation: .readCommitted, timeout: timeout)
                return .ends(.success(ends))
            } catch {
                return .ends(.failure(error))
            }
        }
    }

    func use(_ answer: Result<[TopicPartition: Offset], LogError>) {
        switch answer {
        case .success(let ends):
            watch.noteAnswer(at: clock.monotonic())
            healStalled(ends)
        case .failure(let error):
            if watch.noteSilence() { observer(.failed(error, doing: "asking whether the broker answers")) }
        }
    }

    private func healStalled(_ ends: [TopicPartition: Offset]) {
        let now = clock.monotonic()
        // What is aborted is read again, and so its position stands still: that is another illness.
        let isThrownBack = watch.noteAborts(counts.aborts)
        let isExcused = !state.mayProcess || isThrownBack
        for (place, end) in ends.sorted(by: { $0.key < $1.key }) {
            guard let cursor = cursors[place], cursor.isAssigned else { continue }
            let next = cursor.runtime.next(of: cursor)
            // Of a task that was taken over anew the time counts from then on.
            let isNew = !cursor.isWatched
            cursor.isWatched = true
            guard
                let stall = watch.observe(
                    place, next: next, end: end, at: now, patience: settings.stallTimeout,
                    isExcused: isExcused || isNew)
            else { continue }
            observer(.stalled(place, next: next, end: end, for: stall.for, remedy: stall.remedy))
            heal(cursor, stall.remedy)
        }
    }

    private func heal(_ cursor: PartitionCursor, _ remedy: StallWatch.Remedy) {
        let place = cursor.topicPartition
        switch remedy {
        case .seek: cursor.needsSeek = true
        case .reassign:
            attempt("assigning a stalled partition anew") { () throws(LogError) in
                try consumer.incrementalUnassign([place])
                cursor.isAssigned = false
                try consumer.incrementalAssign([(place, .at(cursor.runtime.next(of: cursor)))])
                cursor.isAssigned = true
                cursor.needsSeek = false
            }
            // What is not assigned would never be looked at again.
            if !cursor.isAssigned { retakeStalled(cursor) }
        case .retake: retakeStalled(cursor)
        }
    }

    private func retakeStalled(_ cursor: PartitionCursor) {
        let message = "\(cursor.topicPartition) gives nothing; its task is taken over anew"
        // What it has not committed would be lost with its memory.
        abort(because: LogError(.timedOut, name: "_STALLED", message))
        retake(cursor.runtime)
    }
}
