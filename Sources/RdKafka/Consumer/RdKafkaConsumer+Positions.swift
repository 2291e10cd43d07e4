import CRdKafka
import RecordLog

extension RdKafkaConsumer {
    /// A handle that is made asks for the topic's leaders at once. An assignment alone does not: librdkafka 2.0.2 looks
    /// for topics without leaders once a second, and asks for the earliest offset of one again after half a second.
    func expect(_ topics: [String]) {
        for topic in topics where expected[topic] == nil {
            expected[topic] = rd_kafka_topic_new(client.pointer, topic, nil)
        }
    }

    func seek(
        _ positions: [(TopicPartition, Offset)], timeout: Duration
    ) throws(LogError) -> [TopicPartition] {
        // When a partition moves while its beginning or end is asked for, and the answer comes after that, librdkafka
        // takes the answer for outdated, asks again after 500 ms, and goes on from there.
        let waiting = positions.map(\.0).filter(unplaced.contains)
        let positions = waiting.isEmpty ? positions : positions.filter { !unplaced.contains($0.0) }
        guard !positions.isEmpty else { return waiting }
        let list = PartitionList(capacity: positions.count)
        for (partition, offset) in positions { list.add(partition, offset: offset.rawValue) }
        // With no time-out librdkafka would not wait, and not tell what came of it.
        if let error = rd_kafka_seek_partitions(client.pointer, list.pointer, max(1, timeout.milliseconds)) {
            let failure = LogError(consuming: error)
            guard failure.code == .timedOut else { throw failure }
        }
        // `_STATE`: not being fetched yet; `_IN_PROGRESS`: no answer in time.
        return waiting + list.elements.filter { $0.err != RD_KAFKA_RESP_ERR_NO_ERROR }.map(\.topicPartition)
    }

    func committed(
        _ partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        guard group != nil else {
            throw LogError(.wrongState, name: "NO_GROUP", "a consumer without a group has no committed offsets")
        }
        guard !partitions.isEmpty else { return [:] }
        let list = PartitionList(partitions)
        let code = askingUntilSettled(within: timeout) {
            rd_kafka_committed(client.pointer, list.pointer, $0.milliseconds)
        }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw LogError(code, about: "committed offsets")
                .needing(Permission(.read, .group(group ?? "")), by: client.grants)
        }
        return try PartitionList.committedOffsets(in: list.elements)
    }

    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks {
        var low: Int64 = 0
        var high: Int64 = 0
        let code = askingUntilSettled(within: timeout) {
            rd_kafka_query_watermark_offsets(
                client.pointer, partition.topic, partition.partition.rawValue, &low, &high, $0.milliseconds)
        }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw LogError(code, about: "\(partition)")
                .needing(Permission(.describe, .topic(partition.topic)), by: client.grants)
        }
        return Watermarks(low: Offset(low), high: Offset(high))
    }

    func knownEnd(of partition: TopicPartition) -> Offset? {
        var low: Int64 = 0
        var high: Int64 = 0
        let code = rd_kafka_get_watermark_offsets(
            client.pointer, partition.topic, partition.partition.rawValue, &low, &high)
        // No offset stands for an end of which nothing was heard.
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, high >= 0 else { return nil }
        return Offset(high)
    }
}

extension PartitionList {
    /// - Throws: `unstableOffsets` and others, for the first partition that has an error instead of an answer.
    static func committedOffsets(
        in elements: UnsafeBufferPointer<Element>
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        var offsets: [TopicPartition: CommittedOffset] = [:]
        for element in elements {
            guard element.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw LogError(element.err, about: "committed offset of \(element.topicPartition)")
            }
            offsets[element.topicPartition] = element.committed
        }
        return offsets
    }
}
