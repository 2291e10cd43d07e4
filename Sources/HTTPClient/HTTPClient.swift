// HTTPClient: requests over HTTP/2 and HTTP/1.1 by libcurl's multi interface, many at a time on few connections.
//
// It must not know what is sent, nor try again. Servers are verified always, which nothing switches off; a certificate
// authority of one's own can be added. Completions are fetched by the thread that waits for them, so that nothing
// blocks Swift's cooperative pool.
//
// Begin with `HTTPTransport` below; HTTPClient+Curl.swift sends requests, each of which is a `Transfer` until its end.
// Names are those of AsyncHTTPClient, as far as they go.

/// Sends requests. The port behind which tests put servers of their own.
package protocol HTTPTransport: AnyObject {
    /// Starts a request and returns at once. Its completion comes with the same tag, exactly once.
    ///
    /// - Parameter tag: not the tag of a request under way.
    func execute(_ request: HTTPClientRequest, tag: Int)

    /// Gives what has completed since the last call, in order of completion; waits up to `timeout` for the first.
    func completions(timeout: Duration) -> [HTTPClientCompletion]

    /// Ends all connections; requests under way get no completion. Nothing may be called afterwards.
    func shutdown()
}

/// The end of a request.
package struct HTTPClientCompletion: Sendable {
    package var tag: Int
    package var result: Result<HTTPClientResponse, HTTPClientError>

    package init(tag: Int, result: Result<HTTPClientResponse, HTTPClientError>) {
        self.tag = tag
        self.result = result
    }
}

/// The way in which an `HTTPClient` connects.
package struct HTTPClientConfiguration: Hashable, Sendable {
    /// The time-out of TCP and TLS together.
    package var connectTimeout = Duration.seconds(10)
    /// The time-out from the start of a request, waiting for a stream included, to the end of its response.
    package var timeout = Duration.seconds(20)
    /// Certificates in PEM, trusted besides the system's certificate authorities.
    package var additionalTrustRoots: String?
    /// The most connections to one host. With HTTP/2 one is best: it takes as many requests at once as the server
    /// allows, while on a new one libcurl sends before it knows how many those are. HTTP/1.1 takes one request at a
    /// time on each.
    package var connectionsPerHost = 1

    package init() {}
}
