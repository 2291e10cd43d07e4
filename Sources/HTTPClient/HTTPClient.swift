// HTTPClient: requests over HTTP/2 and HTTP/1.1 by libcurl's multi interface, many at a time on few connections. Names
// are those of AsyncHTTPClient, as far as they go; completions are fetched by the thread that waits for them, so that
// nothing blocks Swift's cooperative pool.
//
// Servers are verified always. There is no way to switch that off; a certificate authority of one's own can be added.

/// Sends requests. The port behind which tests put servers of their own.
package protocol HTTPTransport: AnyObject {
    /// Starts a request and returns at once. Its completion comes with the same tag, exactly once.
    ///
    /// - Parameter tag: not the tag of a request under way.
    func execute(_ request: HTTPClientRequest, tag: Int)

    /// What has completed since the last call; waits up to `timeout` for the first. In order of completion.
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

/// How an `HTTPClient` connects.
package struct HTTPClientConfiguration: Hashable, Sendable {
    /// TCP and TLS together.
    package var connectTimeout = Duration.seconds(10)
    /// From the start of a request, waiting for a stream included, to the end of its response.
    package var timeout = Duration.seconds(20)
    /// PEM; trusted besides the system's certificate authorities.
    package var additionalTrustRoots: String?
    /// To one host. With HTTP/2 one is best: it takes as many requests at once as the server allows, while on a new one
    /// libcurl sends before it knows how many those are. HTTP/1.1 takes one request at a time on each.
    package var connectionsPerHost = 1

    package init() {}
}
