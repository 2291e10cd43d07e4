internal import Foundation
internal import Timelines

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// HTTP by `URLSession`, without cookies and without a cache of its own.
///
/// Redirects are not followed: a token goes to the address that the app named and to no other.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let flows = TransportFlows()
    private let largestBody: Int

    /// A transport with a session of its own.
    ///
    /// - Parameter largestBody: how many bytes a whole answer may have; a larger one is an error.
    public init(largestBody: Int = 16 << 20) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        // Each stream of events keeps one connection; requests must not wait behind them.
        configuration.httpMaximumConnectionsPerHost = 32
        session = URLSession(configuration: configuration, delegate: flows, delegateQueue: nil)
        self.largestBody = largestBody
    }

    deinit {
        session.invalidateAndCancel()
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let stream = try await stream(request)
        var body = Data()
        for try await chunk in stream.chunks {
            body.append(chunk)
            guard body.count <= largestBody else {
                stream.cancel()
                throw TransportFailure("The answer has more than \(largestBody) bytes.")
            }
        }
        // A task that is cancelled ends the sequence early, with what came until then.
        try Task.checkCancellation()
        return TransportResponse(head: stream.head, body: body)
    }

    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        var wire = URLRequest(url: request.url)
        wire.httpMethod = request.method
        wire.httpBody = request.body
        for (name, value) in request.headers { wire.setValue(value, forHTTPHeaderField: name) }
        // Foundation has no "never"; whoever asks for it watches the stream.
        let never = Duration.seconds(7 * 86_400)
        wire.timeoutInterval = Double((request.timeout ?? never).components.seconds)
        let task = session.dataTask(with: wire)
        let flow = TransportFlows.Identifier(task.taskIdentifier)
        let cancel: @Sendable () -> Void = { [flows] in
            flows.end(flow, with: CancellationError())
            task.cancel()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { head in
                flows.begin(flow, head: head, cancel: cancel)
                task.resume()
                // The handler below may have run before there was anything to cancel.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
    }
}

/// The reason why no answer came, or not all of it.
struct TransportFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
