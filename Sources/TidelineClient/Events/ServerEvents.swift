internal import Foundation
internal import Positions

/// The changes that a server tells of, until the task is cancelled or the server refuses.
///
/// A connection that is lost is made again, after the time that the server asks for and with more patience each time;
/// it resumes behind the last event (`Last-Event-ID`), so that nothing is missed and nothing comes twice. A connection
/// on which nothing is heard for `silenceMax`, not even a heartbeat, counts as lost. Iterating fails with
/// `TidelineError.refused` when the server refuses the stream, for example for a wrong token.
public struct ServerEvents: AsyncSequence, Sendable {
    public typealias Element = ServerEvent

    let source: EventSource

    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: EventReader(source))
    }

    /// Reads one stream. Each iterator has a connection of its own.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: EventReader

        init(reader: EventReader) {
            self.reader = reader
        }

        /// The next change; `nil` means that there are no more, because the task was cancelled.
        public mutating func next() async throws -> ServerEvent? {
            try await reader.next()
        }
    }
}

/// All that a stream of events needs.
struct EventSource: Sendable {
    var connection: ServerConnection
    /// The query of the stream; `nil` means that nothing may be asked for, and the stream is empty.
    var query: [(name: String, value: String)]?
    var clock: any ClientClock
    var random: RandomNumber
    /// How long a connection may be silent: three of the server's heartbeats by default.
    var silenceMax: ElapsedTime
    /// Is called with each timeline before it is handed on, and with each id that is gone.
    var remember: @Sendable (_ configurationId: String, _ timeline: (PublishedTimeline, Data)?) async -> Void
}

/// Reads one stream, connection after connection. One task uses it.
final class EventReader {
    private let source: EventSource
    private var parser = ServerSentEventParser()
    private var backoff = Backoff(longest: .minutes(1))
    private var connection: (stream: TransportStream, chunks: AsyncThrowingStream<Data, any Error>.Iterator)?
    private var waiting: [ServerSentEvent] = []
    private var retryAt: Instant?
    private var silence: SilenceWatch?

    init(_ source: EventSource) {
        self.source = source
    }

    deinit {
        connection?.stream.cancel()
        silence?.stop()
    }

    func next() async throws -> ServerEvent? {
        guard source.query != nil else { return nil }
        while !Task.isCancelled {
            if !waiting.isEmpty {
                if let event = await understood(waiting.removeFirst()) { return event }
                continue
            }
            do throws(TidelineError) {
                guard connection != nil else { return try await connect() }
                if try await receive() { continue }
                return disconnected(.unreachable("The server ended the stream."))
            } catch {
                guard let event = try lost(error) else { break }
                return event
            }
        }
        close()
        return nil
    }

    // MARK: - Connections

    private func connect() async throws(TidelineError) -> ServerEvent {
        if let retryAt {
            let wait = retryAt - source.clock.now
            if wait > .zero {
                do { try await source.clock.sleep(for: wait) } catch { throw .cancelled }
            }
        }
        var call = ServerConnection.Call(path: ["stream"], query: source.query ?? [], timeout: nil)
        call.headers = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
        if !parser.lastEventId.isEmpty { call.headers["Last-Event-ID"] = parser.lastEventId }
        let stream = try await open(call)
        guard stream.head["Content-Type"]?.lowercased().hasPrefix("text/event-stream") == true else {
            stream.cancel()
            throw .unreadable("the stream's Content-Type must be text/event-stream")
        }
        parser.reset()
        connection = (stream, stream.chunks.makeAsyncIterator())
        silence = SilenceWatch(source.clock, source.silenceMax) { stream.cancel() }
        return .connected
    }

    /// Opens a stream. A server that accepts the connection and then says nothing counts as lost, too.
    private func open(_ call: ServerConnection.Call) async throws(TidelineError) -> TransportStream {
        let connection = source.connection
        let opening = Task { () -> Result<TransportStream, TidelineError> in
            do throws(TidelineError) {
                return .success(try await connection.stream(call))
            } catch {
                return .failure(error)
            }
        }
        let watch = SilenceWatch(source.clock, source.silenceMax) { opening.cancel() }
        let result = await withTaskCancellationHandler {
            await opening.value
        } onCancel: {
            opening.cancel()
        }
        watch.stop()
        if case .failure(.cancelled) = result, watch.hasFired { throw silent }
        return try result.get()
    }

    private var silent: TidelineError {
        .unreachable("Nothing was heard for \(source.silenceMax.milliseconds / 1000) s.")
    }

    /// Takes in the next piece of the stream.
    ///
    /// - Returns: false at the stream's end.
    private func receive() async throws(TidelineError) -> Bool {
        guard var chunks = connection?.chunks else { return false }
        let chunk: Data?
        do {
            chunk = try await chunks.next()
        } catch {
            if Task.isCancelled { throw .cancelled }
            if silence?.hasFired == true { throw silent }
            throw .unreachable("The connection was lost.")
        }
        if Task.isCancelled { throw .cancelled }
        guard let chunk else { return false }
        silence?.heard()
        waiting += parser.events(in: chunk)
        backoff.succeed()
        return true
    }

    /// - Returns: the event that tells of the loss; `nil` if the task was cancelled.
    /// - Throws: the error if a new connection would end alike.
    private func lost(_ error: TidelineError) throws(TidelineError) -> ServerEvent? {
        switch error {
        case .cancelled: return nil
        case .refused(let problem) where !problem.isTemporary:
            close()
            throw error
        default: return disconnected(error)
        }
    }

    private func disconnected(_ error: TidelineError) -> ServerEvent {
        close()
        var asked: ElapsedTime?
        if case .refused(let problem) = error { asked = problem.retryAfter }
        let server = parser.retryMilliseconds.map { ElapsedTime(milliseconds: min($0, 3_600_000)) }
        let wait = backoff.fail(atLeast: [asked, server].compactMap(\.self).max(), source.random)
        let next = source.clock.now + wait
        retryAt = next
        return .disconnected(error, retryAt: next)
    }

    private func close() {
        silence?.stop()
        silence = nil
        connection?.stream.cancel()
        connection = nil
    }

    // MARK: - Events

    /// The meaning of an event; `nil` means that it has none for this library. One that cannot be read is a gap.
    private func understood(_ event: ServerSentEvent) async -> ServerEvent? {
        let read: (event: ServerEvent, value: Data?)?
        do {
            read = try ServerEvent.reading(event)
        } catch {
            source.connection.note("event \(event.type): \(error)")
            return .gap
        }
        switch read?.event {
        case .timeline(let timeline):
            if let value = read?.value { await source.remember(timeline.configurationId, (timeline, value)) }
        case .timelineRemoved(let configurationId): await source.remember(configurationId, nil)
        default: break
        }
        return read?.event
    }
}

extension Problem {
    /// True if the same request may succeed later.
    var isTemporary: Bool { status == 408 || status == 425 || status == 429 || status >= 500 }
}
