// TraceExport: sends spans to a collector, as OTLP over HTTP in JSON.
//
// It must not know what is traced, nor the settings of the program. It never holds up whoever traces: spans wait in a
// bounded queue, and a thread of its own sends them.
//
// Begin with `SpanExporter`. `OTLPRequest` is the body of its requests, `OTLPAnswer` what a collector says to one.

package import HTTPClient
package import Tracing

/// Where spans go, what they say of the process, and how they are sent.
package struct ExportSettings: Sendable {
    /// The address with its path, such as `http://localhost:4318/v1/traces`.
    package var endpoint: String
    /// Headers of each request, such as a key of the collector.
    package var headers: [HTTPHeader] = []
    /// Attributes of the process, such as `service.name`.
    package var resource: SpanAttributes
    /// The release, for the scope of the spans.
    package var version: String
    /// A request has so many spans at most.
    package var batchMaximum = 512
    /// How long spans wait at most, where there are few.
    package var interval = Duration.seconds(1)
    /// How long is waited before a request is made again; doubled with each further one.
    package var pauseFirst = Duration.seconds(1)
    package var pauseMost = Duration.seconds(30)
    /// How long the end of the process may wait for the collector.
    package var flushTimeout = Duration.seconds(5)

    package init(endpoint: String, resource: SpanAttributes, version: String) {
        self.endpoint = endpoint
        self.resource = resource
        self.version = version
    }
}

/// What an operator should know of the export. Tracing goes on after each.
package enum ExportNotice: Hashable, Sendable {
    /// The collector does not take spans; said once, until it takes some again.
    case away(String)
    /// It takes spans again; so many were lost meanwhile.
    case back(after: Duration, lost: Int)
    /// More spans come than are sent, and the queue is full; said once.
    case full
    /// The end: so many spans were lost in all.
    case lost(Int)
}

/// The numbers of spans since the start, by what became of them.
package struct ExportCounts: Hashable, Sendable {
    package var sent = 0
    /// The queue was full.
    package var dropped = 0
    /// The collector took the request, and not these; or it refused the whole request; or the end came first.
    package var failed = 0

    package init() {}

    package var lost: Int { dropped + failed }
}
