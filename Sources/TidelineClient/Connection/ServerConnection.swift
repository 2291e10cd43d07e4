internal import Foundation
internal import Positions

/// One server: its address, the token, and the form of requests and errors.
final class ServerConnection: Sendable {
    private let base: String
    private let transport: any HTTPTransport
    private let token: LockedValue<BearerToken?>
    private let log: (@Sendable (String) -> Void)?

    /// - Parameter base: an address without query and fragment; a path in it stands before those of the server.
    init(base: URL, token: BearerToken?, transport: any HTTPTransport, log: (@Sendable (String) -> Void)?) {
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        self.base = text
        self.transport = transport
        self.token = LockedValue(token)
        self.log = log
    }

    func setToken(_ token: BearerToken?) {
        self.token.withLock { $0 = token }
    }

    /// Says something to the app's log.
    func note(_ line: @autoclosure () -> String) {
        log?(line())
    }

    // MARK: - Requests

    /// A request without the server's address: names that become a path, and a query.
    struct Call: Sendable {
        var method = "GET"
        /// The parts of the path after `/v1`, not encoded.
        var path: [String]
        var query: [(name: String, value: String)] = []
        var headers: [String: String] = [:]
        var body: Data?
        var timeout: Duration? = .seconds(30)
    }

    /// Sends a call.
    ///
    /// - Parameter accepted: the statuses from 300 on that the caller deals with.
    /// - Returns: an answer of a status below 300, or of an accepted one.
    func send(_ call: Call, accepting accepted: Set<Int> = []) async throws(TidelineError) -> TransportResponse {
        let request = try request(for: call)
        let response: TransportResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw failure(error, of: call)
        }
        log?("\(call.method) \(Self.path(of: call)) \(response.head.status)")
        guard response.head.status < 300 || accepted.contains(response.head.status) else {
            throw .refused(Problem(response))
        }
        return response
    }

    /// Opens a stream of events.
    func stream(_ call: Call) async throws(TidelineError) -> TransportStream {
        let request = try request(for: call)
        let stream: TransportStream
        do {
            stream = try await transport.stream(request)
        } catch {
            throw failure(error, of: call)
        }
        log?("\(call.method) \(Self.path(of: call)) \(stream.head.status), a stream")
        guard stream.head.status >= 300 else { return stream }
        var body = Data()
        do {
            for try await chunk in stream.chunks where body.count < 1 << 16 { body.append(chunk) }
        } catch {
            // The status says enough where the body of the refusal is lost.
            log?("\(call.method) \(Self.path(of: call)): the refusal is cut off: \(error)")
        }
        throw .refused(Problem(TransportResponse(head: stream.head, body: body)))
    }

    private func request(for call: Call) throws(TidelineError) -> TransportRequest {
        guard let url = URL(string: base + Self.path(of: call)) else {
            throw .unreachable("\(base)\(Self.path(of: call)) is no address.")
        }
        var headers = call.headers
        if let token = token.withLock({ $0 }) { headers["Authorization"] = "Bearer \(token.text)" }
        if call.body != nil { headers["Content-Type"] = "application/json" }
        if headers["Accept"] == nil { headers["Accept"] = "application/json, application/problem+json" }
        return TransportRequest(
            method: call.method, url: url, headers: headers, body: call.body, timeout: call.timeout)
    }

    private func failure(_ error: any Error, of call: Call) -> TidelineError {
        if error is CancellationError || Task.isCancelled { return .cancelled }
        log?("\(call.method) \(Self.path(of: call)): \(error)")
        if let failure = error as? TransportFailure { return .unreachable(failure.description) }
        return .unreachable(error.localizedDescription)
    }

    private static func path(of call: Call) -> String {
        let path = (["v1"] + call.path).map { "/\($0.percentEncoded)" }.joined()
        let query = call.query.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }
}

extension String {
    /// The text with all bytes but RFC 3986's unreserved ones encoded, so that it is one part of a path or query.
    var percentEncoded: String { percentEncoded { _ in true } }

    /// The text with all bytes encoded but those of RFC 3986's unreserved ones that are kept.
    func percentEncoded(keeping isKept: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case _ where !isKept(byte): bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            // A dot alone would be a step in a path.
            case UInt8(ascii: ".") where self != "." && self != "..": bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TransportHead {
    /// The instant of the header `Date` (RFC 9110 section 6.6.1), to the second; `nil` if there is none.
    var date: Instant? { instant(in: "Date") }

    /// The time that the server asks to wait before the next try (RFC 9110 section 10.2.3), at most a day; `nil` if it
    /// asks for none. An instant is taken by the clock of the server, which says the present in `Date`.
    var retryAfter: ElapsedTime? {
        let seconds = self["Retry-After"].flatMap(Int64.init).map { ElapsedTime.seconds(max(0, min($0, 86_400))) }
        guard seconds == nil, let date, let next = instant(in: "Retry-After") else { return seconds }
        return max(.zero, min(next - date, .seconds(86_400)))
    }

    private func instant(in header: String) -> Instant? {
        guard let text = self[header] else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter.date(from: text).map { Instant(milliseconds: Int64($0.timeIntervalSince1970 * 1000)) }
    }
}
