import RecordLog
import StreamCore

extension StreamThread {
    /// Gives all tasks the time of this iteration.
    func readClock() -> Instant {
        let now = clock.wall()
        settings.adoptIntervals()
        lookForFollowers()
        if tasks.areNameless { return now }
        for runtime in tasks.ordered { runtime.task.advance(to: now) }
        // What they say to a clock that went back.
        deliverLocalMessages()
        return now
    }

    private func lookForFollowers() {
        let isFollowed = settings.isFollowed()
        for runtime in tasks.all { runtime.task.context.isFollowed = isFollowed }
    }

    /// Before a task makes anything, also in the iteration in which it was taken over or claimed.
    func tellTime() {
        for runtime in tasks.running where !runtime.task.isClockKnown { runtime.task.advance(to: clock.wall()) }
        deliverLocalMessages()
    }

    /// The exchange goes first (R8); records below a position, or of partitions that are to be moved, are not used
    /// (R1).
    func process(_ batch: borrowing ConsumedBatch) throws(StreamFailure) {
        if batch.records.isEmpty && batch.ends.isEmpty { return }
        // Somebody may have begun to while these were waited for.
        lookForFollowers()
        let reader = batch.headerReader
        for runtime in tasks.all { runtime.task.context.headerReader = reader }
        defer { for runtime in tasks.all { runtime.task.context.headerReader = { _ in [] } } }
        try process(batch.records, exchange: true)
        try process(batch.records, exchange: false)
        for end in batch.ends {
            guard let cursor = cursor(topic: end.topic, partition: end.partition), !cursor.needsSeek else { continue }
            cursor.endSeen = end.offset
            // Moves over transaction markers, which no record tells of (R10).
            if end.offset > cursor.runtime.next(of: cursor) {
                cursor.runtime.task.positions.move(cursor.position, to: end.offset)
            }
        }
        handOverWhatIsTooMuch()
    }

    /// Fires a portion of the due timers of each task that has read what they wait for (R17).
    func punctuate() {
        tellTime()
        for runtime in tasks.running {
            let order = readThrough(of: runtime)
            runtime.task.punctuate(readThrough: order)
            deliverLocalMessages()
            if let due = runtime.task.nextDue(readThrough: order), due <= runtime.task.context.now {
                pace.noteTimersLeft()
            }
        }
    }

    /// The reading order up to which a task has read its sources to the stable ends seen at take-over; `nil` if it has
    /// read none, and not all of the exchange either. What forwards to it would come later than its timers.
    func readThrough(of runtime: TaskRuntime) -> Int? {
        if runtime.readThrough == .max { return .max }
        let unread = runtime.cursors.filter { runtime.next(of: $0) < $0.stageEnd || !isCompared($0) }
        let orders = unread.map { $0.source == TaskPositions.exchange ? Int.min : readingOrder(of: $0) }
        guard let first = orders.min() else {
            runtime.readThrough = .max
            return .max
        }
        if let since = runtime.runningSince, clock.monotonic() - since >= settings.restorePatience {
            runtime.readThrough = .max
            let partitions = unread.map(\.topicPartition).sorted()
            observer(.timersNoLongerWait(task: runtime.task.partition, unread: partitions))
            return .max
        }
        // Orders count from 0.
        if first > 0 { runtime.readThrough = max(runtime.readThrough ?? 0, first - 1) }
        return runtime.readThrough
    }

    private func process(_ records: [RecordView], exchange: Bool) throws(StreamFailure) {
        var start = 0
        while start < records.count {
            let first = records[start]
            var end = start + 1
            while end < records.count && records[end].isOfSamePartition(as: first) { end += 1 }
            if let cursor = cursor(topic: first.topic, partition: first.partition),
                (cursor.source == TaskPositions.exchange) == exchange
            {
                try process(records[start..<end], of: cursor)
            }
            start = end
        }
    }

    /// Records of one partition, in a row.
    private func process(_ records: ArraySlice<RecordView>, of cursor: PartitionCursor) throws(StreamFailure) {
        let task = cursor.runtime.task
        let isExchange = cursor.source == TaskPositions.exchange
        var last: RecordView?
        defer { if let last { cursor.note(last) } }
        var rest = records
        while !rest.isEmpty {
            let portion = rest.prefix(Self.prefetchedMax)
            rest = rest.dropFirst(Self.prefetchedMax)
            if !isExchange { task.prefetch(portion, source: cursor.source) }
            for record in portion {
                if cursor.needsSeek { continue }
                let next = task.positions.entries[cursor.position].next
                if record.offset < next {
                    positionChecks.suspectRecords()
                    continue
                }
                if last == nil {
                    if record.offset > next { note(jumpOf: cursor, from: next, to: record.offset) }
                    cursor.noteFirst(record)
                }
                if isExchange { try receive(record, cursor) } else { task.process(record, source: cursor.source) }
                task.positions.move(cursor.position, to: record.offset.next)
                last = record
                if !outbox.locals.isEmpty { deliverLocalMessages() }
            }
        }
    }

    /// So many records share their waits for memory.
    private static let prefetchedMax = 24

    /// The widest gap stays until it is looked at: others are no more than markers.
    private func note(jumpOf cursor: PartitionCursor, from next: Offset, to offset: Offset) {
        let width = cursor.jump.map { $0.to.rawValue - $0.from.rawValue } ?? 0
        if offset.rawValue - next.rawValue > width { cursor.jump = (next, offset) }
        positionChecks.suspectEnds()
    }

    /// A record of the exchange that cannot be read ends the thread: to pass over it would lose the input in it (R18).
    private func receive(_ record: RecordView, _ cursor: PartitionCursor) throws(StreamFailure) {
        guard let value = record.value else { return }
        do throws(CorruptBytes) {
            try cursor.runtime.task.receive(value)
        } catch {
            throw .unreadable(cursor.topicPartition, record.offset, error)
        }
    }

    /// The cursor of a running task that reads this partition.
    private func cursor(topic: Int32, partition: Partition) -> PartitionCursor? {
        cursors.find(topic: topic, partition: partition, topics: consumer.topics)
    }
}
