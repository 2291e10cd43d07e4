import CRdKafka
import Foundation
import RecordLog
import Synchronization

/// An idempotent producer on librdkafka that reports each record. A thread of its own serves the reports.
///
/// librdkafka's functions for producing may be called by any thread. Callbacks are set before the thread starts and
/// called on it alone, so nothing here is changed by two threads.
final class RdKafkaReportingProducer: ReportingProducer, @unchecked Sendable {
    private let client: ClientHandle
    private let isEnding = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// What librdkafka carries with a record.
    private final class Report {
        let make: @Sendable (Result<(partition: Partition, offset: Offset), LogError>) -> Void

        init(_ make: @escaping @Sendable (Result<(partition: Partition, offset: Offset), LogError>) -> Void) {
            self.make = make
        }
    }

    init(_ client: ClientHandle) {
        self.client = client
        let grants = client.grants
        client.callbacks.reported = { message in
            guard let opaque = message.pointee._private else { return }
            let report = Unmanaged<Report>.fromOpaque(opaque).takeRetainedValue()
            let code = message.pointee.err
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                // A record that `close` gives up has a code of its own, which the other producers do not report.
                let failure =
                    LogError(undelivered: message.pointee, by: grants) ?? LogError(code, "the producer is closed")
                return report.make(.failure(failure))
            }
            report.make(.success((Partition(message.pointee.partition), Offset(message.pointee.offset))))
        }
        let thread = Thread { [self] in serve() }
        thread.name = "reports"
        thread.start()
    }

    func produce(
        topic: String, partition: Partition?, key: [UInt8]?, value: [UInt8]?, headers: [Header],
        report: @escaping @Sendable (Result<(partition: Partition, offset: Offset), LogError>) -> Void
    ) throws(LogError) {
        let report = Unmanaged.passRetained(Report(report))
        let code = topic.withCString { name in
            RecordBytes.with(key) { key in
                RecordBytes.with(value) { value in
                    client.produce(key, value, headers) { fields in
                        fields[0].vtype = RD_KAFKA_VTYPE_TOPIC
                        fields[0].u.cstr = name
                        fields[1].vtype = RD_KAFKA_VTYPE_PARTITION
                        fields[1].u.i32 = partition?.rawValue ?? RD_KAFKA_PARTITION_UA
                        fields[2].vtype = RD_KAFKA_VTYPE_OPAQUE
                        fields[2].u.ptr = report.toOpaque()
                        return 3
                    }
                }
            }
        }
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        report.release()
        throw client.fatalFailure?.error ?? LogError(code, about: "producing to \(topic)")
    }

    func close() {
        guard !isEnding.exchange(true, ordering: .sequentiallyConsistent) else { return }
        let everything = RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING
        rd_kafka_purge(client.pointer, everything)
        ended.wait()
        client.destroy()
    }

    /// Serves reports until the producer is closed and every record is reported.
    private func serve() {
        while !isEnding.load(ordering: .sequentiallyConsistent) || rd_kafka_outq_len(client.pointer) > 0 {
            rd_kafka_poll(client.pointer, Self.pollTimeout)
        }
        ended.signal()
    }

    /// Milliseconds; a report ends the wait at once.
    private static let pollTimeout: Int32 = 100
}
