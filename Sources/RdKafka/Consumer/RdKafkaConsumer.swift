import CRdKafka
import RecordLog

/// A consumer on librdkafka: of a group, of partitions assigned by hand, or both.
final class RdKafkaConsumer: Consumer {
    let client: ClientHandle
    let group: String?
    /// The name of a static member (KIP-345).
    let instance: String?
    /// Events of the group, of all partitions, and errors, in one queue. Given back before `client` is destroyed.
    let queue: OpaquePointer

    /// Holds librdkafka's topics; given back before `client` is destroyed.
    var topicIndex = TopicIndex()
    var topics: [String] { topicIndex.names }
    /// By name; given back before `client` is destroyed, too.
    var expected: [String: OpaquePointer] = [:]

    var listener: (any RebalanceListener)?
    /// What the callbacks of the current poll left for its batch.
    var rebalanced = false
    var failures: [LogError] = []
    /// Assigned at a place that a broker is asked for, and nothing has come of them yet: see `seek`.
    var unplaced: Set<TopicPartition> = []
    /// True if the listener has changed the assignment, as it must before it returns.
    var assignmentChanged = false
    private var hasSubscribed = false
    /// See `close`.
    var wasAssigned = false
    private var wasMember = false

    /// Used again for the next batch when the last one has ended.
    var spareMessages: MessageBuffer?
    var spareRecords: [RecordView] = []
    var openBatches = 0
    var wakeUp = FetchWakeUp()

    private(set) var isClosed = false

    init(_ client: ClientHandle, group: String?, instance: String? = nil) {
        self.client = client
        self.group = group
        self.instance = instance
        // Errors and statistics, too, come through the queue that `poll` serves.
        rd_kafka_poll_set_consumer(client.pointer)
        guard let queue = rd_kafka_queue_get_consumer(client.pointer) else {
            preconditionFailure("a consumer with a group id has a queue")
        }
        self.queue = queue
        client.callbacks.failed = { [unowned self] in failures.append(decisive($0)) }
        client.callbacks.rebalance = { [unowned self] in rebalance($0, $1) }
    }

    deinit {
        if !isClosed { release(leaving: hasSubscribed && !wasAssigned ? .undestroyed : .nothing) }
    }

    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        precondition(group != nil, "A consumer without a group cannot subscribe.")
        try checkGroupMetadata()
        self.listener = listener
        hasSubscribed = true
        let list = PartitionList(capacity: 1)
        list.add(TopicPartition(topic, -1))
        let code = rd_kafka_subscribe(client.pointer, list.pointer)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code, about: "subscribing to \(topic)") }
    }

    /// The error that says why: after a fatal one librdkafka calls all that follows `_FATAL`.
    func decisive(_ error: LogError) -> LogError {
        guard error.code == .fatal, let (code, failure) = client.fatalFailure else { return error }
        guard code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, let group, let instance else { return failure }
        var fenced = LogError(
            .fatal, name: failure.name,
            "another process has joined the group \(group) as instance \(instance), and this one is out: give each"
                + " process an instance of its own, or none")
        fenced.isRetriable = false
        return fenced
    }

    // MARK: - Closing

    /// Leaves the group; every batch must have ended. A static member does not leave: the group keeps its partitions
    /// for it until its session times out.
    ///
    /// librdkafka 2.0.2 aborts the process when a cooperative consumer is destroyed between the answers to its first
    /// JoinGroup and SyncGroup, closed before or not: its assignor has no state to free yet. In that time it would not
    /// leave the group either (DESIGN, R12). So a first assignment that is on its way is waited for, and given
    /// back without the listener hearing of it. A coordinator that comes back has forgotten a member that was in
    /// between, and the assignor has still no state.
    func close() { close(waiting: .seconds(5)) }

    func close(waiting patience: Duration) {
        guard !isClosed else { return }
        precondition(openBatches == 0, "Batches own bytes of their consumer: let them end before it is closed.")
        if hasSubscribed, !wasAssigned { awaitAssignment(within: patience) }
        if wasAssigned {
            isClosing = true
            rd_kafka_consumer_close(client.pointer)
        }
        noteMembership()
        release(leaving: hasSubscribed && !wasAssigned && wasMember ? .undestroyed : .nothing)
    }

    /// See `rebalance`.
    private(set) var isClosing = false

    private func awaitAssignment(within patience: Duration) {
        listener = nil
        let deadline = ContinuousClock.now + patience
        let unread = MessageBuffer(capacity: 1)
        while !wasAssigned, ContinuousClock.now < deadline {
            unread.fill(from: queue, maximum: 1, timeout: .milliseconds(100))
            unread.release()
            noteMembership()
        }
    }

    /// To be called before the first assignment now and then: who was a member once may have no id any more.
    func noteMembership() {
        if hasSubscribed && !wasAssigned && !wasMember { wasMember = isMember }
    }

    /// The coordinator has answered a JoinGroup.
    private var isMember: Bool {
        guard let identifier = rd_kafka_memberid(client.pointer) else { return false }
        defer { rd_kafka_mem_free(client.pointer, identifier) }
        return identifier.pointee != 0
    }

    private enum Remainder {
        case nothing
        /// The instance itself, until the process ends.
        case undestroyed
    }

    private func release(leaving remainder: Remainder) {
        isClosed = true
        listener = nil
        spareMessages = nil
        topicIndex.release()
        for handle in expected.values { rd_kafka_topic_destroy(handle) }
        expected = [:]
        rd_kafka_queue_destroy(queue)
        switch remainder {
        case .nothing: client.destroy()
        case .undestroyed: client.abandon()
        }
    }
}
