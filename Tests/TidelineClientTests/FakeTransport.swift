import Foundation
import TidelineClient

/// A server in memory: what it answers, a test says; what it was asked, a test sees.
final class FakeTransport: HTTPTransport {
    typealias Answer = @Sendable (TransportRequest) throws -> TransportResponse

    private struct State {
        var answer: Answer
        var requests: [TransportRequest] = []
        var gate: (@Sendable () async -> Void)?
        var streams: [AsyncThrowingStream<Data, any Error>.Continuation] = []
        var streamHead: TransportHead?
        /// The server accepts connections, and says nothing.
        var isMute = false
        /// How many pieces were sent, and how often the reader asked for one: once more, when all are dealt with.
        var pushed = 0
        var asked = 0
    }

    private let state: Locked<State>

    init(_ answer: @escaping Answer = { _ in throw Offline() }) {
        state = Locked(State(answer: answer))
    }

    struct Offline: Error {}

    /// Answers this way from now on.
    func answer(_ answer: @escaping Answer) {
        state.withLock { $0.answer = answer }
    }

    /// The answers to requests arrive only when this returns; `nil` takes it away.
    func hold(_ gate: (@Sendable () async -> Void)?) {
        state.withLock { $0.gate = gate }
    }

    /// Streams can be opened from now on.
    func openStreams(
        _ head: TransportHead? = TransportHead(status: 200, headers: ["Content-Type": "text/event-stream"])
    ) {
        state.withLock { $0.streamHead = head }
    }

    /// The server says nothing to those that open a stream, or speaks again.
    func setMute(_ isMute: Bool) { state.withLock { $0.isMute = isMute } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        // The answer is made first, and is under way while others overtake it.
        let response = try answer(request)
        await state.withLock { $0.gate }?()
        return response
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        let isMute = state.withLock { $0.isMute }
        if isMute { try await Task.sleep(for: .seconds(100)) }
        let head = state.withLock { state in
            state.requests.append(request)
            if state.streamHead?.status == 200 { state.streams.append(continuation) }
            return state.streamHead
        }
        guard let head else { throw Offline() }
        if head.status != 200 { continuation.finish() }
        let inner = Locked(stream.makeAsyncIterator())
        let chunks = AsyncThrowingStream<Data, any Error> { [state] in
            state.withLock { $0.asked += 1 }
            var iterator = inner.withLock { $0 }
            return try await iterator.next()
        }
        return TransportStream(head: head, chunks: chunks) { continuation.finish(throwing: CancellationError()) }
    }

    // MARK: - For tests

    /// What was asked so far, as `GET /v1/timelines/a`.
    var calls: [String] { requests.map { "\($0.method) \($0.url.path(percentEncoded: true))" } }

    var requests: [TransportRequest] { state.withLock { $0.requests } }

    func forgetRequests() { state.withLock { $0.requests = [] } }

    /// How many streams were opened.
    var streams: Int { state.withLock { $0.streams.count } }

    /// Sends bytes in the newest stream.
    func push(_ text: String) {
        state.withLock { state in
            state.pushed += 1
            _ = state.streams.last?.yield(Data(text.utf8))
        }
    }

    /// True if the reader of the one stream has dealt with all that was sent.
    var isRead: Bool { state.withLock { $0.asked == $0.pushed + 1 } }

    /// Ends the newest stream; with an error if the connection is lost.
    func endStream(_ error: (any Error)? = nil) {
        state.withLock { $0.streams.last }?.finish(throwing: error)
    }
}

extension TransportResponse {
    static func json(_ text: String, status: Int = 200, _ headers: [String: String] = [:]) -> TransportResponse {
        TransportResponse(head: TransportHead(status: status, headers: headers), body: Data(text.utf8))
    }

    static func status(_ status: Int, _ headers: [String: String] = [:]) -> TransportResponse {
        TransportResponse(head: TransportHead(status: status, headers: headers))
    }
}
