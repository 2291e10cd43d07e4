import CRdKafka
import Glibc
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
                    .needing(Permission(.delete, .topic(outcome.topicPartition.topic)), by: client.grants)
            }
        }
    }

    /// In one request per leader, whatever the number of partitions.
    func endOffsets(
        of partitions: [TopicPartition], isolation: IsolationLevel, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        try offsets(of: partitions, at: StartOffset.latest, isolation, timeout)
    }

    /// In one request per leader, whatever the number of partitions.
    func startOffsets(of partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition: Offset] {
        try offsets(of: partitions, at: StartOffset.earliest, .readUncommitted, timeout)
    }

    func offsets(
        of partitions: [TopicPartition], at instant: Instant, timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        precondition(instant.milliseconds >= 0, "librdkafka takes a negative time for the name of a place.")
        // Without a record of that time or a later one the answer is no offset.
        var found = try offsets(
            of: partitions, asking: instant.milliseconds, instant.rfc3339, .readUncommitted, timeout)
        let ends = try endOffsets(
            of: partitions.filter { found[$0] == nil }, isolation: .readUncommitted, timeout: timeout)
        found.merge(ends) { $1 }
        return found
    }

    private func offsets(
        of partitions: [TopicPartition], at place: StartOffset, _ isolation: IsolationLevel, _ timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        let offsets = try offsets(of: partitions, asking: place.logical, "\(place)", isolation, timeout)
        precondition(offsets.count == partitions.count, "a partition has a beginning and an end")
        return offsets
    }

    /// - Parameter value: a time in milliseconds, or a logical offset, which asks the broker for that place itself.
    private func offsets(
        of partitions: [TopicPartition], asking value: Int64, _ name: String, _ isolation: IsolationLevel,
        _ timeout: Duration
    ) throws(LogError) -> [TopicPartition: Offset] {
        guard !partitions.isEmpty else { return [:] }
        serveEvents()
        let reader = try reader(isolation: isolation)
        let list = PartitionList(partitions)
        try askLeaders(of: Set(partitions.map(\.topic)), with: reader, list, timeout) { left in
            for index in list.elements.indices {
                list.pointer.pointee.elems[index].offset = value
            }
            return rd_kafka_offsets_for_times(reader.pointer, list.pointer, left.milliseconds)
        }
        var ends: [TopicPartition: Offset] = [:]
        for element in list.elements {
            guard element.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw LogError(element.err, about: "\(name) offset of \(element.topicPartition)")
                    .needing(Permission(.describe, .topic(element.topicPartition.topic)), by: client.grants)
            }
            if element.offset >= 0 { ends[element.topicPartition] = Offset(element.offset) }
        }
        return ends
    }

    /// Asks the partitions' leaders, again and again within the time while they move.
    ///
    /// librdkafka 2.0.2 takes the leaders from its cache, which a handle that reads no topics renews every 15 minutes.
    /// So after a failure that a leader explains, the handle asks where the leaders are now.
    private func askLeaders(
        of topics: Set<String>, with reader: ClientHandle, _ list: borrowing PartitionList, _ timeout: Duration,
        _ query: (_ left: Duration) -> rd_kafka_resp_err_t
    ) throws(LogError) {
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = max(deadline - .now, .zero)
            // A leader that has gone never answers: there must be time for its successor.
            let code = query(min(left, max(timeout / 3, .milliseconds(200))))
            let codes = [code] + list.elements.map { $0.err }
            guard codes.contains(where: { $0.isOfMovedLeader || $0.isTransient }),
                ContinuousClock.now + .milliseconds(50) < deadline
            else {
                if code == RD_KAFKA_RESP_ERR_NO_ERROR { return }
                var failure = LogError(code, about: "offsets of partitions")
                // Brokers that have just come back do not know every partition's leader yet.
                failure.isRetriable = failure.isRetriable || code.isOfMovedLeader
                throw failure
            }
            // Whether it is answered or not, the leaders are asked again.
            _ = try? reader.topics(named: topics.sorted(), timeout: max(deadline - .now, .milliseconds(1)))
            usleep(20_000)
        }
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

extension rd_kafka_resp_err_t {
    /// True if another broker may lead the partition than the one that was asked.
    fileprivate var isOfMovedLeader: Bool {
        switch self {
        case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH,
            RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH, RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
            RD_KAFKA_RESP_ERR__WAIT_CACHE:
            true
        default: false
        }
    }
}
