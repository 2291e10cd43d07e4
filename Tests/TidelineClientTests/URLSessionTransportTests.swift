import Foundation
import TestSupport
import Testing

@testable import TidelineClient

/// A server of Python's on loopback, so that a real connection carries what `URLSession` does.
@Suite("URLSession carries requests and streams", .timeLimit(.minutes(10)))
struct URLSessionTransportTests {
    private static let script = """
        import gzip, http.server, time
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def answer(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def chunk(self, text):
                self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(text), text))
                self.wfile.flush()
            def do_PUT(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = 412 if self.headers["If-Match"] == '"old"' else 200
                self.answer(status, body, X_Token=self.headers["Authorization"])
            def do_GET(self):
                if self.path.startswith("/tag"):
                    if self.headers["If-None-Match"] == '"1"': return self.answer(304, ETag='"1"')
                    return self.answer(200, gzip.compress(b"unpacked " * 1000), ETag='"1"', Content_Encoding="gzip")
                if self.path == "/elsewhere": return self.answer(302, Location="/tag")
                if self.path == "/large": return self.answer(200, b"x" * 5000)
                if self.path == "/mute": time.sleep(600)
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                last = self.headers["Last-Event-ID"] or "0"
                for number in range(int(last) + 1, int(last) + 4):
                    self.chunk(b"id: %d\\nevent: gap\\nda" % number)
                    time.sleep(0.05)
                    self.chunk(b"ta: {}\\n\\n")
                if self.path == "/open":
                    time.sleep(600)
                self.close_connection = True
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private let runner: ProcessRunner
    private let base: String

    init() async throws {
        let runner = try ProcessRunner(URL(filePath: "/usr/bin/python3"), ["-c", Self.script], timeout: .seconds(600))
        #expect(await eventually { runner.output.hasSuffix("\n") }, "\(runner.errorOutput)")
        self.runner = runner
        base = "http://127.0.0.1:\(runner.output.dropLast())"
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: base + path)) }

    @Test("bodies, headers and statuses come through; what is compressed is unpacked; redirects are not followed")
    func requests() async throws {
        defer { runner.kill() }
        let transport = URLSessionTransport(largestBody: 20_000)
        let full = try await transport.send(TransportRequest(method: "GET", url: url("/tag?a=b")))
        #expect(full.head.status == 200 && full.head["etag"] == "\"1\"")
        #expect(String(decoding: full.body, as: UTF8.self) == String(repeating: "unpacked ", count: 1000))
        let same = try await transport.send(
            TransportRequest(method: "GET", url: url("/tag"), headers: ["If-None-Match": "\"1\""]))
        #expect(same.head.status == 304 && same.body.isEmpty)
        let body = Data("{\"é\":1}".utf8)
        for (tag, status) in [("\"new\"", 200), ("\"old\"", 412)] {
            let put = try await transport.send(
                TransportRequest(
                    method: "PUT", url: url("/put"), headers: ["If-Match": tag, "Authorization": "Bearer t"], body: body
                ))
            #expect(put.head.status == status && put.body == body && put.head["X-Token"] == "Bearer t")
        }
        let elsewhere = try await transport.send(TransportRequest(method: "GET", url: url("/elsewhere")))
        #expect(elsewhere.head.status == 302)
        let small = URLSessionTransport(largestBody: 4999)
        await #expect(throws: (any Error).self) {
            try await small.send(TransportRequest(method: "GET", url: url("/large")))
        }
    }

    @Test("a server that is away or mute is an error, and a task that is cancelled ends")
    func failures() async throws {
        let transport = URLSessionTransport()
        let mute = try url("/mute")
        await #expect(throws: (any Error).self) {
            try await transport.send(TransportRequest(method: "GET", url: mute, timeout: .seconds(1)))
        }
        let task = Task { try await transport.send(TransportRequest(method: "GET", url: mute)) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(TransportRequest(method: "GET", url: mute))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        runner.kill()
        _ = await runner.result()
        await #expect(throws: (any Error).self) { try await transport.send(TransportRequest(method: "GET", url: mute)) }
    }

    @Test("a client's stream goes on over connections that end, and stops when nobody listens")
    func stream() async throws {
        defer { runner.kill() }
        var configuration = ClientConfiguration(
            baseURL: try url(""), readerId: "ana", directory: TemporaryDirectory.make("client"))
        configuration.random = { 0 }
        let client = try TidelineClient(configuration: configuration)
        var events: [ServerEvent] = []
        for try await event in client.events() {
            events.append(event)
            if events.count == 9 { break }
        }
        // Three events a connection, then it ends, and the next one begins behind the last event.
        #expect(events.filter { $0 == .gap }.count >= 6 && events.filter { $0 == .connected }.count == 2)
    }

    @Test("a stream that stays open ends as soon as its task is cancelled")
    func cancelledStream() async throws {
        defer { runner.kill() }
        let transport = URLSessionTransport()
        let open = try url("/open")
        let received = Locked(0)
        let task = Task {
            let stream = try await transport.stream(TransportRequest(method: "GET", url: open, timeout: nil))
            for try await chunk in stream.chunks { received.withLock { $0 += chunk.count } }
        }
        #expect(await eventually { received.withLock { $0 } >= 80 })
        let began = ContinuousClock.now
        task.cancel()
        _ = await task.result
        #expect(ContinuousClock.now - began < .seconds(300))
    }
}
