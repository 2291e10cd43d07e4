import RecordLog
import Tracing

/// The spans of what a task does, for whoever traces. Without a trace nothing here costs anything.
extension TaskContext {
    /// Does the work on a record in a span, if its trace is recorded.
    func traced(_ record: InputRecord, _ body: () -> Void) {
        let header = headers(of: record).first { $0.name == SpanContext.headerName }?.value
        guard let trace, let header else { return body() }
        trace.process(
            topology.sources[Int(record.origin.source)].topic, header,
            [
                SpanNames.partition: .string(record.origin.partition.description),
                SpanNames.offset: .int(record.origin.offset.rawValue),
            ], body)
    }

    /// The header for what follows from the record that is being processed; `nil` if it has no span of its own.
    package var tracedParent: [UInt8]? { trace?.traceParent }

    /// Notes in the trace that the record that is being processed cannot be used.
    package func traceFailure(type: String, _ message: String) { trace?.noteFailure(type: type, message) }

    /// Notes in the trace that a record is written.
    ///
    /// - Parameters:
    ///   - key: the record's key, a text.
    ///   - traceParent: the header that came with what led to it; `nil` if none did.
    /// - Returns: the header of the record.
    package func traceParent(
        ofSending output: OutputName, key: @autoclosure () -> String, because traceParent: [UInt8]?
    ) -> [UInt8]? {
        guard let trace, let traceParent else { return traceParent }
        return trace.send(topology.outputs[output.index], because: traceParent, [SpanNames.key: .string(key())])
    }
}
