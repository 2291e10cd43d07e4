import CRdKafka
import RecordLog

/// An idempotent producer on librdkafka, for throughput.
final class RdKafkaPlainProducer: PlainProducer {
    private let client: ClientHandle
    /// Holds librdkafka's topics; released before `client` is destroyed.
    private var writer: RecordWriter
    /// The failure of an earlier record, which no call has thrown yet.
    private var firstFailure: LogError?
    private var written = 0
    private var isClosed = false

    /// After that `produce` throws `queueFull`; the caller may try again.
    private static let roomTimeout = Duration.seconds(10)

    init(_ client: ClientHandle) {
        self.client = client
        writer = RecordWriter(client)
        client.callbacks.undelivered = { [unowned self] in
            if firstFailure == nil { firstFailure = LogError(undelivered: $0.pointee, by: client.grants) }
        }
    }

    deinit {
        close()
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(LogError) {
        // Failures arrive only when events are served; not for each record, which would cost as much as producing it.
        written += 1
        if written & 1023 == 0 { rd_kafka_poll(client.pointer, 0) }
        try throwFailure()
        do {
            try writer.write(
                topic: topic, partition: partition, key: key, value: value, headers: headers,
                roomWithin: Self.roomTimeout)
        } catch {
            throw client.fatalFailure?.error ?? error.error
        }
    }

    func unacknowledged() throws(LogError) -> Int {
        rd_kafka_poll(client.pointer, 0)
        try throwFailure()
        return Int(rd_kafka_outq_len(client.pointer))
    }

    func flush(timeout: Duration) throws(LogError) {
        let code = rd_kafka_flush(client.pointer, timeout.milliseconds)
        try throwFailure()
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw LogError(code, "\(rd_kafka_outq_len(client.pointer)) records are not acknowledged yet")
        }
    }

    /// What was not flushed is dropped.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        let everything = RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING
        rd_kafka_purge(client.pointer, everything)
        writer.release()
        client.destroy()
    }

    private func throwFailure() throws(LogError) {
        guard let failure = firstFailure else { return }
        firstFailure = nil
        throw failure
    }
}
