/// The settings of a server. Times are whole seconds or more.
package struct HTTPServerConfiguration: Sendable {
    /// A numeric address or `localhost`. `::` listens on IPv4, too.
    package var address = "127.0.0.1"
    /// 0 takes a free port.
    package var port = 0
    /// The server's threads. `nil` stands for one per processor, at most 8.
    package var threads: Int?
    package var tls: TLSFiles?

    /// The most bytes of a request's body; more is answered with 413.
    package var bodyLimit = 1 << 20
    /// The most bytes that the bodies of all requests under way have together, read or announced; a further body is
    /// answered with 503.
    package var bodiesLimit = 256 << 20
    /// Judges a request by its head, before its body is read: a response here is the answer, and the body is not kept.
    /// The request has no body yet. Called for requests with a body, on one of the server's threads.
    package var admit: (@Sendable (HTTPRequest) -> HTTPResponse?)?
    /// The memory of a connection in bytes, which a request's line and headers must fit in: more is answered with 431,
    /// or 414 where it is the line. Headers have about three quarters of it.
    package var connectionMemory = 16 << 10
    /// The most connections at a time, over all threads; a further one is answered with 503 or closed.
    package var connectionLimit = 16_384
    /// Requests of one address; `nil` stands for as many as come. More is answered with 429.
    package var rateLimit: RateLimit?

    /// The time that a connection without a request under way, or one whose peer takes no bytes, stays open.
    package var idleTimeout = Duration.seconds(60)
    /// The time from a request's line to the end of its body.
    package var requestTimeout = Duration.seconds(30)
    /// The time after which a request that was answered `.later` gets 504, finished or not.
    package var answerTimeout = Duration.seconds(120)
    /// The bytes per second that a peer takes of a response at least, after the first `idleTimeout`.
    package var slowestReader = 4096

    /// The smallest body that is compressed for those that accept gzip.
    package var gzipMinimum = 1024
    /// Gives further headers for every response, refusals and streams included, from the headers of its request.
    package var furtherHeaders: (@Sendable (HTTPHeaders) -> [HTTPField])?
    /// Gives the response for a request that never reaches `respond`.
    package var refusal: @Sendable (HTTPRefusal) -> HTTPResponse = { $0.response }

    package init() {}
}

/// A token bucket for each address: `burst` requests at once, and `perSecond` more each second. The addresses of one
/// IPv6 network (/64) share a bucket.
package struct RateLimit: Hashable, Sendable {
    package var perSecond: Double
    package var burst: Double
    /// The most addresses that are remembered; the one unused for longest is forgotten first.
    package var addresses = 65_536

    package init(perSecond: Double, burst: Double) {
        precondition(perSecond > 0 && burst >= 1, "a bucket that never has a token refuses everything")
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The files of a server's certificate, both in PEM.
package struct TLSFiles: Hashable, Sendable {
    /// The server's certificate first, then those between it and the authority.
    package var certificate: String
    /// The certificate's private key, without a passphrase.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
