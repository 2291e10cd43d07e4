// HTTPServer: HTTP/1.1 on libmicrohttpd: requests, responses, event streams, TLS, gzip, limits.
//
// It must not know Tideline: no routes, no topics, no tokens. A closure answers each request, on one of the server's
// few threads: so it must not wait. What takes longer answers `.later`, and a stream of events answers `.events`.
//
// Begin with the server below; `HTTPAnswer` is the shape of all that a request can get, `Exchange` is one connection
// with the request on it, Daemon.swift is where libmicrohttpd calls in.

import Dispatch
import Synchronization

/// A server of HTTP/1.1 with threads of its own. All members may be used by any thread.
package final class HTTPServer: Sendable {
    private let core: ServerCore
    private let daemon: Daemon
    private let isShutDown = Mutex(false)

    /// The port that it listens on: the configuration's or, where that is 0, a free one.
    package let port: Int

    /// A sentence for the operator where the system allows less than the configuration asks for, such as files open
    /// at a time.
    package let notice: String?

    /// Listens and answers from here on.
    ///
    /// - Parameter respond: gives the answer to a request. The server's threads call it, several at a time; while it
    ///   runs, other connections of the same thread wait.
    package init(
        _ configuration: HTTPServerConfiguration,
        respond: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
    ) throws(HTTPServerError) {
        var configuration = configuration
        let tls = try configuration.tls?.read()
        notice = OpenFiles.raise(for: &configuration.connectionLimit)
        let socket = try ListeningSocket(configuration.address, port: configuration.port)
        port = socket.port
        core = ServerCore(configuration, respond: respond)
        daemon = try Daemon(core, socket: socket, tls: tls)
        core.startWatching()
    }

    deinit {
        shutdown(grace: .zero)
    }

    /// What was answered and what was refused so far.
    package var statistics: HTTPServerStatistics { core.counters.statistics(open: core.connections.count) }

    /// Listens no more, ends event streams, waits up to `grace` for requests under way and answers the rest with 503,
    /// for which it waits as long again, two seconds at most; then all connections are closed and the threads have
    /// ended. A second call does nothing.
    package func shutdown(grace: Duration = .seconds(2)) {
        let isFirst = isShutDown.withLock { isShutDown in
            defer { isShutDown = true }
            return !isShutDown
        }
        guard isFirst else { return }
        daemon.quiesce()
        core.end(grace: grace)
        daemon.stop()
        core.stopWatching()
    }
}

/// The reason why a server cannot start: a sentence for the operator.
package struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
