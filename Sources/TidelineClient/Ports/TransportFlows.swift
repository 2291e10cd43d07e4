internal import Foundation
internal import Timelines

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The answers that a session is receiving: `URLSession` tells it of heads, bytes and ends, on a queue of its own.
///
/// On Linux `URLSession.bytes(for:)` does not exist; a delegate streams on every system.
final class TransportFlows: NSObject, URLSessionDataDelegate, Sendable {
    struct Identifier: Hashable, Sendable {
        private let number: Int

        init(_ number: Int) {
            self.number = number
        }
    }

    private struct Flow: Sendable {
        /// Waits for the head; `nil` once that came.
        var head: CheckedContinuation<TransportStream, any Error>?
        let stream: AsyncThrowingStream<Data, any Error>
        let chunks: AsyncThrowingStream<Data, any Error>.Continuation
        let cancel: @Sendable () -> Void
    }

    private let flows = LockedValue<[Identifier: Flow]>([:])

    /// How many pieces may wait for a reader who is slower than the server.
    private static let waitingChunksMax = 4096

    // MARK: - Requests

    /// Registers a request, before it is sent.
    func begin(
        _ identifier: Identifier, head: CheckedContinuation<TransportStream, any Error>,
        cancel: @escaping @Sendable () -> Void
    ) {
        let (stream, chunks) = AsyncThrowingStream.makeStream(
            of: Data.self, bufferingPolicy: .bufferingOldest(Self.waitingChunksMax))
        chunks.onTermination = { _ in cancel() }
        let flow = Flow(head: head, stream: stream, chunks: chunks, cancel: cancel)
        flows.withLock { $0[identifier] = flow }
    }

    /// Ends a request. Only the first end of a request counts.
    func end(_ identifier: Identifier, with error: (any Error)?) {
        guard let flow = flows.withLock({ $0.removeValue(forKey: identifier) }) else { return }
        flow.head?.resume(throwing: error ?? TransportFailure("The connection ended before the answer began."))
        flow.chunks.finish(throwing: error)
    }

    // MARK: - URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let identifier = Identifier(dataTask.taskIdentifier)
        guard let answer = response as? HTTPURLResponse else {
            end(identifier, with: TransportFailure("The answer is none of HTTP."))
            return completionHandler(.cancel)
        }
        let flow = flows.withLock { flows in
            defer { flows[identifier]?.head = nil }
            return flows[identifier]
        }
        guard let flow else { return completionHandler(.cancel) }
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        let head = TransportHead(status: answer.statusCode, headers: headers)
        flow.head?.resume(returning: TransportStream(head: head, chunks: flow.stream, cancel: flow.cancel))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let identifier = Identifier(dataTask.taskIdentifier)
        guard let flow = flows.withLock({ $0[identifier] }) else { return }
        guard case .dropped = flow.chunks.yield(data) else { return }
        end(identifier, with: TransportFailure("\(Self.waitingChunksMax) pieces of the answer wait to be read."))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let cause = error.map { $0 as NSError }
        let isCancelled = cause?.domain == NSURLErrorDomain && cause?.code == NSURLErrorCancelled
        end(Identifier(task.taskIdentifier), with: isCancelled ? CancellationError() : error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
