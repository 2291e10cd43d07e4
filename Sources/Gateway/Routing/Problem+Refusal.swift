package import HTTPServer

extension Problem {
    /// The problem of a request that the server refused before it came to the router: too large, too many, no HTTP.
    package init(_ refusal: HTTPRefusal) {
        self.init(
            refusal.status, Self.name(of: refusal.kind), refusal.title, detail: refusal.detail,
            headers: refusal.headers)
    }

    private static func name(of kind: HTTPRefusal.Kind) -> String {
        switch kind {
        case .malformedTarget: "malformed-target"
        case .malformedHeaders: "malformed-headers"
        case .bodyTooLarge: "body-too-large"
        case .headersTooLarge: "headers-too-large"
        case .unsupportedEncoding: "unsupported-encoding"
        case .tooManyRequests: "too-many-requests"
        case .tooManyConnections: "too-many-connections"
        case .tooManyBodies: "too-many-bodies"
        case .shuttingDown: "shutting-down"
        case .unanswered: "unanswered"
        case .tooSlow: "too-slow"
        case .notHTTP: "not-http"
        }
    }
}
