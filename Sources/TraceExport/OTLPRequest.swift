package import Foundation
package import Tracing

/// The body of a request: OpenTelemetry's `ExportTraceServiceRequest` in JSON, as OTLP 1.x maps it. Ids are
/// hexadecimal, numbers of 64 bits are texts; keys and attributes are sorted, so that the same spans give the same
/// bytes.
package struct OTLPRequest: Encodable {
    private let resourceSpans: [ResourceSpans]

    /// - Parameters:
    ///   - resource: attributes of the process.
    ///   - version: of the program.
    package init(_ spans: [Span], resource: SpanAttributes, version: String) {
        let scope = Scope(name: "tideline", version: version)
        resourceSpans = [
            ResourceSpans(
                resource: Resource(attributes: resource.asKeyValues),
                scopeSpans: [ScopeSpans(scope: scope, spans: spans.map { SpanMessage($0) })])
        ]
    }

    /// - Throws: if a text cannot be written, which Swift's texts always can.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    private struct ResourceSpans: Encodable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable { let attributes: [KeyValue] }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [SpanMessage]
    }

    private struct Scope: Encodable {
        let name: String
        let version: String
    }

    private struct SpanMessage: Encodable {
        let traceId: String
        let spanId: String
        let parentSpanId: String?
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [KeyValue]
        let links: [Link]?
        let status: Status?

        init(_ span: Span) {
            traceId = span.context.traceID.description
            spanId = span.context.spanID.description
            parentSpanId = span.parent?.description
            name = span.operationName
            kind = span.kind.rawValue
            startTimeUnixNano = String(span.start)
            endTimeUnixNano = String(span.end ?? span.start)
            attributes = span.attributes.asKeyValues
            links =
                span.links.isEmpty
                ? nil
                : span.links.map { Link(traceId: $0.traceID.description, spanId: $0.spanID.description) }
            status = span.failure.map { Status(code: 2, message: $0) }
        }
    }

    private struct Link: Encodable {
        let traceId: String
        let spanId: String
    }

    private struct Status: Encodable {
        /// 2 is an error.
        let code: Int
        let message: String
    }
}

/// An attribute in OTLP.
private struct KeyValue: Encodable {
    let key: String
    let value: AnyValue
}

private struct AnyValue: Encodable {
    var stringValue: String?
    var intValue: String?
    var boolValue: Bool?
    var arrayValue: ArrayValue?

    struct ArrayValue: Encodable { let values: [AnyValue] }

    init(_ attribute: SpanAttribute) {
        switch attribute {
        case .string(let text): stringValue = text
        case .int(let number): intValue = String(number)
        case .bool(let flag): boolValue = flag
        case .strings(let texts): arrayValue = ArrayValue(values: texts.map { AnyValue(.string($0)) })
        }
    }
}

extension SpanAttributes {
    fileprivate var asKeyValues: [KeyValue] {
        sorted { $0.key < $1.key }.map { KeyValue(key: $0.key, value: AnyValue($0.value)) }
    }
}
