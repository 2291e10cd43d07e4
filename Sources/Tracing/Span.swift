/// The role of a span in its trace, by the numbers of OpenTelemetry.
package enum SpanKind: Int, Hashable, Sendable {
    case `internal` = 1
    case server = 2
    case client = 3
    case producer = 4
    case consumer = 5
}

/// The value of a span's attribute.
package enum SpanAttribute: Hashable, Sendable {
    case string(String)
    case int(Int64)
    case bool(Bool)
    case strings([String])
}

extension SpanAttribute: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}

package typealias SpanAttributes = [String: SpanAttribute]

/// A piece of work: its name, its place in a trace, when it began and ended, and facts about it. A value; whoever works
/// owns it until it is handed to the `Tracer`.
package struct Span: Hashable, Sendable {
    package let operationName: String
    package let context: SpanContext
    /// The span within which this one is; `nil` if it is the first of its trace.
    package let parent: SpanID?
    package let kind: SpanKind
    package let start: TraceTime
    package private(set) var end: TraceTime?
    package var attributes: SpanAttributes = [:]
    /// Spans of other traces that have to do with this one.
    package private(set) var links: [SpanContext] = []
    /// Why the work failed; `nil` if it did not.
    package private(set) var failure: String?

    private static let linksMax = 128

    init(_ operationName: String, _ context: SpanContext, parent: SpanID?, _ kind: SpanKind, start: TraceTime) {
        self.operationName = operationName
        self.context = context
        self.parent = parent
        self.kind = kind
        self.start = start
    }

    /// Beyond 128 links further ones are left out, as OpenTelemetry does by default.
    package mutating func addLink(_ context: SpanContext) {
        if links.count < Self.linksMax { links.append(context) }
    }

    /// Says that the work failed.
    ///
    /// - Parameters:
    ///   - type: a name of few values, such as `_TIMED_OUT` or `503`: the attribute `error.type`.
    ///   - message: a sentence.
    package mutating func setError(type: String, _ message: String) {
        attributes[SpanNames.errorType] = .string(type)
        failure = message
    }

    /// Never before its start: the clock of the day may go back.
    package mutating func end(at instant: TraceTime) { end = max(start, instant) }
}

/// The names of attributes, by OpenTelemetry's semantic conventions for messaging and HTTP.
package enum SpanNames {
    package static let system = "messaging.system"
    package static let operationName = "messaging.operation.name"
    package static let operationType = "messaging.operation.type"
    package static let destination = "messaging.destination.name"
    package static let partition = "messaging.destination.partition.id"
    package static let offset = "messaging.kafka.offset"
    package static let key = "messaging.kafka.message.key"
    package static let group = "messaging.consumer.group.name"
    package static let clientID = "messaging.client.id"
    package static let batchCount = "messaging.batch.message_count"
    package static let errorType = "error.type"
    package static let method = "http.request.method"
    package static let resends = "http.request.resend_count"
    package static let status = "http.response.status_code"
    package static let server = "server.address"
    /// What became of the work, in a word.
    package static let outcome = "tideline.outcome"
    /// The topics of a batch.
    package static let topics = "tideline.topics"
}
