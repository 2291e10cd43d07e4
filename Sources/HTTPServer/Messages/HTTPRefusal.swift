/// A request that the server itself refuses, before its closure is asked.
package struct HTTPRefusal: Error, Hashable, Sendable {
    package var status: Int
    package var kind: Kind
    /// A sentence: what is wrong, and what is allowed.
    package var detail: String
    /// The seconds after which the client may try again.
    package var retryAfter: Int?

    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case malformedTarget, malformedHeaders, bodyTooLarge, headersTooLarge, unsupportedEncoding
        case tooManyRequests, tooManyConnections, tooManyBodies, shuttingDown
        /// A request that was answered `.later` and never finished.
        case unanswered
        /// A connection that took too long to send its request or to take its response.
        case tooSlow
        /// Bytes that are no HTTP. libmicrohttpd answers these by itself.
        case notHTTP
    }

    package init(_ status: Int, _ kind: Kind, _ detail: String, retryAfter: Int? = nil) {
        self.status = status
        self.kind = kind
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// A problem in JSON (RFC 9457) without a type of its own.
    package var response: HTTPResponse {
        let text = #"{"type":"about:blank","title":"\#(title)","status":\#(status),"detail":"\#(detail)"}"#
        return HTTPResponse(
            status, headers: headers + [HTTPField("Content-Type", "application/problem+json")],
            body: HTTPBody(text + "\n"))
    }

    /// `Retry-After`, where it says something.
    package var headers: [HTTPField] { retryAfter.map { [HTTPField("Retry-After", String($0))] } ?? [] }

    /// The status in words (RFC 9110 section 15, RFC 6585).
    package var title: String {
        switch status {
        case 400: "Bad Request"
        case 413: "Content Too Large"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Error"
        }
    }
}
