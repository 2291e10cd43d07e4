import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Limits of a server")
struct LimitTests {
    private func server(
        _ change: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws -> HTTPServer {
        var configuration = HTTPServerConfiguration()
        change(&configuration)
        return try HTTPServer(configuration) { .now(HTTPResponse(200, body: HTTPBody("\($0.body.count)"))) }
    }

    @Test("a body that is too large is answered with 413, and the connection goes on")
    func bodyTooLarge() async throws {
        try await onThread {
            let server = try server { $0.bodyLimit = 1000 }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            #expect(try connection.request("POST", "/", body: String(repeating: "x", count: 1000)).text == "1000")
            let response = try connection.request("POST", "/", body: String(repeating: "x", count: 1001))
            #expect(response.status == 413)
            #expect(response.text.contains("1000 bytes"))
            let chunks = String(repeating: "3e8\r\n\(String(repeating: "x", count: 1000))\r\n", count: 3)
            connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n")
            #expect(try connection.readResponse().status == 413)
            #expect(try connection.request("POST", "/", body: "x").text == "1")
            #expect(server.statistics.refused == [.bodyTooLarge: 2])
        }
    }

    @Test("a body that is far too large is not read, nor is one that asks for leave")
    func bodyNotRead() async throws {
        try await onThread {
            let server = try server { $0.bodyLimit = 1000 }
            defer { server.shutdown() }
            for more in ["Content-Length: 99999999999\r\n", "Content-Length: 2000\r\nExpect: 100-continue\r\n"] {
                let connection = try RawConnection(port: server.port)
                connection.send("POST / HTTP/1.1\r\nHost: a\r\n\(more)\r\n")
                #expect(try connection.readHead(interim: true).status == 413)
            }
        }
    }

    @Test("a request is judged before its body is read")
    func admission() async throws {
        try await onThread {
            let server = try server {
                $0.admit = { request in
                    request.header("Authorization") == nil ? HTTPResponse(401, body: HTTPBody("\(request.path)")) : nil
                }
            }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            let refused = try connection.request("POST", "/a", body: "hello")
            #expect(refused.status == 401)
            #expect(refused.text == "[\"a\"]")
            #expect(try connection.request("POST", "/a", headers: ["Authorization: x"], body: "hello").text == "5")
            #expect(try connection.request("GET", "/a").status == 200)
            connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            #expect(try connection.readHead(interim: true).status == 401)
        }
    }

    @Test("bodies under way have a bound together")
    func bodies() async throws {
        try await onThread {
            let server = try server { $0.bodiesLimit = 200_000 }
            defer { server.shutdown() }
            var waiting = try RawConnection(port: server.port)
            waiting.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n")
            #expect(eventually { server.statistics.requests == 1 })
            let connection = try RawConnection(port: server.port)
            let body = String(repeating: "x", count: 60_000)
            #expect(try connection.request("POST", "/", body: body).status == 503)
            let chunk = "\(String(60_000, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)")
            #expect(try connection.readResponse().status == 503)
            #expect(server.statistics.refused == [.tooManyBodies: 2])
            waiting = connection
            #expect(eventually { (try? connection.request("POST", "/", body: body).status) == 200 })
            withExtendedLifetime(waiting) {}
        }
    }

    @Test("a body without an end is cut off")
    func endlessBody() async throws {
        try await onThread {
            let server = try server { $0.bodyLimit = 1000 }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            connection.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "10000\r\n\(String(repeating: "x", count: 65_536))\r\n"
            var sent = 0
            while sent < 1000, connection.send(chunk) { sent += 1 }
            #expect(sent < 1000)
        }
    }

    @Test("headers that are too large are answered with 431 or 414")
    func headersTooLarge() async throws {
        try await onThread {
            let server = try server()
            defer { server.shutdown() }
            for head in [
                "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n",
                "GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
            ] {
                let connection = try RawConnection(port: server.port)
                connection.send(head)
                #expect([414, 431].contains(try connection.readResponse().status))
            }
            #expect(eventually { server.statistics.refused == [.headersTooLarge: 2] })
            let connection = try RawConnection(port: server.port)
            let token = String(repeating: "x", count: 8000)
            #expect(try connection.request("GET", "/", headers: ["Authorization: Bearer \(token)"]).status == 200)
        }
    }

