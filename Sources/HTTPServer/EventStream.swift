internal import CMicroHTTPD
import Glibc
import Synchronization

/// A response without an end, such as `text/event-stream`: bytes are sent as they come, from any thread. A client that
/// takes none of them for too long is closed; between two sends its connection has no thread and no buffer.
package final class EventStream: Sendable {
    private struct State {
        var phase = Phase.unattached
        var waiting: [SharedBytes] = []
        /// The bytes of the first in `waiting` that are sent already.
        var sent = 0
        /// The bytes of all in `waiting` that are not sent yet.
        var waitingBytes = 0
        var isClosed = false
        var isTooSlow = false
        /// The connection's buffer was written to, beyond its first page.
        var isBufferUsed = true
    }

    private enum Phase {
        /// No connection yet: what is sent waits for it.
        case unattached
        /// libmicrohttpd will ask for bytes by itself.
        case active(Exchange)
        /// libmicrohttpd has set the connection aside, since there was nothing to send.
        case suspended(Exchange)
        case ended
    }

    private let state = Mutex(State())
    let headers: [HTTPField]
    private let bufferLimit: Int
    package let lifetime: Duration?
    private let onClose: @Sendable (Ending) -> Void

    /// - Parameters:
    ///   - bufferLimit: the most bytes that wait behind those under way; the next send closes a client that is so far
    ///     behind. What is under way, the bytes of one send, may be of any length.
    ///   - lifetime: the time after which the server closes the stream, such as the rest of a token's; `nil` for ever.
    ///   - onClose: called exactly once, on one of the server's threads, when nothing can be sent any more. The stream
    ///     was never sent from then, or it was and has ended.
    package init(
        headers: [HTTPField] = [
            HTTPField("Content-Type", "text/event-stream"), HTTPField("Cache-Control", "no-store"),
        ],
        bufferLimit: Int = 256 << 10, lifetime: Duration? = nil,
        onClose: @escaping @Sendable (Ending) -> Void = { _ in }
    ) {
        self.headers = headers
        self.bufferLimit = bufferLimit
        self.lifetime = lifetime
        self.onClose = onClose
    }

    /// The reason why a stream has ended.
    package enum Ending: Hashable, Sendable {
        /// `close` was called, its lifetime is over, or the server was shut down.
        case closed
        /// The client has gone.
        case disconnected
        /// The client took too few of the bytes, and `bufferLimit` was reached.
        case tooSlow
    }

    /// Sends bytes, in the order of the calls. Returns `false` where they will not arrive: the stream has ended, or
    /// ends now since the client is too slow.
    @discardableResult
    package func send(_ bytes: SharedBytes) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            if case .ended = state.phase { return false }
            guard bytes.count > 0 else { return true }
            // The bytes under way do not count: a long beginning, such as all that a client has missed, takes its time.
            let underWay = (state.waiting.first?.count ?? 0) - state.sent
            guard state.waiting.isEmpty || state.waitingBytes - underWay + bytes.count <= bufferLimit else {
                state.isClosed = true
                state.isTooSlow = true
                state.waiting = []
                state.waitingBytes = 0
                // The connection waits for the client to take bytes, which it may never do.
                if case .active(let exchange) = state.phase { exchange.abort() }
                return false
            }
            state.waiting.append(bytes)
            state.waitingBytes += bytes.count
            Self.resume(&state)
            return true
        }
    }

    /// Ends the stream once all that was sent has been handed over.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            Self.resume(&state)
        }
    }

    /// The bytes that wait for the client.
    package var waitingBytes: Int { state.withLock { $0.waitingBytes } }

    private static func resume(_ state: inout State) {
        guard case .suspended(let exchange) = state.phase else { return }
        state.phase = .active(exchange)
        MHD_resume_connection(exchange.connection)
    }

    // MARK: - The connection's thread

    func attach(_ exchange: Exchange) {
        state.withLock { $0.phase = .active(exchange) }
    }

    /// Copies the next bytes, sets the connection aside where there are none, or says that the stream has ended.
    ///
    /// The lock makes one step of "there is nothing" and "set aside": whoever sends later sees that it must resume, and
    /// nobody can resume a connection that is not yet set aside.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            guard state.waitingBytes > 0 else {
                if state.isClosed { return Self.endOfStream }
                if case .active(let exchange) = state.phase {
                    if state.isBufferUsed { Self.release(buffer) }
                    state.isBufferUsed = false
                    MHD_suspend_connection(exchange.connection)
                    state.phase = .suspended(exchange)
                }
                return 0
            }
            var count = 0
            var taken = 0
            while taken < state.waiting.count, count < buffer.count {
                let bytes = state.waiting[taken].bytes
                let part = bytes[state.sent..<min(bytes.count, state.sent + buffer.count - count)]
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: part))
                count += part.count
                state.sent += part.count
                if state.sent == bytes.count {
                    taken += 1
                    state.sent = 0
                }
            }
            if taken == state.waiting.count { state.waiting = [] } else { state.waiting.removeFirst(taken) }
            state.waitingBytes -= count
            if count > 2048 { state.isBufferUsed = true }
            return count
        }
    }

    /// Gives whole pages of a buffer back to the system: its content means nothing until it is written again, and most
    /// of a connection's memory is this buffer. Without this ten thousand idle streams hold 80 MB more.
    private static func release(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress else { return }
        let page = 4096
        let start = (UInt(bitPattern: base) + UInt(page - 1)) & ~UInt(page - 1)
        let end = (UInt(bitPattern: base) + UInt(buffer.count)) & ~UInt(page - 1)
        // Where pages are larger the call fails, and nothing is lost.
        if end > start { madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED) }
    }

    /// The connection is about to be closed: nothing may touch it from here on.
    /// Returns the reason of the end.
    @discardableResult
    func detach(_ ending: Ending) -> Ending {
        let ending = state.withLock { state in
            state.phase = .ended
            state.waiting = []
            state.waitingBytes = 0
            return state.isTooSlow ? .tooSlow : ending
        }
        onClose(ending)
        return ending
    }

    /// `MHD_CONTENT_READER_END_OF_STREAM`, a macro.
    private static let endOfStream = -1
}
