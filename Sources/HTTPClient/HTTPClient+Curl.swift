internal import CCurl
import Foundation
import Synchronization

/// libcurl's multi interface on a thread of its own, which owns every handle. `execute` and `completions` may be called
/// by any thread.
package final class HTTPClient: HTTPTransport, Sendable {
    private let configuration: HTTPClientConfiguration
    /// Only the thread uses it, but for `curl_multi_wakeup`, which any thread may call.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let shared = Mutex(Shared())
    /// Signalled once per completion, and when the thread has ended.
    private let completed = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private struct Shared {
        var requests: [(request: HTTPClientRequest, tag: Int)] = []
        var completions: [HTTPClientCompletion] = []
        var isEnding = false
    }

    private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    package init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        precondition(Self.isReady, "libcurl cannot start")
        guard let multi = curl_multi_init() else { preconditionFailure("no memory for an HTTP client") }
        self.configuration = configuration
        self.multi = multi
        ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHost)
        ccurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000)
        let thread = Thread { [self] in live() }
        thread.name = "http"
        thread.start()
    }

    package func execute(_ request: HTTPClientRequest, tag: Int) {
        shared.withLock { shared in
            precondition(!shared.isEnding, "the client is shut down")
            shared.requests.append((request, tag))
        }
        curl_multi_wakeup(multi)
    }

    package func completions(timeout: Duration) -> [HTTPClientCompletion] {
        // Signals of completions that were fetched with an earlier one are used up without waiting.
        let deadline = DispatchTime.now() + .milliseconds(timeout == .zero ? 0 : timeout.milliseconds)
        while true {
            let isSignalled = completed.wait(timeout: deadline) == .success
            let found = shared.withLock { shared in
                defer { shared.completions.removeAll() }
                return shared.completions
            }
            if !found.isEmpty || !isSignalled { return found }
        }
    }

    package func shutdown() {
        shared.withLock { $0.isEnding = true }
        curl_multi_wakeup(multi)
        ended.wait()
        curl_multi_cleanup(multi)
    }

    // MARK: - The thread

    /// Runs until `shutdown`: takes up requests, lets libcurl work, hands over what has completed, waits.
    private func live() {
        var transfers: [Int: Transfer] = [:]
        while true {
            let (requests, isEnding) = shared.withLock { shared in
                defer { shared.requests.removeAll() }
                return (shared.requests, shared.isEnding)
            }
            if isEnding { break }
            for (request, tag) in requests {
                let transfer = Transfer(request, tag: tag, configuration: configuration)
                precondition(transfers.updateValue(transfer, forKey: tag) == nil, "tag \(tag) is under way")
                curl_multi_add_handle(multi, transfer.easy)
            }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            handOver(&transfers)
            curl_multi_poll(multi, nil, 0, 1000, nil)
        }
        for transfer in transfers.values { curl_multi_remove_handle(multi, transfer.easy) }
        ended.signal()
    }

    private func handOver(_ transfers: inout [Int: Transfer]) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let transfer = Transfer.of(easy)
            let completion = HTTPClientCompletion(tag: transfer.tag, result: transfer.result(ccurl_result(message)))
            curl_multi_remove_handle(multi, easy)
            transfers[transfer.tag] = nil
            shared.withLock { $0.completions.append(completion) }
            completed.signal()
        }
    }
}
