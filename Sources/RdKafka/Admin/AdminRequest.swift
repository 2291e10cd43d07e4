import CRdKafka
import RecordLog

/// One request of librdkafka's Admin API, which answers through a queue.
struct AdminRequest: ~Copyable {
    let options: OpaquePointer
    let queue: OpaquePointer
    private let client: ClientHandle
    private let name: String
    private let timeout: Duration

    /// - Parameter name: of what is asked, for errors.
    init(
        _ client: ClientHandle, _ operation: rd_kafka_admin_op_t, name: String, timeout: Duration
    ) throws(LogError) {
        guard let options = rd_kafka_AdminOptions_new(client.pointer, operation),
            let queue = rd_kafka_queue_new(client.pointer)
        else { preconditionFailure("librdkafka is out of memory") }
        self.options = options
        self.queue = queue
        self.client = client
        self.name = name
        self.timeout = timeout
        try set(rd_kafka_AdminOptions_set_request_timeout)
    }

    deinit {
        rd_kafka_AdminOptions_destroy(options)
        rd_kafka_queue_destroy(queue)
    }

    /// Lets the broker itself wait that long, too, for what it does to reach the other brokers.
    borrowing func waitForCompletion() throws(LogError) {
        try set(rd_kafka_AdminOptions_set_operation_timeout)
    }

    /// Lets the broker only say what it would answer.
    borrowing func validateOnly() throws(LogError) {
        let (code, text) = withErrorText { rd_kafka_AdminOptions_set_validate_only(options, 1, $0, $1) }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code, text, about: name) }
    }

    private borrowing func set(
        _ option: (OpaquePointer?, Int32, UnsafeMutablePointer<CChar>?, Int) -> rd_kafka_resp_err_t
    ) throws(LogError) {
        let (code, text) = withErrorText { option(options, max(1, timeout.milliseconds), $0, $1) }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw LogError(code, text, about: name) }
    }

    /// The answer to the request that was sent with `options` and `queue`.
    borrowing func answer() throws(LogError) -> AdminAnswer {
        // librdkafka answers by itself when the time is up; the second covers what lies between the two clocks.
        guard let event = rd_kafka_queue_poll(queue, (timeout + .seconds(1)).milliseconds) else {
            throw LogError(RD_KAFKA_RESP_ERR__TIMED_OUT, about: name)
        }
        let answer = AdminAnswer(event)
        let code = rd_kafka_event_error(event)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw LogError(code, String(cString: rd_kafka_event_error_string(event)), about: name)
        }
        return answer
    }
}

/// Owns the answer to a request; what is read from it lives as long as it does.
struct AdminAnswer: ~Copyable {
    let event: OpaquePointer

    init(_ event: OpaquePointer) {
        self.event = event
    }

    deinit {
        rd_kafka_event_destroy(event)
    }
}

/// An array as librdkafka returns them: a pointer to pointers, the count through a parameter.
func elements(
    _ read: (UnsafeMutablePointer<Int>) -> UnsafeMutablePointer<OpaquePointer?>?
) -> [OpaquePointer] {
    var count = 0
    let start = read(&count)
    return UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).compactMap { $0 }
}
