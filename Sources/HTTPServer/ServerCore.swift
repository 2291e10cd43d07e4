import Dispatch
import Foundation
import Synchronization

/// What all connections of a server share.
final class ServerCore: Sendable {
    let configuration: HTTPServerConfiguration
    let respond: @Sendable (HTTPRequest) -> HTTPAnswer
    let counters = Counters()
    let connections = ConnectionTable()
    let rateLimiter: RateLimiter?
    let compressor = GzipCompressor()
    private let log = Mutex<String?>(nil)
    private let ending = Atomic(false)
    /// Signalled when the last request under way has ended, once the server is ending.
    private let idle = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    private let hasStopped = DispatchSemaphore(value: 0)

    init(_ configuration: HTTPServerConfiguration, respond: @escaping @Sendable (HTTPRequest) -> HTTPAnswer) {
        self.configuration = configuration
        self.respond = respond
        rateLimiter = configuration.rateLimit.map { RateLimiter($0) }
    }

    var isEnding: Bool { ending.load(ordering: .sequentiallyConsistent) }

    /// The last line that libmicrohttpd has logged.
    var lastLine: String? { log.withLock { $0 } }

    func note(_ line: String) { log.withLock { $0 = line } }

    func requestBegan() { counters.active.wrappingAdd(1, ordering: .relaxed) }

    func requestEnded() {
        let left = counters.active.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0, isEnding { idle.signal() }
    }

    /// Ends event streams, then waits for requests under way, then answers what is left.
    func end(grace: Duration) {
        ending.store(true, ordering: .sequentiallyConsistent)
        // A connection sets its attachment and looks at `isEnding` afterwards: one of the two sees the other.
        for exchange in connections.all {
            if case .stream(let stream) = exchange.attached { stream.close() }
        }
        let deadline = DispatchTime.now() + .milliseconds(grace.milliseconds)
        waitUntilIdle(deadline)
        let refusal = HTTPRefusal(503, .shuttingDown, "The server is being shut down.", retryAfter: 1)
        for exchange in connections.all {
            if case .answer(let answer) = exchange.attached { finish(answer, refusal) }
        }
        waitUntilIdle(DispatchTime.now() + .milliseconds(min(2_000, grace.milliseconds)))
    }

    private func waitUntilIdle(_ deadline: DispatchTime) {
        while counters.active.load(ordering: .sequentiallyConsistent) > 0 {
            if idle.wait(timeout: deadline) == .timedOut { return }
        }
    }

    // MARK: - Deadlines

    /// Starts the thread that looks for connections whose deadline has passed.
    func startWatching() {
        let thread = Thread { [self] in
            while stopped.wait(timeout: .now() + .milliseconds(watchInterval)) == .timedOut { expire() }
            hasStopped.signal()
        }
        thread.name = "http-deadlines"
        thread.stackSize = 256 << 10
        thread.start()
    }

    func stopWatching() {
        stopped.signal()
        hasStopped.wait()
    }

    private var watchInterval: Int {
        let times = [configuration.idleTimeout, configuration.requestTimeout, configuration.answerTimeout]
        return max(50, min(1000, times.map(\.milliseconds).min().map { $0 / 4 } ?? 1000))
    }

    private func expire() {
        let refusal = HTTPRefusal(504, .unanswered, "The answer took too long.")
        let expired = connections.expire(at: Monotonic.now) { counters.count(.tooSlow) }
        for attachment in expired {
            switch attachment {
            case .answer(let answer): finish(answer, refusal)
            case .stream(let stream): stream.close()
            }
        }
    }

    /// Answers in place of the closure, if that has not answered yet.
    private func finish(_ answer: PendingAnswer, _ refusal: HTTPRefusal) {
        // Counted first: whoever reads the answer finds it counted.
        if answer.isOpen { counters.count(refusal.kind) }
        answer.finish(configuration.refusal(refusal))
    }
}

/// The open connections, by socket.
final class ConnectionTable: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// By the socket's number, which the system keeps small.
        var exchanges: [Exchange?] = []
        var count = 0
    }

    var count: Int { state.withLock { $0.count } }

    var all: [Exchange] { state.withLock { $0.exchanges.compactMap { $0 } } }

    func insert(_ exchange: Exchange) {
        state.withLock { state in
            let index = Int(exchange.socket)
            while state.exchanges.count <= index { state.exchanges.append(nil) }
            precondition(state.exchanges[index] == nil, "a socket is removed before it is closed")
            state.exchanges[index] = exchange
            state.count += 1
        }
    }

    func remove(_ exchange: Exchange) {
        state.withLock { state in
            state.exchanges[Int(exchange.socket)] = nil
            state.count -= 1
        }
    }

    /// Breaks connections whose deadline has passed, but for those that wait for an answer or are streams: these are
    /// returned.
    ///
    /// The lock keeps their sockets open meanwhile: a connection is removed before its socket is closed.
    func expire(at now: Int64, onAbort: () -> Void) -> [Exchange.Attachment] {
        state.withLock { state in
            var expired: [Exchange.Attachment] = []
            for case let exchange? in state.exchanges where exchange.isExpired(at: now) {
                exchange.expires(at: .max)
                if let attachment = exchange.attached {
                    expired.append(attachment)
                } else {
                    exchange.abort()
                    onAbort()
                }
            }
            return expired
        }
    }
}

/// The time since some point in the past, in nanoseconds; it never goes back.
enum Monotonic {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }

    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
