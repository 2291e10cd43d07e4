import CRdKafka
import RecordLog

/// A transactional, hence idempotent, producer on librdkafka.
final class RdKafkaTransactionalProducer: TransactionalProducer {
    let transactionalId: String
    private let client: ClientHandle
    /// Holds librdkafka's topics; released before `client` is destroyed.
    private var writer: RecordWriter
    /// The first record of the open transaction that was given up: says more than the transaction's own error.
    private var firstFailure: LogError?
    private var isDestroyed = false

    init(_ client: ClientHandle, transactionalId: String) {
        self.client = client
        self.transactionalId = transactionalId
        writer = RecordWriter(client)
        client.callbacks.undelivered = { [unowned self] in
            if firstFailure == nil { firstFailure = LogError(undelivered: $0.pointee, by: client.grants) }
        }
    }

    deinit {
        destroy()
    }

    func initialise(timeout: Duration) throws(TransactionError) {
        guard let error = rd_kafka_init_transactions(client.pointer, timeout.milliseconds) else { return }
        throw TransactionError(
            consuming: error, of: client, needs: client.grants.permission(forTransactionalId: transactionalId))
    }

    func begin() throws(TransactionError) {
        // Serves what came between transactions, so that it is not taken for this one's.
        rd_kafka_poll(client.pointer, 0)
        firstFailure = nil
        try check(rd_kafka_begin_transaction(client.pointer))
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError) {
        do {
            try writer.write(
                topic: topic, partition: partition, key: key, value: value, headers: headers,
                roomWithin: Self.roomTimeout)
        } catch {
            rd_kafka_poll(client.pointer, 0)
            if error.error.code == .wrongState { awaitFirstFailure() }
            let cause = error.error.refusing(
                RefusedRecord(topic: topic, key: key, bytes: Self.size(of: key, value, headers)))
            throw TransactionError(refused: error.code, firstFailure ?? cause, of: client)
        }
    }

    private static func size(
        of key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?, _ headers: [Header]
    ) -> Int {
        headers.reduce((key?.count ?? 0) + (value?.count ?? 0)) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
    }

    /// One wait for room in a full queue: the caller repeats the call until its own deadline.
    private static let roomTimeout = Duration.milliseconds(500)

    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError) {
        guard let group = group as? RdKafkaGroupMetadata else {
            preconditionFailure("Group metadata must come from a consumer of the same cluster.")
        }
        let list = PartitionList(capacity: offsets.count)
        for (partition, committed) in offsets {
            list.add(partition, offset: committed.next.rawValue, metadata: committed.metadata)
        }
        try check(
            rd_kafka_send_offsets_to_transaction(
                client.pointer, list.pointer, group.pointer, timeout.milliseconds))
    }

    func commit(timeout: Duration) throws(TransactionError) {
        try check(rd_kafka_commit_transaction(client.pointer, timeout.milliseconds))
    }

    func abort(timeout: Duration) throws(TransactionError) {
        try check(rd_kafka_abort_transaction(client.pointer, timeout.milliseconds))
    }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        client.giveUpRecords()
        writer.release()
        client.destroy()
    }

    private func check(_ error: OpaquePointer?) throws(TransactionError) {
        guard let error else { return }
        let failure = TransactionError(consuming: error, of: client)
        guard case .abortable(let cause) = failure else { throw failure }
        if [.recordTooLarge, .wrongState].contains(cause.code) { awaitFirstFailure() }
        throw .abortable(firstFailure ?? cause)
    }

    /// librdkafka fails the transaction a moment before it queues the report that names the record: a call in between
    /// is told that the record was too large, or that the transaction's state is wrong.
    private func awaitFirstFailure() {
        let end = ContinuousClock.now + Self.reportTimeout
        while firstFailure == nil && ContinuousClock.now < end { rd_kafka_poll(client.pointer, 10) }
    }

    private static let reportTimeout = Duration.milliseconds(500)
}

extension LogError {
    /// The reason why a record was given up; `nil` if the program itself gave it up, by abort or destroy.
    init?(undelivered message: rd_kafka_message_t, by grants: Grants) {
        let code = message.err
        if code == RD_KAFKA_RESP_ERR__PURGE_QUEUE || code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT { return nil }
        let topic = message.rkt.map { String(cString: rd_kafka_topic_name($0)) } ?? ""
        let key = message.key.map { UnsafeRawBufferPointer(start: $0, count: message.key_len) }
        self = LogError(code, about: "producing to \(topic)[\(message.partition)]")
            .needing(Permission(.write, .topic(topic)), by: grants)
            .refusing(RefusedRecord(topic: topic, key: key, bytes: message.key_len + message.len))
    }
}
