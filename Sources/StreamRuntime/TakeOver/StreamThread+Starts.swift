import RecordLog
import StreamCore

/// Where a running task begins to read its partitions, and in which order (R5 and R8).
extension StreamThread {
    /// Adds a cursor that begins at the state's position, else at the committed offset, else at the earliest (R5).
    func addCursor(_ start: TaskStart, to runtime: TaskRuntime) {
        let positions = runtime.task.positions
        let partition = start.topicPartition.partition
        let known = positions.restoredNext(source: start.source, partition: partition) ?? start.committed
        var kept = start.watermarks
        var next = known ?? kept.low
        if next > kept.high {
            // An owner that lived has read on since the end was asked for. Without an answer it is looked at later.
            kept.high = next
            attempt("asking for an end again") { () throws(LogError) in
                kept = try extent(of: start.topicPartition)
            }
        }
        var fingerprint = positions.restoredFingerprint(source: start.source, partition: partition)
        var anchor = positions.restoredAnchor(source: start.source, partition: partition)
        if next < kept.low || next > kept.high {
            positionChecks.lose()
            observer(.positionOutOfRange(start.topicPartition, position: next, kept: kept))
            next = kept.low
            fingerprint = nil
            anchor = nil
        }
        let position = positions.add(
            source: start.source, partition: partition, next: next, fingerprint: fingerprint, anchor: anchor)
        let cursor = PartitionCursor(start, runtime: runtime, position: position)
        cursors.add(cursor)
        if start.source == TaskPositions.exchange {
            runtime.exchange = cursor
        } else {
            runtime.inputs.append(cursor)
        }
    }

    /// Begins to read the exchange once the task is claimed (R4), and the sources of the next reading order when those
    /// before have reached the end that was seen when the task was assigned (R8).
    func advanceStage(of runtime: TaskRuntime) {
        guard runtime.isClaimed else { return }
        if let exchange = runtime.exchange, !exchange.isAssigned, !beginReading([exchange]) { return }
        while true {
            let waiting = runtime.inputs.filter { !$0.isAssigned }
            guard let order = waiting.map({ readingOrder(of: $0) }).min() else { return }
            let isRead = runtime.inputs.allSatisfy {
                !$0.isAssigned || runtime.next(of: $0) >= $0.stageEnd || readingOrder(of: $0) >= order
            }
            if !isRead { return }
            let stage = waiting.filter { readingOrder(of: $0) == order }
            // What lies before a position may be of another topic of the name: then it begins elsewhere (R18).
            if !stage.allSatisfy(isCompared) { return }
            if !beginReading(stage) { return }
        }
    }

    /// Begins to read for tasks whose first claim was just committed.
    func beginClaimed() {
        for runtime in tasks.running where runtime.exchange?.isAssigned == false { advanceStage(of: runtime) }
    }

    /// Reads partitions from their positions on: never from a place that a broker is asked for first (R20).
    ///
    /// - Returns: false if they could not be assigned; then it is tried again.
    private func beginReading(_ cursors: [PartitionCursor]) -> Bool {
        do throws(LogError) {
            try consumer.incrementalAssign(cursors.map { ($0.topicPartition, .at($0.runtime.next(of: $0))) })
        } catch {
            observer(.failed(error, doing: "assigning partitions"))
            return false
        }
        for cursor in cursors { cursor.isAssigned = true }
        return true
    }

    func readingOrder(of cursor: PartitionCursor) -> Int {
        topology.sources[Int(cursor.source)].readingOrder
    }
}
