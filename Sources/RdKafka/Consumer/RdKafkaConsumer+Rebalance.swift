import CRdKafka
import RecordLog

extension RdKafkaConsumer {
    /// Called by librdkafka inside `poll` and `close`, on their thread. The group waits for it to return, and for the
    /// assignment to have been changed by then, even by nothing.
    func rebalance(_ code: rd_kafka_resp_err_t, _ list: PartitionList.Pointer) {
        rebalanced = true
        assignmentChanged = false
        let partitions = PartitionList.elements(of: list).map(\.topicPartition)
        switch code {
        case RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS:
            wasAssigned = true
            listener?.assigned(partitions)
            if !assignmentChanged {
                precondition(partitions.isEmpty || listener == nil, "The listener must assign what it is given.")
                note(rd_kafka_incremental_assign(client.pointer, list))
            }
        case RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS:
            if rd_kafka_assignment_lost(client.pointer) != 0 {
                listener?.lost(partitions)
            } else {
                listener?.revoked(partitions)
            }
            if !assignmentChanged {
                precondition(partitions.isEmpty || listener == nil, "The listener must give up what it is told to.")
                note(rd_kafka_incremental_unassign(client.pointer, list))
            }
        default:
            // The header allows for other errors, after which everything is to be given up.
            failures.append(LogError(code, about: "rebalance"))
            listener?.lost(partitions)
            rd_kafka_assign(client.pointer, nil)
        }
        // Lets a poll that waits for records return now. Not while closing: librdkafka would take it for the end.
        if !isClosing { rd_kafka_queue_yield(queue) }
    }

    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        expect(partitions.map(\.0.topic))
        let list = PartitionList(capacity: partitions.count)
        for (partition, start) in partitions { list.add(partition, offset: start.logical) }
        assignmentChanged = true
        try client.check(rd_kafka_incremental_assign(client.pointer, list.pointer))
        for (partition, start) in partitions where start.isAskedFor { unplaced.insert(partition) }
    }

    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        assignmentChanged = true
        unplaced.subtract(partitions)
        let list = PartitionList(partitions)
        try client.check(rd_kafka_incremental_unassign(client.pointer, list.pointer))
    }

    private func note(_ error: OpaquePointer?) {
        if let error { failures.append(LogError(consuming: error)) }
    }
}
