import CRdKafka
import RecordLog

/// Owns one librdkafka instance with its threads and connections.
final class ClientHandle {
    let pointer: OpaquePointer
    /// librdkafka holds this unretained: it must outlive `pointer`, hence `deinit` destroys before fields are let go.
    let callbacks: ClientCallbacks
    /// For the errors of its calls.
    let grants: Grants
    private var isDestroyed = false

    init(
        _ role: ClientRole, properties: [(key: String, value: String)], callbacks: ClientCallbacks, grants: Grants
    ) throws(LogError) {
        guard let configuration = rd_kafka_conf_new() else { preconditionFailure("librdkafka is out of memory") }
        for (key, value) in properties {
            let (result, text) = withErrorText { rd_kafka_conf_set(configuration, key, value, $0, $1) }
            guard result == RD_KAFKA_CONF_OK else {
                rd_kafka_conf_destroy(configuration)
                throw LogError(RD_KAFKA_RESP_ERR__INVALID_ARG, text)
            }
        }
        callbacks.install(in: configuration, for: role)

        let (pointer, text) = withErrorText { rd_kafka_new(role.type, configuration, $0, $1) }
        guard let pointer else {
            // Only a success takes over the configuration.
            rd_kafka_conf_destroy(configuration)
            throw LogError(RD_KAFKA_RESP_ERR__INVALID_ARG, text)
        }
        self.pointer = pointer
        self.callbacks = callbacks
        self.grants = grants
    }

    /// Ends the instance. No callback of the owner is called any more, and a consumer does not leave its group.
    /// All that was taken from it (messages, topics, queues) must have been given back.
    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        callbacks.forgetOwner()
        rd_kafka_destroy_flags(pointer, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
    }

    /// Leaves the instance running until the process ends, in no group and without an owner: for when destroying it
    /// would abort the process.
    func abandon() {
        guard !isDestroyed else { return }
        isDestroyed = true
        callbacks.forgetOwner()
        // Its threads still log and may call back.
        _ = Unmanaged.passRetained(callbacks)
        rd_kafka_unsubscribe(pointer)
    }

    deinit {
        destroy()
    }

    /// The first fatal error, after which this instance is of no use.
    var fatalFailure: (code: rd_kafka_resp_err_t, error: LogError)? {
        let (code, text) = withErrorText { rd_kafka_fatal_error(pointer, $0, $1) }
        return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : (code, LogError(code, text))
    }

    /// Throws what a call reports that gives an error object.
    func check(_ error: OpaquePointer?) throws(LogError) {
        if let error { throw LogError(consuming: error) }
    }
}

/// What an instance is for, which decides its properties.
enum ClientRole {
    /// An instance is a static member of its group (KIP-345).
    case consumer(group: String?, instance: String? = nil, isolation: IsolationLevel)
    case transactionalProducer(transactionalId: String)
    case plainProducer
    /// Every record is reported, at the latest after this time.
    case reportingProducer(deliveryTimeout: Duration)
    /// A producer whose every record is refused, at the latest after this time: it asks whether it might write.
    case writeProbe(timeout: Duration)
    /// A consumer that is in no group: requests and queries only.
    case admin(isolation: IsolationLevel)

    /// Its owner serves events all the time; else statistics would pile up.
    var isPolled: Bool {
        if case .admin = self { false } else { true }
    }

    var type: rd_kafka_type_t {
        switch self {
        case .consumer, .admin: RD_KAFKA_CONSUMER
        case .transactionalProducer, .plainProducer, .reportingProducer, .writeProbe: RD_KAFKA_PRODUCER
        }
    }
}

// MARK: - What its functions take

/// Lends room for the message that a C function leaves beside its result.
func withErrorText<Result>(
    _ body: (_ text: UnsafeMutablePointer<CChar>, _ capacity: Int) -> Result
) -> (result: Result, text: String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        buffer.initialize(repeating: 0)
        guard let text = buffer.baseAddress else { preconditionFailure("an allocation of 512 has an address") }
        let result = body(text, buffer.count)
        return (result, String(cString: text))
    }
}

extension Duration {
    /// For librdkafka's timeouts: whole milliseconds, rounded up so that a short wait does not become none, and never
    /// negative, which would mean for ever.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
        let rest = (attoseconds + attosecondsPerMillisecond - 1) / attosecondsPerMillisecond
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : Int32(clamping: product + rest)
    }
}
