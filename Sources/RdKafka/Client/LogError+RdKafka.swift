import CRdKafka
import Glibc
import RecordLog

extension LogError {
    /// - Parameter message: what librdkafka or the caller knows beyond the code's own description.
    init(_ code: rd_kafka_resp_err_t, _ message: String? = nil, about subject: String? = nil) {
        let text = message.flatMap { $0.isEmpty ? nil : $0 } ?? String(cString: rd_kafka_err2str(code))
        self.init(
            Code(code), name: String(cString: rd_kafka_err2name(code)), subject.map { "\($0): \(text)" } ?? text,
            isRetriable: code.isTransient)
    }

    /// Takes over the error object and destroys it.
    init(consuming error: OpaquePointer) {
        self.init(describing: error)
        rd_kafka_error_destroy(error)
    }

    /// Leaves the error object to its owner.
    init(describing error: OpaquePointer) {
        self.init(rd_kafka_error_code(error), String(cString: rd_kafka_error_string(error)))
        isRetriable = isRetriable || rd_kafka_error_is_retriable(error) != 0
    }
}

extension LogError.Code {
    init(_ code: rd_kafka_resp_err_t) {
        self =
            switch code {
            case RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
                RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
                .timedOut
            case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__RESOLVE,
                RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
                .unreachable
            case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
                RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
                .unknownTopicOrPartition
            case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS: .topicAlreadyExists
            case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET: .offsetOutOfRange
            case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE,
                RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
                .recordTooLarge
            case RD_KAFKA_RESP_ERR__QUEUE_FULL: .queueFull
            case RD_KAFKA_RESP_ERR__STATE, RD_KAFKA_RESP_ERR__UNKNOWN_GROUP: .wrongState
            case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT: .unstableOffsets
            case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
                RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
                RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR__AUTHENTICATION,
                RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
                .notAuthorised
            case RD_KAFKA_RESP_ERR__INVALID_ARG, RD_KAFKA_RESP_ERR_INVALID_CONFIG,
                RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR,
                RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, RD_KAFKA_RESP_ERR_POLICY_VIOLATION,
                RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT:
                .invalidSetting
            case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION,
                RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED:
                .unsupported
            case RD_KAFKA_RESP_ERR__FATAL, RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_PRODUCER_FENCED,
                RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
                .fatal
            default: .other
            }
    }
}

extension rd_kafka_resp_err_t {
    /// The same call may succeed later without anything being changed.
    var isTransient: Bool {
        switch self {
        case RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
            RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__RESOLVE,
            RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
            RD_KAFKA_RESP_ERR__QUEUE_FULL, RD_KAFKA_RESP_ERR__WAIT_COORD, RD_KAFKA_RESP_ERR__WAIT_CACHE,
            RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_NOT_CONTROLLER,
            RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
            RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND,
            RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS,
            RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED:
            true
        default: false
        }
    }
}

/// Asks again while the answer is one of those moments that pass (a leader or coordinator that is moving), until the
/// time is up.
///
/// - Parameter query: given what is left of the time.
func askingUntilSettled(
    within timeout: Duration, _ query: (_ left: Duration) -> rd_kafka_resp_err_t
) -> rd_kafka_resp_err_t {
    let deadline = ContinuousClock.now + timeout
    while true {
        let code = query(max(deadline - .now, .zero))
        guard code.isTransient, ContinuousClock.now + .milliseconds(20) < deadline else { return code }
        usleep(20_000)
    }
}
