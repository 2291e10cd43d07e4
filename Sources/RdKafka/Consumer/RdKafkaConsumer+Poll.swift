import CRdKafka
import RecordLog

extension RdKafkaConsumer {
    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch {
        precondition(maximum > 0 && !isClosed)
        noteMembership()
        rebalanced = false
        let buffer = takeBuffer(capacity: maximum)
        take(maximum, into: buffer)
        if buffer.count == 0, !rebalanced, failures.isEmpty, timeout > .zero {
            // One is waited for, since librdkafka would go on waiting for the others; then the rest is there as well.
            buffer.fill(from: queue, maximum: 1, timeout: timeout)
            if buffer.count > 0 { take(maximum, into: buffer) }
        }
        return batch(of: buffer)
    }

    private func take(_ maximum: Int, into buffer: MessageBuffer) {
        wakeUp.note(length: rd_kafka_queue_length(queue))
        buffer.fill(from: queue, maximum: maximum, timeout: .zero)
        keepFetching()
    }

    private func takeBuffer(capacity: Int) -> MessageBuffer {
        openBatches += 1
        guard let spare = spareMessages, spare.capacity >= capacity else { return MessageBuffer(capacity: capacity) }
        spareMessages = nil
        return spare
    }

    private func giveBack(_ buffer: MessageBuffer) {
        buffer.release()
        spareMessages = buffer
        openBatches -= 1
    }

    private func batch(of buffer: MessageBuffer) -> ConsumedBatch {
        var records = spareRecords
        spareRecords = []
        // Keeps its room unless the last batch is still held.
        records.removeAll(keepingCapacity: true)
        records.reserveCapacity(buffer.count)
        var ends: [PartitionEnd] = []
        var lastTopic: (handle: OpaquePointer, index: Int32)?

        for message in buffer.messages {
            guard let message, let handle = message.pointee.rkt else {
                if let message { failures.append(failure(in: message.pointee)) }
                continue
            }
            let topic: Int32
            if let lastTopic, lastTopic.handle == handle {
                topic = lastTopic.index
            } else {
                topic = topicIndex.index(of: handle, in: client)
                lastTopic = (handle, topic)
            }
            let partition = Partition(message.pointee.partition)
            if !unplaced.isEmpty { unplaced.remove(TopicPartition(topics[Int(topic)], partition)) }
            switch message.pointee.err {
            case RD_KAFKA_RESP_ERR_NO_ERROR:
                if !ends.isEmpty { ends.removeAll { $0.topic == topic && $0.partition == partition } }
                records.append(RecordView(message, topic: topic))
            case RD_KAFKA_RESP_ERR__PARTITION_EOF:
                ends.append(PartitionEnd(topic: topic, partition: partition, offset: Offset(message.pointee.offset)))
            default:
                failures.append(failure(in: message.pointee))
            }
        }

        spareRecords = records
        defer { failures = [] }
        return ConsumedBatch(
            records: records, ends: ends, failures: failures, rebalanced: rebalanced,
            headers: MessageBuffer.headers(of:), release: { self.giveBack(buffer) })
    }

    /// An event that is no record: `_MAX_POLL_EXCEEDED` (the group takes the partitions away; `lost` follows), a topic
    /// that is gone, missing rights, and so on.
    private func failure(in message: rd_kafka_message_t) -> LogError {
        let bytes = UnsafeRawBufferPointer(start: message.payload, count: message.payload == nil ? 0 : message.len)
        let topic = message.rkt.map { String(cString: rd_kafka_topic_name($0)) }
        let subject = topic.map { "\($0)[\(message.partition)]" }
        let error = LogError(message.err, String(decoding: bytes, as: UTF8.self), about: subject)
        if let topic { return error.needing(Permission(.read, .topic(topic)), by: client.grants) }
        guard let group, message.err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED else { return decisive(error) }
        return error.needing(Permission(.read, .group(group)), by: client.grants)
    }
}

extension RecordView {
    /// Borrows the bytes of a message; librdkafka gives NULL for a missing key and a tombstone, and an address for
    /// empty ones.
    @inline(__always)
    fileprivate init(_ message: MessageBuffer.Message, topic: Int32) {
        let fields = message.pointee
        var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        self.init(
            topic: topic, partition: Partition(fields.partition), offset: Offset(fields.offset),
            timestamp: Self.instant(rd_kafka_message_timestamp(message, &type)),
            key: fields.key.map { UnsafeRawBufferPointer(start: $0, count: fields.key_len) },
            value: fields.payload.map { UnsafeRawBufferPointer(start: $0, count: fields.len) },
            handle: UnsafeMutableRawPointer(message))
    }

    /// A producer may date a record as it likes, and an old broker takes it: what lies beyond the year 9999, or as far
    /// before 1970, is no date that could be reckoned with.
    @inline(__always)
    private static func instant(_ milliseconds: Int64) -> Instant {
        milliseconds.magnitude <= Instant.writable.upperBound.magnitude
            ? Instant(milliseconds: milliseconds) : .noTimestamp
    }
}
