package import RecordLog
import StreamCore

extension StreamThread {
    /// Gives all tasks the time of this iteration.
    func readClock() -> Instant {
        let now = clock.wall()
        for (_, runtime) in tasks.sorted(by: { $0.key < $1.key }) { runtime.task.advance(to: now) }
        // What they say to a clock that went back.
        deliverLocalMessages()
        return now
    }

    /// The exchange goes first (R8); records below a position, or of partitions that are to be moved, are not used
    /// (R1).
    func process(_ batch: borrowing ConsumedBatch) throws(StreamFailure) {
        if batch.records.isEmpty && batch.ends.isEmpty { return }
        let reader = batch.headerReader
        for runtime in tasks.values { runtime.task.context.headerReader = reader }
        defer { for runtime in tasks.values { runtime.task.context.headerReader = { _ in [] } } }
        process(batch.records, exchange: true)
        process(batch.records, exchange: false)
        for end in batch.ends {
            guard let cursor = cursor(topic: end.topic, partition: end.partition), !cursor.needsSeek else { continue }
            // Moves over transaction markers, which no record tells of (R10).
            if end.offset > cursor.runtime.next(of: cursor) {
                cursor.runtime.task.positions.move(cursor.position, to: end.offset)
            }
        }
        let waiting = runningTasks.reduce(exchangeOutputs.bytes.count) { $0 + $1.task.context.outputs.bytes.count }
        if waiting > settings.outputBytesMax { try handOver() }
    }

    func punctuate() throws(StreamFailure) {
        for runtime in runningTasks {
            runtime.task.punctuate()
            deliverLocalMessages()
        }
    }

    private func process(_ records: [RecordView], exchange: Bool) {
        var topic: Int32 = -1
        var partition: Partition = -1
        var current: PartitionCursor?
        var timestamp: Instant?
        defer { if let timestamp { current?.lastTimestamp = timestamp } }
        for record in records {
            if record.topic != topic || record.partition != partition {
                if let timestamp { current?.lastTimestamp = timestamp }
                topic = record.topic
                partition = record.partition
                current = cursor(topic: topic, partition: partition)
                timestamp = nil
            }
            guard let cursor = current, (cursor.source == TaskPositions.exchange) == exchange else { continue }
            let task = cursor.runtime.task
            if cursor.needsSeek || record.offset < task.positions.entries[cursor.position].next { continue }
            if exchange { receive(record, cursor) } else { task.process(record, source: cursor.source) }
            task.positions.move(cursor.position, to: record.offset.next)
            timestamp = record.timestamp
            if !localMessages.isEmpty { deliverLocalMessages() }
        }
    }

    private func receive(_ record: RecordView, _ cursor: PartitionCursor) {
        guard let value = record.value else { return }
        do throws(CorruptBytes) {
            try cursor.runtime.task.receive(value)
        } catch {
            observer(.corruptRecord(cursor.topicPartition, record.offset, error.description))
        }
    }

    /// The cursor of a running task that reads this partition.
    private func cursor(topic: Int32, partition: Partition) -> PartitionCursor? {
        let index = Int(topic)
        while cursorTable.count <= index {
            let name = consumer.topics[cursorTable.count]
            let ofTopic = cursors.values.filter { $0.topicPartition.topic == name }
            let count = ofTopic.map(\.topicPartition.partition).max().map { Int($0) + 1 } ?? 0
            var row: [PartitionCursor?] = Array(repeating: nil, count: count)
            for cursor in ofTopic { row[Int(cursor.topicPartition.partition)] = cursor }
            cursorTable.append(row)
        }
        let row = cursorTable[index]
        return Int(partition) < row.count ? row[Int(partition)] : nil
    }
}

/// Between every pair of tasks messages stay first-in-first-out: within the thread only once the receiver's exchange
/// position has passed everything that may have been sent to it before (DESIGN.md, "Local delivery").
extension StreamThread: MessageRouter {
    package func route(_ envelope: [UInt8], key: UnsafeRawBufferPointer, to partition: Partition) {
        if let target = tasks[partition], canDeliverLocally(to: target) {
            localMessages.append(LocalMessage(partition: partition, envelope: envelope))
            return
        }
        envelope.withUnsafeBytes {
            exchangeOutputs.append(topic: settings.exchangeTopic, partition: partition, key: key, value: $0)
        }
        sentThroughExchange.insert(partition)
    }

    private func canDeliverLocally(to target: TaskRuntime) -> Bool {
        guard target.isRunning, !sentThroughExchange.contains(target.task.partition) else { return false }
        if target.localBarrier == nil, let exchange = target.exchange {
            attempt("asking for the exchange's end") { () throws(LogError) in
                let watermarks = try probe.watermarks(of: exchange.topicPartition, timeout: settings.callTimeout)
                target.localBarrier = watermarks.high
            }
        }
        guard let barrier = target.localBarrier else { return false }
        return target.exchangeNext >= barrier
    }

    /// - Returns: whether there was any.
    @discardableResult
    func deliverLocalMessages() -> Bool {
        if localMessages.isEmpty { return false }
        var index = 0
        while index < localMessages.count {
            let message = localMessages[index]
            index += 1
            guard let target = tasks[message.partition] else {
                preconditionFailure("A task that messages were sent to stays until the transaction ends.")
            }
            message.envelope.withUnsafeBytes { bytes in
                do throws(CorruptBytes) {
                    try target.task.receive(bytes)
                } catch {
                    preconditionFailure("A message of this thread cannot be read: \(error)")
                }
            }
        }
        localMessages.removeAll(keepingCapacity: true)
        return true
    }
}