    @Test("requests beyond the rate of an address are answered with 429")
    func rate() async throws {
        try await onThread {
            let server = try server { $0.rateLimit = RateLimit(perSecond: 0.01, burst: 3) }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            for _ in 1...3 { #expect(try connection.request("GET", "/").status == 200) }
            let response = try RawConnection(port: server.port).request("POST", "/", body: "x")
            #expect(response.status == 429)
            #expect(response.header("retry-after").flatMap { Int($0) }.map { (40...100).contains($0) } == true)
            #expect(try connection.request("GET", "/").status == 429)
            #expect(server.statistics.refused == [.tooManyRequests: 2])
        }
    }

    @Test("buckets fill by time, each address its own, and the one unused for longest is forgotten")
    func buckets() {
        var limit = RateLimit(perSecond: 2, burst: 2)
        limit.addresses = 3
        let limiter = RateLimiter(limit)
        func wait(_ address: UInt64, _ seconds: Double) -> Int? {
            limiter.wait(PeerAddress.Network(isIPv6: false, bits: address), at: Int64(seconds * 1_000_000_000))
        }
        #expect(wait(1, 0) == nil && wait(1, 0) == nil)
        #expect(wait(1, 0) == 1)
        #expect(wait(2, 0) == nil)
        #expect(wait(1, 0.49) == 1)
        #expect(wait(1, 0.5) == nil)
        #expect(wait(1, 0.6) == 1)
        #expect(wait(1, 100) == nil && wait(1, 100) == nil)
        #expect(wait(1, 100) == 1)
        // A clock that goes back gives nothing.
        #expect(wait(1, 50) == 1)
        for address in 2...100 { _ = wait(UInt64(address), 100) }
        #expect(limiter.count == 3)
        #expect(wait(1, 100) == nil)
    }

    @Test("connections beyond the limit are answered with 503 or closed")
    func connections() async throws {
        try await onThread {
            let server = try server { $0.connectionLimit = 20 }
            defer { server.shutdown() }
            var open: [RawConnection] = []
            for _ in 0..<20 {
                let connection = try RawConnection(port: server.port)
                #expect(try connection.request("GET", "/").status == 200)
                open.append(connection)
            }
            let response = try RawConnection(port: server.port).request("GET", "/")
            #expect(response.status == 503)
            #expect(response.header("retry-after") == "5")
            #expect(response.header("connection") == "close")
            open.removeLast()
            #expect(
                eventually { (try? RawConnection(port: server.port).request("GET", "/").status) == 200 })
            for _ in 0..<200 { open.append(try RawConnection(port: server.port)) }
            #expect(eventually { server.statistics.refused[.tooManyConnections, default: 0] > 100 })
            #expect(server.statistics.connectionsOpen <= 20 + Daemon.connectionsBeyondLimit + 2)
        }
    }

    @Test("a request that comes drop by drop is cut off, and so is an idle connection")
    func slowRequests() async throws {
        try await onThread {
            let server = try server {
                $0.requestTimeout = .milliseconds(300)
                $0.idleTimeout = .milliseconds(600)
            }
            defer { server.shutdown() }
            for begin in [
                "", "GET", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nx",
            ] {
                let start = ContinuousClock.now
                let connection = try RawConnection(port: server.port, timeout: 60)
                connection.send(begin)
                // For longer than the limit below: a deadline that each drop renews would come after that.
                Thread.detachNewThread { for _ in 0..<1200 where connection.send("x") { usleep(50_000) } }
                _ = connection.readToEnd()
                #expect(ContinuousClock.now - start < .seconds(30), "after '\(begin)'")
            }
            #expect(server.statistics.refused[.tooSlow, default: 0] >= 2)
        }
    }

    @Test("an answer that does not come is 504")
    func unanswered() async throws {
        try await onThread {
            var configuration = HTTPServerConfiguration()
            configuration.answerTimeout = .milliseconds(200)
            let kept = Mutex<[HTTPCompletion]>([])
            let server = try HTTPServer(configuration) { _ in
                .later { completion in kept.withLock { $0.append(completion) } }
            }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            #expect(try connection.request("GET", "/").status == 504)
            #expect(server.statistics.refused == [.unanswered: 1])
            // Too late: nothing happens.
            kept.withLock { for completion in $0 { completion.finish(HTTPResponse(200)) } }
            #expect(try connection.request("GET", "/").status == 504)
        }
    }

    @Test("the server's end answers requests that wait")
    func shutdown() async throws {
        try await onThread {
            let kept = Mutex<[HTTPCompletion]>([])
            let server = try HTTPServer(HTTPServerConfiguration()) { _ in
                .later { completion in kept.withLock { $0.append(completion) } }
            }
            let connections = try (0..<5).map { _ in
                let connection = try RawConnection(port: server.port)
                connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return connection
            }
            #expect(eventually { kept.withLock { $0.count } == 5 })
            server.shutdown(grace: .seconds(2))
            for connection in connections { #expect(try connection.readResponse().status == 503) }
            kept.withLock { for completion in $0 { completion.finish(HTTPResponse(200)) } }
            #expect(server.statistics.refused == [.shuttingDown: 5])
            #expect(throws: RawConnection.Refused.self) { try RawConnection(port: server.port) }
        }
    }

    @Test("a port that is taken is named")
    func portTaken() async throws {
        try await onThread {
            let server = try server()
            defer { server.shutdown() }
            var configuration = HTTPServerConfiguration()
            configuration.port = server.port
            let error = #expect(throws: HTTPServerError.self) {
                try HTTPServer(configuration) { _ in .now(HTTPResponse(200)) }
            }
            #expect(error?.description.contains("127.0.0.1:\(server.port): Address already in use") == true)
            configuration.address = "example.com"
            #expect(throws: HTTPServerError.self) { try HTTPServer(configuration) { _ in .now(HTTPResponse(200)) } }
        }
    }

    @Test("IPv6 is listened on, too")
    func ipv6() async throws {
        try await onThread {
            var configuration = HTTPServerConfiguration()
            configuration.address = "::"
            let server = try HTTPServer(configuration) { .now(HTTPResponse(200, body: HTTPBody($0.remoteAddress))) }
            defer { server.shutdown() }
            #expect(try RawConnection(port: server.port).request("GET", "/").text == "127.0.0.1")
        }
    }
}
