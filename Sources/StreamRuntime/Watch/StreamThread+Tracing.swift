import RecordLog
import StreamCore
import Tracing

/// The spans of a transaction: what was polled for it, what was processed, and its commit. A transaction is a trace of
/// its own; spans of records that came with a trace are linked to it.
extension StreamThread {
    func tracePoll(_ batch: borrowing ConsumedBatch, since began: TraceTime?) {
        guard let trace, let began, !batch.records.isEmpty, !batch.rebalanced else { return }
        trace.step(
            "poll", type: "receive", .client, since: began,
            [
                SpanNames.batchCount: .int(Int64(batch.records.count)),
                SpanNames.topics: .strings(topics(of: batch.records)),
            ])
    }

    func tracedProcess(_ batch: borrowing ConsumedBatch) throws(StreamFailure) {
        let began = trace?.now()
        try process(batch)
        guard let trace, let began, !batch.records.isEmpty else { return }
        trace.step(
            "process", type: "process", .consumer, since: began,
            [SpanNames.batchCount: .int(Int64(batch.records.count))])
    }

    /// - Parameter cause: why it failed, or why its outcome is not known; `nil` if it did not fail.
    func traceCommit(since began: TraceTime?, _ cause: LogError? = nil) {
        guard let trace, let began else { return }
        trace.step("commit", type: "settle", .client, since: began, failure: cause.map { ($0.name, $0.message) })
    }

    private func topics(of records: [RecordView]) -> [String] {
        Set(records.lazy.map(\.topic)).sorted().map { consumer.topics[Int($0)] }
    }
}

extension StreamSettings {
    func makeTrace(clientId: String) -> WorkTrace? {
        tracer.map {
            WorkTrace(
                $0, "transaction", [SpanNames.group: .string(applicationId), SpanNames.clientID: .string(clientId)])
        }
    }
}
