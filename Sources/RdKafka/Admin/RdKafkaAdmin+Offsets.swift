import CRdKafka
import RecordLog

extension RdKafkaAdmin {
    func deleteRecords(before offsets: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) {
        guard !offsets.isEmpty else { return }
        serveEvents()
        let list = PartitionList(capacity: offsets.count)
        for (partition, offset) in offsets { list.add(partition, offset: offset.rawValue) }
        let request = try AdminRequest(
            client, RD_KAFKA_ADMIN_OP_DELETERECORDS, name: "DeleteRecords", timeout: timeout)
        try request.waitForCompletion()
        var records = [rd_kafka_DeleteRecords_new(list.pointer)]
        defer { rd_kafka_DeleteRecords_destroy_array(&records, records.count) }
        rd_kafka_DeleteRecords(client.pointer, &records, records.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_DeleteRecords_result(answer.event)
        guard let outcomes = rd_kafka_DeleteRecords_result_offsets(result) else { return }
        for outcome in PartitionList.elements(of: PartitionList.Pointer(mutating: outcomes)) {
            guard outcome.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw LogError(outcome.err, about: "deleting records of \(outcome.topicPartition)")
                    .needing(Permission(.delete, .topic(outcome.topicPartition.topic)))
            }
        }
    }

    /// In one request per leader, whatever the number of partitions.
    func endOffsets(
        of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        guard !partitions.isEmpty else { return [:] }
        serveEvents()
        let reader = try reader(isolation: isolation)
        let list = PartitionList(partitions)
        let code = askingUntilSettled(within: timeout) { left in
            // A logical offset in place of a time asks the broker for that place itself.
            for index in list.elements.indices {
                list.pointer.pointee.elems[index].offset = StartOffset.latest.logical
            }
            return rd_kafka_offsets_for_times(reader.pointer, list.pointer, left.milliseconds)
        }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code, about: "end offsets") }
        var ends: [TopicPartition: Offset] = [:]
        for element in list.elements {
            guard element.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw LogError(element.err, about: "end offset of \(element.topicPartition)")
                    .needing(Permission(.describe, .topic(element.topicPartition.topic)))
            }
            precondition(element.offset >= 0, "a partition has an end")
            ends[element.topicPartition] = Offset(element.offset)
        }
        return ends
    }

    func committedOffsets(
        group: String, partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        guard !partitions.isEmpty else { return [:] }
        // Asked by a handle of the group that never joins: librdkafka 2.0.2 crashes in ListConsumerGroupOffsets while
        // the group's coordinator starts.
        let reader = try RdKafkaCluster(settings).makeConsumer(
            group: group, isolation: .readCommitted, clientId: Self.clientId)
        defer { reader.close() }
        return try reader.committed(partitions, timeout: timeout)
    }
}
