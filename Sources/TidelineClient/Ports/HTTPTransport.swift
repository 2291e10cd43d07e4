public import Foundation

/// Sends requests over HTTP. `URLSessionTransport` is the one that an app uses; tests bring their own.
public protocol HTTPTransport: Sendable {
    /// Sends a request and gives the whole answer, whatever its status is.
    ///
    /// - Throws: an error where no answer came; `CancellationError` if the task was cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and gives the answer's head, with a body that comes piece by piece.
    ///
    /// - Throws: an error where no answer came; `CancellationError` if the task was cancelled.
    func stream(_ request: TransportRequest) async throws -> TransportStream
}

/// A request over HTTP.
public struct TransportRequest: Sendable {
    /// The method in capitals, such as `GET`.
    public var method: String
    /// The address, with its query.
    public var url: URL
    /// The headers by name.
    public var headers: [String: String]
    /// The body; `nil` means none.
    public var body: Data?
    /// The time without a byte after which the request has failed; `nil` means that it never has.
    public var timeout: Duration?

    /// A request of these parts.
    public init(
        method: String, url: URL, headers: [String: String] = [:], body: Data? = nil, timeout: Duration? = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// The head of an answer.
public struct TransportHead: Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The headers by their names in small letters.
    public var headers: [String: String]

    /// A head whose header names may have any case.
    public init(status: Int, headers: [String: String] = [:]) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a header; the name may have any case.
    public subscript(header: String) -> String? { headers[header.lowercased()] }
}

/// A whole answer.
public struct TransportResponse: Sendable {
    /// The status and the headers.
    public var head: TransportHead
    /// The body, decoded if the server had compressed it.
    public var body: Data

    /// An answer of these parts.
    public init(head: TransportHead, body: Data = Data()) {
        self.head = head
        self.body = body
    }
}

/// An answer whose body has no end yet.
public struct TransportStream: Sendable {
    /// The status and the headers.
    public var head: TransportHead
    /// The pieces of the body in their order. The sequence fails when the connection is lost, and ends with the body.
    public var chunks: AsyncThrowingStream<Data, any Error>
    /// Ends the request; `chunks` then fail or end.
    public var cancel: @Sendable () -> Void

    /// An answer of these parts.
    public init(
        head: TransportHead, chunks: AsyncThrowingStream<Data, any Error>, cancel: @escaping @Sendable () -> Void
    ) {
        self.head = head
        self.chunks = chunks
        self.cancel = cancel
    }
}
