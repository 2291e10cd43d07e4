/// The spans of work that succeeds or fails as a whole, such as a transaction: one for all of it, one for each of its
/// steps, and one for each record that comes with a trace. They are handed over when the work has ended; so a span says
/// whether what it did counts. One thread owns it.
package final class WorkTrace {
    private let tracer: Tracer
    private let name: String
    private let common: SpanAttributes
    private var root = Root.none
    private var spans: [Span] = []
    /// The number of these that are of records.
    private var recordSpans = 0
    /// The record that is being processed.
    private var record: Span?

    private enum Root {
        /// Nothing was begun.
        case none
        case unsampled
        case span(Span)
    }

    /// A flood of traced records must not fill the memory. Steps are few.
    private static let recordSpansMax = 2_000

    /// - Parameters:
    ///   - name: of the span for all of the work.
    ///   - common: attributes of each span.
    package init(_ tracer: Tracer, _ name: String, _ common: SpanAttributes) {
        self.tracer = tracer
        self.name = name
        self.common = common.merging([SpanNames.system: "kafka"]) { own, _ in own }
    }

    package func now() -> TraceTime { tracer.now() }

    // MARK: - The work and its steps

    /// Begins the work, unless it is under way.
    package func begin(at instant: TraceTime) {
        guard case .none = root else { return }
        guard var span = tracer.startSpan(name, at: instant) else {
            root = .unsampled
            return
        }
        span.attributes = common
        root = .span(span)
    }

    /// Adds a step that has ended just now.
    ///
    /// - Parameters:
    ///   - type: its `messaging.operation.type`.
    ///   - failure: why it failed; `nil` if it did not.
    package func step(
        _ name: String, type: String, _ kind: SpanKind, since start: TraceTime, _ attributes: SpanAttributes = [:],
        failure: (type: String, message: String)? = nil
    ) {
        begin(at: start)
        guard case .span(let root) = root,
            var span = tracer.startSpan(name, context: root.context, ofKind: kind, at: start)
        else { return }
        span.attributes = common.merging(attributes) { _, own in own }
        span.attributes[SpanNames.operationName] = .string(name)
        span.attributes[SpanNames.operationType] = .string(type)
        if let failure { span.setError(type: failure.type, failure.message) }
        span.end(at: now())
        spans.append(span)
    }

    /// The work is done, or has failed.
    package func end(failure: (type: String, message: String)? = nil) {
        if case .span(let root) = root { spans.append(root) }
        for span in spans {
            var span = span
            if let failure, span.failure == nil { span.setError(type: failure.type, failure.message) }
            tracer.end(span)
        }
        spans.removeAll(keepingCapacity: true)
        recordSpans = 0
        root = .none
    }

    // MARK: - Records

    /// Does the work on a record, in a span of its own if its trace is recorded. That span is a child of the record's
    /// context, and linked to the work.
    ///
    /// - Parameter traceParent: the record's header.
    package func process<Failure: Error, Result>(
        _ topic: String, _ traceParent: [UInt8]?, _ attributes: @autoclosure () -> SpanAttributes,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        record = traceParent.flatMap { SpanContext(traceParent: $0) }
            .flatMap { tracer.startSpan("process \(topic)", context: $0, ofKind: .consumer) }
        record?.attributes = messaging("process", "process", topic, attributes())
        if case .span(let root) = root { record?.addLink(root.context) }
        defer {
            if var span = record {
                record = nil
                span.end(at: now())
                keep(span)
            }
        }
        return try body()
    }

    /// Says what became of the record that is being processed, in a word.
    package func note(outcome: String) { record?.attributes[SpanNames.outcome] = .string(outcome) }

    /// Says that the record that is being processed cannot be used.
    package func noteFailure(type: String, _ message: String) { record?.setError(type: type, message) }

    /// The header for what follows from the record that is being processed; `nil` if it has no span.
    package var traceParent: [UInt8]? { record?.context.traceParent }

    /// Notes that a record is written because of another one. The span ends with the work: then the record can be read.
    ///
    /// - Parameter traceParent: the header that came with the cause.
    /// - Returns: the header for the record; that of its cause if the trace is not recorded.
    package func send(
        _ topic: String, because traceParent: [UInt8], _ attributes: @autoclosure () -> SpanAttributes
    ) -> [UInt8] {
        guard let parent = SpanContext(traceParent: traceParent),
            var span = tracer.startSpan("send \(topic)", context: parent, ofKind: .producer)
        else { return traceParent }
        // What is sent will be committed.
        begin(at: span.start)
        span.attributes = messaging("send", "send", topic, attributes())
        if case .span(let root) = root { span.addLink(root.context) }
        keep(span)
        return span.context.traceParent
    }

    private func messaging(
        _ name: String, _ type: String, _ topic: String, _ attributes: SpanAttributes
    ) -> SpanAttributes {
        var all = common.merging(attributes) { _, own in own }
        all[SpanNames.operationName] = .string(name)
        all[SpanNames.operationType] = .string(type)
        all[SpanNames.destination] = .string(topic)
        return all
    }

    private func keep(_ span: Span) {
        guard recordSpans < Self.recordSpansMax else { return tracer.queue.drop(1) }
        recordSpans += 1
        spans.append(span)
    }
}
