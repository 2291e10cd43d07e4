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
        serveEvents()
        let request = try AdminRequest(
            client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, name: "ListConsumerGroupOffsets", timeout: timeout)
        try client.check(rd_kafka_AdminOptions_set_require_stable_offsets(request.options, 1))
        let list = PartitionList(partitions)
        var groups = [rd_kafka_ListConsumerGroupOffsets_new(group, list.pointer)]
        defer { rd_kafka_ListConsumerGroupOffsets_destroy_array(&groups, groups.count) }
        rd_kafka_ListConsumerGroupOffsets(client.pointer, &groups, groups.count, request.options, request.queue)

        let answer = try request.answer()
        let result = rd_kafka_event_ListConsumerGroupOffsets_result(answer.event)
        var offsets: [TopicPartition: CommittedOffset] = [:]
        for outcome in elements({ rd_kafka_ListConsumerGroupOffsets_result_groups(result, $0) }) {
            if let error = rd_kafka_group_result_error(outcome) { throw LogError(describing: error) }
            guard let list = rd_kafka_group_result_partitions(outcome) else { continue }
            let found = PartitionList.elements(of: PartitionList.Pointer(mutating: list))
            try offsets.merge(PartitionList.committedOffsets(in: found)) { $1 }
        }
        return offsets
    }
}
