internal import CMicroHTTPD
import Synchronization

/// The right to answer one request later: exactly once, from any thread. A completion that nobody keeps and nobody has
/// finished answers 500.
package final class HTTPCompletion: Sendable {
    private let pending: PendingAnswer

    init(_ pending: PendingAnswer) {
        self.pending = pending
    }

    deinit {
        pending.finish(HTTPRefusal(500, .unanswered, "The server has no answer to this request.").response)
    }

    /// Answers the request. Only the first call counts, and none does once the server has answered 504 or 503 itself.
    package func finish(_ response: HTTPResponse) {
        pending.finish(response)
    }
}

/// An answer that a connection waits for.
final class PendingAnswer: Sendable {
    private struct State {
        var phase = Phase.open
        var response: HTTPResponse?
    }

    private enum Phase {
        /// Not yet set aside, so it must not be resumed.
        case open
        /// libmicrohttpd has set the connection aside; resuming it is what gets the response sent.
        case suspended
        case finished
    }

    private let state = Mutex(State())
    /// Valid until the answer is finished: a connection that is set aside is not closed.
    private nonisolated(unsafe) let connection: OpaquePointer

    init(_ connection: OpaquePointer) {
        self.connection = connection
    }

    /// Only the first call counts.
    func finish(_ response: HTTPResponse) {
        state.withLock { state in
            guard state.phase != .finished else { return }
            state.response = response
            if state.phase == .suspended { MHD_resume_connection(connection) }
            state.phase = .finished
        }
    }

    var isOpen: Bool { state.withLock { $0.phase != .finished } }

    // MARK: - The connection's thread

    /// Sets the connection aside, unless the answer is there already. The lock orders this before every resumption.
    func suspend() -> Bool {
        state.withLock { state in
            guard state.phase == .open else { return false }
            MHD_suspend_connection(connection)
            state.phase = .suspended
            return true
        }
    }

    /// Takes the response out, once there is one.
    func takeResponse() -> HTTPResponse? {
        state.withLock { $0.response.take() }
    }
}
