import Crypto
import Foundation
import HTTPClient
import TestSupport
import Testing

/// Against a server by Python's h2 over TLS: nothing there is of this project.
@Suite("The HTTP client")
struct HTTPClientTests {
    @Test("speaks HTTP/2 by ALPN, and puts many requests on one connection")
    func multiplexes() async throws {
        let identity = try await PushIdentity()
        var late = PushServer.Answer()
        late.delay = 2
        let server = try await PushServer(identity, answers: ["/late": Array(repeating: late, count: 40)])
        let results = try await send(
            (0..<40).map { post("https://\(server.host)/late/\($0)", "body \($0)") }, trusting: identity)
        #expect(results.allSatisfy { (try? $0.get())?.status == 200 && (try? $0.get())?.isHTTP2 == true }, "\(results)")
        let requests = try server.requests()
        #expect(requests.count == 40)
        #expect(Set(requests.map(\.body)) == Set((0..<40).map { "body \($0)" }))
        #expect(requests.allSatisfy { $0.alpn == "h2" && $0.http == 2 })
        #expect(Set(requests.map(\.connection)) == [1])
        #expect(requests.map(\.open).max() ?? 0 >= 10, "they wait for each other: \(requests.map(\.open))")
        #expect(requests.allSatisfy { $0.headers["x-mine"] == "yes" && $0.headers["content-type"] == nil })
        await server.stop()
    }

    @Test("sends no more at once on a connection than the server allows")
    func respectsStreams() async throws {
        let identity = try await PushIdentity()
        var late = PushServer.Answer()
        late.delay = 0.5
        let server = try await PushServer(
            identity, answers: ["/": Array(repeating: late, count: 60)], streams: 5)
        // What is allowed is known once the server has said it: with its first answer at the latest.
        let results = try await send(
            (0..<60).map { post("https://\(server.host)/\($0)") }, trusting: identity, oneByOne: 1)
        #expect(results.allSatisfy { (try? $0.get())?.status == 200 }, "\(results)")
        let open = try server.requests().map(\.open)
        #expect(open.count == 60 && open.max() == 5, "\(open)")
        await server.stop()
    }

