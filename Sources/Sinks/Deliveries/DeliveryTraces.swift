import HTTPClient
import RecordLog
import Tracing

/// The spans of reloads: one for each record from when it was read until it is settled, and one for each request.
/// Records whose trace is not recorded have none.
struct DeliveryTraces {
    private let tracer: Tracer?
    private var records: [OutstandingRecords.Place: Span] = [:]

    /// - Parameter tracer: takes spans; `nil` if nobody traces.
    init(_ tracer: Tracer?) { self.tracer = tracer }

    // MARK: - Records

    mutating func begin(_ record: Record, _ place: OutstandingRecords.Place) {
        guard let tracer, let header = record.headers.first(where: { $0.name == SpanContext.headerName })?.value,
            let parent = SpanContext(traceParent: header),
            var span = tracer.startSpan("process \(record.topic)", context: parent, ofKind: .consumer)
        else { return }
        span.attributes = [
            SpanNames.system: "kafka", SpanNames.operationName: "process", SpanNames.operationType: "process",
            SpanNames.destination: .string(record.topic), SpanNames.partition: .string(record.partition.description),
            SpanNames.offset: .int(record.offset.rawValue),
        ]
        if let key = record.key { span.attributes[SpanNames.key] = .string(String(decoding: key, as: UTF8.self)) }
        records[place] = span
    }

    mutating func note(_ reason: String, ofDeadLetter place: OutstandingRecords.Place) {
        records[place]?.setError(type: "deadLetter", reason)
    }

    mutating func end(_ place: OutstandingRecords.Place) {
        if let span = records.removeValue(forKey: place) { tracer?.end(span) }
    }

    /// The run ends: what is left is read again by the next one.
    mutating func endAll() {
        for (_, span) in records.sorted(by: { $0.value.start < $1.value.start }) {
            var span = span
            span.attributes[SpanNames.outcome] = "unsettled"
            tracer?.end(span)
        }
        records.removeAll()
    }

    // MARK: - Requests

    /// Starts the span of a request, as a child of the first of its records, linked to the others. Where the request
    /// tells its receiver of a trace, it tells of this span.
    ///
    /// - Parameter attempts: how many have failed before.
    func push(
        _ places: [OutstandingRecords.Place], attempts: Int, to host: String, _ request: inout HTTPClientRequest
    ) -> Span? {
        guard let tracer else { return nil }
        let contexts = places.compactMap { records[$0]?.context }
        guard let parent = contexts.first,
            var span = tracer.startSpan(request.method.rawValue, context: parent, ofKind: .client)
        else { return nil }
        span.attributes = [
            SpanNames.method: .string(request.method.rawValue), SpanNames.server: .string(host),
            SpanNames.batchCount: .int(Int64(places.count)),
        ]
        if attempts > 0 { span.attributes[SpanNames.resends] = .int(Int64(attempts)) }
        for context in contexts.dropFirst() { span.addLink(context) }
        if let index = request.headers.firstIndex(where: { $0.name == SpanContext.headerName }) {
            request.headers[index].value = String(decoding: span.context.traceParent, as: UTF8.self)
        }
        return span
    }

    func end(
        _ span: Span?, _ result: Result<HTTPClientResponse, HTTPClientError>, _ verdict: DeliveryVerdict
    ) {
        guard let tracer, var span else { return }
        span.attributes[SpanNames.outcome] = .string(verdict.name)
        switch result {
        case .success(let response):
            span.attributes[SpanNames.status] = .int(Int64(response.status))
            if response.status >= 400 { span.setError(type: String(response.status), "status \(response.status)") }
        case .failure(let error): span.setError(type: "\(error.kind)", error.description)
        }
        tracer.end(span)
    }
}

extension DeliveryVerdict {
    /// The verdict in a word.
    fileprivate var name: String {
        switch self {
        case .delivered, .absent: "delivered"
        case .gone: "gone"
        case .deadLetter: "deadLetter"
        case .refused: "refused"
        case .again, .atOnce: "again"
        case .turnedAway: "turnedAway"
        case .stop: "stop"
        }
    }
}
