import CRdKafka
import RecordLog

/// A consumer on librdkafka: of a group, of partitions assigned by hand, or both.
final class RdKafkaConsumer: Consumer {
    let client: ClientHandle
    let group: String?
    /// Events of the group, of all partitions, and errors, in one queue. Given back before `client` is destroyed.
    let queue: OpaquePointer

    /// Holds librdkafka's topics; given back before `client` is destroyed.
    var topicIndex = TopicIndex()
    var topics: [String] { topicIndex.names }

    var listener: (any RebalanceListener)?
    /// What the callbacks of the current poll left for its batch.
    var rebalanced = false
    var failures: [LogError] = []
    /// Whether the listener has changed the assignment, as it must before it returns.
    var assignmentChanged = false
    /// Closing before the first assignment crashed librdkafka 2.0.2 in 4 runs of 80 (DESIGN, rule 12).
    var wasAssigned = false

    /// Used again for the next batch when the last one has ended.
    var spareMessages: MessageBuffer?
    var spareRecords: [RecordView] = []
    var openBatches = 0

    private(set) var isClosed = false

    init(_ client: ClientHandle, group: String?) {
        self.client = client
        self.group = group
        // Errors and statistics, too, come through the queue that `poll` serves.
        rd_kafka_poll_set_consumer(client.pointer)
        guard let queue = rd_kafka_queue_get_consumer(client.pointer) else {
            preconditionFailure("a consumer with a group id has a queue")
        }
        self.queue = queue
        client.callbacks.failed = { [unowned self] in failures.append($0) }
        client.callbacks.rebalance = { [unowned self] in rebalance($0, $1) }
    }

    deinit {
        if !isClosed { release() }
    }

    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        precondition(group != nil, "A consumer without a group cannot subscribe.")
        self.listener = listener
        let list = PartitionList(capacity: 1)
        list.add(TopicPartition(topic, -1))
        let code = rd_kafka_subscribe(client.pointer, list.pointer)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code, about: "subscribing to \(topic)") }
    }

    /// Leaves the group if it was ever given something to give up; else ends without a word, and the group finds out
    /// by the session time-out. Every batch must have ended.
    func close() {
        guard !isClosed else { return }
        precondition(openBatches == 0, "Batches own bytes of their consumer: let them end before it is closed.")
        if wasAssigned {
            isClosing = true
            rd_kafka_consumer_close(client.pointer)
        }
        release()
    }

    /// See `rebalance`.
    private(set) var isClosing = false

    private func release() {
        isClosed = true
        spareMessages = nil
        topicIndex.release()
        rd_kafka_queue_destroy(queue)
        client.destroy()
        listener = nil
    }
}