    @Test("gives status, headers and body of any answer")
    func answers() async throws {
        let identity = try await PushIdentity()
        var busy = PushServer.Answer(503, reason: "ServiceUnavailable")
        busy.headers["retry-after"] = "7"
        let server = try await PushServer(identity, answers: ["/busy": [busy]])
        let response = try await send([post("https://\(server.host)/busy")], trusting: identity)[0].get()
        #expect(response.status == 503)
        #expect(response.header("Retry-After") == "7")
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"reason":"ServiceUnavailable"}"#)
        await server.stop()
    }

    @Test("refuses a server that no trusted authority vouches for")
    func untrusted() async throws {
        let server = try await PushServer(try await PushIdentity())
        let results = try await send([post("https://\(server.host)/")], trusting: try await PushIdentity())
        #expect(kind(results[0]) == .notTrusted)
        #expect(try server.requests().isEmpty)
        await server.stop()
    }

    @Test("refuses an answer over HTTP/1.1 where the request requires HTTP/2, and takes it elsewhere")
    func version() async throws {
        let identity = try await PushIdentity()
        let server = try await PushServer(identity, alpn: ["http/1.1"])
        var strict = post("https://\(server.host)/")
        strict.requiresHTTP2 = true
        #expect(kind(try await send([strict], trusting: identity)[0]) == .notHTTP2)
        let response = try await send([post("https://\(server.host)/")], trusting: identity)[0].get()
        #expect(response.status == 200 && !response.isHTTP2)
        await server.stop()
    }

    @Test("tells a connection that broke, a server that is away and one that never answers apart")
    func failures() async throws {
        let identity = try await PushIdentity()
        var silent = PushServer.Answer()
        silent.hang = true
        let server = try await PushServer(identity, answers: ["/drop": [.dropped], "/hang": [silent]])
        #expect(kind(try await send([post("https://\(server.host)/drop")], trusting: identity)[0]) == .unreachable)
        #expect(
            kind(try await send([post("https://\(server.host)/hang")], trusting: identity, timeout: .seconds(1))[0])
                == .timedOut)
        #expect(kind(try await send([post("ftp://\(server.host)/")], trusting: identity)[0]) == .invalid)
        await server.stop()
        #expect(kind(try await send([post("https://\(server.host)/")], trusting: identity)[0]) == .unreachable)
    }

    @Test("goes on over a new connection after GOAWAY")
    func goaway() async throws {
        let identity = try await PushIdentity()
        var last = PushServer.Answer()
        last.goaway = true
        let server = try await PushServer(identity, answers: ["/last": [last]])
        let requests = [post("https://\(server.host)/last"), post("https://\(server.host)/after")]
        let results = try await send(requests, trusting: identity, oneByOne: 2)
        #expect(results.allSatisfy { (try? $0.get())?.status == 200 }, "\(results)")
        #expect(try server.requests().map(\.connection) == [1, 2])
        await server.stop()
    }

    @Test("ends an answer whose headers have no end, and keeps none of them")
    func endlessHeaders() async throws {
        let script = """
            import socket
            s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(8)
            print(s.getsockname()[1], flush=True)
            c, _ = s.accept(); c.recv(65536)
            c.sendall(b"HTTP/1.1 200 OK\\r\\n")
            try:
                while True: c.sendall(b"x-filling: " + b"x" * 1000 + b"\\r\\n")
            except OSError:
                pass
            """
        let server = try ProcessRunner(URL(filePath: "/usr/bin/python3"), ["-c", script])
        defer { server.kill() }
        let isThere = await eventually { server.output.hasSuffix("\n") }
        try #require(isThere, "\(server.errorOutput)")
        let address = "http://127.0.0.1:\(server.output.trimmingCharacters(in: .newlines))/"
        let result = try await send([post(address)], trusting: try await PushIdentity())[0]
        let error = #expect(throws: HTTPClientError.self) { try result.get() }
        #expect(error?.kind == .unreachable)
        #expect(error?.description.contains("headers of the answer are longer than 65536") == true, "\(result)")
    }

    // MARK: - Parts

    private func post(_ url: String, _ body: String = "") -> HTTPClientRequest {
        HTTPClientRequest(url: url, headers: [HTTPHeader("x-mine", "yes")], body: Array(body.utf8))
    }

    private func kind(_ result: Result<HTTPClientResponse, HTTPClientError>) -> HTTPClientError.Kind? {
        if case .failure(let error) = result { error.kind } else { nil }
    }

    /// The results in the order of the requests; of which the first so many wait for each other.
    private func send(
        _ requests: [HTTPClientRequest], trusting identity: PushIdentity, oneByOne: Int = 0,
        timeout: Duration = .seconds(120)
    ) async throws -> [Result<HTTPClientResponse, HTTPClientError>] {
        var configuration = HTTPClientConfiguration()
        configuration.additionalTrustRoots = identity.authority.path
        configuration.timeout = timeout
        configuration.connectTimeout = .seconds(120)
        let settings = configuration
        return try await onItsOwnThread {
            let client = HTTPClient(settings)
            defer { client.shutdown() }
            var results: [Int: Result<HTTPClientResponse, HTTPClientError>] = [:]
            for (tag, request) in requests.enumerated() {
                client.execute(request, tag: tag)
                while tag < oneByOne && results[tag] == nil {
                    for completion in client.completions(timeout: .seconds(1)) {
                        results[completion.tag] = completion.result
                    }
                }
            }
            while results.count < requests.count {
                for completion in client.completions(timeout: .seconds(10)) {
                    results[completion.tag] = completion.result
                }
            }
            return results.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
