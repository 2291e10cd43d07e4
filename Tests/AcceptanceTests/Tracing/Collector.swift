import Foundation
import HTTPServer
import Synchronization
import Testing

/// A collector of spans as users run one: an HTTP server on this machine that keeps what it gets. It also takes
/// webhooks.
final class Collector: Sendable {
    /// A span as it came over the wire.
    struct Span: Sendable {
        var verb: String
        var name: String
        var trace: String
        var id: String
        var parent: String?
        var links: [String]
        /// Attributes as text.
        var attributes: [String: String]
    }

    private struct State {
        var spans: [Span] = []
        /// The `traceparent` of each webhook.
        var hooks: [String] = []
        var problems: [String] = []
    }

    private let shared: SharedState
    let port: Int
    private let server: HTTPServer

    /// - Parameter port: 0 takes a free one.
    init(port: Int = 0) throws {
        let state = SharedState()
        var configuration = HTTPServerConfiguration()
        configuration.port = port
        configuration.threads = 1
        server = try HTTPServer(configuration) { .now(state.respond(to: $0)) }
        self.port = server.port
        shared = state
    }

    var spans: [Span] { shared.state.withLock { $0.spans } }
    var hooks: [String] { shared.state.withLock { $0.hooks } }
    var problems: [String] { shared.state.withLock { $0.problems } }

    func stop() { server.shutdown() }

    private final class SharedState: Sendable {
        let state = Mutex(State())

        func respond(to request: HTTPRequest) -> HTTPResponse {
            if request.path == ["hook"] {
                state.withLock { $0.hooks.append(request.header("traceparent") ?? "") }
                return HTTPResponse(200)
            }
            guard request.path == ["v1", "traces"], request.method == "POST",
                request.header("content-type") == "application/json", request.header("x-key") == "a,b"
            else {
                state.withLock { $0.problems.append("\(request.method) \(request.target) \(request.headers.fields)") }
                return HTTPResponse(400)
            }
            do {
                let spans = try JSONDecoder().decode(Wire.self, from: Data(request.body)).spans
                state.withLock { $0.spans += spans }
            } catch {
                state.withLock { $0.problems.append("\(error)") }
            }
            return HTTPResponse(200, headers: [HTTPField("Content-Type", "application/json")], body: HTTPBody("{}"))
        }
    }
}

/// OTLP in JSON, as far as tests look at it.
private struct Wire: Decodable {
    var resourceSpans: [ResourceSpans]

    struct ResourceSpans: Decodable {
        var resource: Attributes
        var scopeSpans: [ScopeSpans]
    }

    struct ScopeSpans: Decodable { var spans: [WireSpan] }

    struct WireSpan: Decodable {
        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var attributes: [Attribute]
        var links: [Link]?
        var startTimeUnixNano: String
        var endTimeUnixNano: String
    }

    struct Link: Decodable { var spanId: String }

    struct Attributes: Decodable { var attributes: [Attribute] }

    struct Attribute: Decodable {
        var key: String
        var value: Value
    }

    struct Value: Decodable {
        var stringValue: String?
        var intValue: String?
    }

    var spans: [Collector.Span] {
        resourceSpans.flatMap { process in
            let verb = process.resource.attributes.text["tideline.verb"] ?? ""
            return process.scopeSpans.flatMap(\.spans).map { span in
                Collector.Span(
                    verb: verb, name: span.name, trace: span.traceId, id: span.spanId, parent: span.parentSpanId,
                    links: (span.links ?? []).map(\.spanId), attributes: span.attributes.text)
            }
        }
    }
}

extension [Wire.Attribute] {
    fileprivate var text: [String: String] {
        Dictionary(map { ($0.key, $0.value.stringValue ?? $0.value.intValue ?? "") }) { first, _ in first }
    }
}
