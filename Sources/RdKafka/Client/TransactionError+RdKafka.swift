import CRdKafka
import RecordLog

extension TransactionError {
    /// Tells what to do after a transactional call failed, in the order that rdkafka.h prescribes ("Error handling
    /// example" of the transactional producer). Takes over the error object and destroys it.
    ///
    /// - Parameter permission: what the call needs, to be named if it is missing.
    init(consuming error: OpaquePointer, of client: ClientHandle, needs permission: Permission? = nil) {
        let described = LogError(describing: error)
        let cause = permission.map { described.needing($0, by: client.grants) } ?? described
        let code = rd_kafka_error_code(error)
        let requiresAbort = rd_kafka_error_txn_requires_abort(error) != 0
        let isRetriable = rd_kafka_error_is_retriable(error) != 0
        rd_kafka_error_destroy(error)

        self =
            if requiresAbort {
                // Among them ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID and FENCED_INSTANCE_ID of sendOffsets: the group
                // has moved on, this producer has not; and every record that the broker refused for good.
                .abortable(cause)
            } else if isRetriable {
                // Time-outs, a coordinator that is loading or moving, CONCURRENT_TRANSACTIONS.
                .retriable(cause)
            } else {
                .ending(code, cause, of: client)
            }
    }

    /// A record could not be enqueued; librdkafka gives no flags here.
    init(refused code: rd_kafka_resp_err_t, _ cause: LogError, of client: ClientHandle) {
        if code == RD_KAFKA_RESP_ERR__QUEUE_FULL && client.fatalFailure == nil {
            self = .retriable(cause)
            return
        }
        self =
            client.fatalFailure == nil && code != RD_KAFKA_RESP_ERR__FATAL
            // `_STATE`: the open transaction has failed already, as its commit would say. The others (too large,
            // unknown partition) leave a transaction that lacks a record, which may not be committed.
            ? .abortable(cause)
            : .ending(code, cause, of: client)
    }

    /// The producer has ended: by a newer one of its id, or otherwise.
    private static func ending(
        _ code: rd_kafka_resp_err_t, _ cause: LogError, of client: ClientHandle
    ) -> TransactionError {
        // After the first fatal error every call says `_FATAL` or `_STATE`; the first one says why.
        let (decisive, error) = client.fatalFailure.map { ($0.code, $0.error) } ?? (code, cause)
        return switch decisive {
        case RD_KAFKA_RESP_ERR__FENCED,
            // Older names of the same; librdkafka 2.0.2 makes them `_FENCED` before we see them.
            RD_KAFKA_RESP_ERR_PRODUCER_FENCED, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
            .fenced(error)
        default:
            // INVALID_TXN_STATE (the broker has aborted it by time-out and forgotten it), INVALID_PRODUCER_ID_MAPPING
            // (the id has expired), missing rights, and calls in the wrong order.
            .fatal(error)
        }
    }
}
