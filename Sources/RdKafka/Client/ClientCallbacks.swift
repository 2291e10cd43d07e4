import CRdKafka
import RecordLog

/// What the C callbacks of one instance reach: its opaque.
///
/// `log` is called on any of librdkafka's threads. The others are called inside the calls that serve events (poll,
/// flush, close, transactions), hence on the thread that owns the port, and only that thread sets them.
final class ClientCallbacks {
    let log: RdKafkaSettings.Log?
    let statistics: RdKafkaSettings.Statistics?

    var failed: ((LogError) -> Void)?
    var rebalance: ((rd_kafka_resp_err_t, PartitionList.Pointer) -> Void)?
    var undelivered: ((UnsafePointer<rd_kafka_message_t>) -> Void)?
    /// Called for each record of a producer that reports them all.
    var reported: ((UnsafePointer<rd_kafka_message_t>) -> Void)?

    init(log: RdKafkaSettings.Log?, statistics: RdKafkaSettings.Statistics?) {
        self.log = log
        self.statistics = statistics
    }

    func forgetOwner() {
        failed = nil
        rebalance = nil
        undelivered = nil
        reported = nil
    }

    func install(in configuration: OpaquePointer, for role: ClientRole) {
        rd_kafka_conf_set_opaque(configuration, Unmanaged.passUnretained(self).toOpaque())
        rd_kafka_conf_set_log_cb(configuration, log == nil ? nil : logged)
        if statistics != nil { rd_kafka_conf_set_stats_cb(configuration, statisticsMade) }
        switch role {
        case .consumer:
            rd_kafka_conf_set_error_cb(configuration, errorHappened)
            rd_kafka_conf_set_rebalance_cb(configuration, rebalanced)
        case .admin:
            rd_kafka_conf_set_error_cb(configuration, errorHappened)
        case .transactionalProducer, .plainProducer:
            // Without an error callback librdkafka logs what goes wrong beneath; calls that fail say so themselves.
            rd_kafka_conf_set_dr_msg_cb(configuration, messageFailed)
        case .reportingProducer, .writeProbe:
            rd_kafka_conf_set_dr_msg_cb(configuration, messageReported)
        }
    }

    fileprivate static func of(_ opaque: UnsafeMutableRawPointer?) -> ClientCallbacks? {
        opaque.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }
}

private func logged(
    client: OpaquePointer?, level: Int32, facility: UnsafePointer<CChar>?, message: UnsafePointer<CChar>?
) {
    guard let client, let facility, let message else { return }
    ClientCallbacks.of(rd_kafka_opaque(client))?
        .log?(Int(level), String(cString: facility), String(cString: message))
}

private func statisticsMade(
    client: OpaquePointer?, json: UnsafeMutablePointer<CChar>?, length: Int, opaque: UnsafeMutableRawPointer?
) -> Int32 {
    let bytes = UnsafeRawBufferPointer(start: json, count: json == nil ? 0 : length)
    ClientCallbacks.of(opaque)?.statistics?.report(String(decoding: bytes, as: UTF8.self))
    return 0  // librdkafka frees the text.
}

private func errorHappened(
    client: OpaquePointer?, code: Int32, reason: UnsafePointer<CChar>?, opaque: UnsafeMutableRawPointer?
) {
    let error = LogError(rd_kafka_resp_err_t(code), reason.map { String(cString: $0) })
    ClientCallbacks.of(opaque)?.failed?(error)
}

private func rebalanced(
    client: OpaquePointer?, code: rd_kafka_resp_err_t, partitions: PartitionList.Pointer?,
    opaque: UnsafeMutableRawPointer?
) {
    guard let partitions else { return }
    ClientCallbacks.of(opaque)?.rebalance?(code, partitions)
}

private func messageFailed(
    client: OpaquePointer?, message: UnsafePointer<rd_kafka_message_t>?, opaque: UnsafeMutableRawPointer?
) {
    guard let message, message.pointee.err != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    ClientCallbacks.of(opaque)?.undelivered?(message)
}

private func messageReported(
    client: OpaquePointer?, message: UnsafePointer<rd_kafka_message_t>?, opaque: UnsafeMutableRawPointer?
) {
    guard let message else { return }
    ClientCallbacks.of(opaque)?.reported?(message)
}
