import Foundation
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Requests and responses")
struct HTTPServerTests {
    /// A server that answers with what it has read.
    private static func echo(_ configuration: HTTPServerConfiguration = .init()) throws -> HTTPServer {
        try HTTPServer(configuration) { request in
            var lines = ["\(request.method) \(request.path) \(request.isHead)"]
            lines += request.query.map { "\($0.name)=\($0.value)" }
            lines.append(String(decoding: request.body, as: UTF8.self))
            return .now(
                HTTPResponse(
                    200, headers: [HTTPField("Content-Type", "text/plain"), HTTPField("ETag", "\"7\"")],
                    body: HTTPBody(lines.joined(separator: "\n"))))
        }
    }

    @Test("a connection takes one request after another")
    func keepAlive() async throws {
        try await onThread {
            let server = try Self.echo()
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            for number in 1...3 {
                let response = try connection.request("GET", "/a/\(number)?x=\(number)")
                #expect(response.status == 200)
                #expect(response.text == "GET [\"a\", \"\(number)\"] false\nx=\(number)\n")
                #expect(response.header("content-type") == "text/plain")
            }
            #expect(try connection.request("POST", "/", body: "hello").text == "POST [] false\nhello")
            #expect(server.statistics.requests == 4)
            #expect(server.statistics.connections == 1)
        }
    }

    @Test("HEAD is GET without the body")
    func head() async throws {
        try await onThread {
            let server = try Self.echo()
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            let response = try connection.request("HEAD", "/a")
            #expect(response.status == 200)
            #expect(response.header("content-length") == "15")
            #expect(try connection.request("GET", "/a").text == "GET [\"a\"] false\n")
        }
    }

    @Test(
        "segments and fields are percent-decoded",
        arguments: [
            ("/", "GET [] false\n"), ("/a%2Fb/%C3%A4%20", "GET [\"a/b\", \"ä \"] false\n"),
            ("/a//b/", "GET [\"a\", \"\", \"b\", \"\"] false\n"),
            ("/+?a+b=c+d%2B&e", "GET [\"+\"] false\na b=c d+\ne=\n"),
            ("http://example.com/a?b=%3D", "GET [\"a\"] false\nb==\n"), ("/?a=1&a=2", "GET [] false\na=1\na=2\n"),
        ])
    func decoding(target: String, expected: String) async throws {
        try await onThread {
            let server = try Self.echo()
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            #expect(try connection.request("GET", target).text == expected)
        }
    }

    @Test("a target that cannot be decoded is answered with 400", arguments: ["/%", "/%2", "/%zz", "/%FF", "/a?b=%00"])
    func badTargets(target: String) async throws {
        try await onThread {
            let server = try Self.echo()
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            let response = try connection.request("GET", target)
            #expect(response.status == 400)
            #expect(response.header("content-type") == "application/problem+json")
            #expect(response.text.contains("The target "))
            #expect(server.statistics.refused == [.malformedTarget: 1])
            #expect(try connection.request("GET", "/a").status == 200)
        }
    }

    @Test("an answer may come later, from another thread, at once or never")
    func later() async throws {
        try await onThread {
            let server = try HTTPServer(HTTPServerConfiguration()) { request in
                .later { completion in
                    switch request.path.first {
                    case "now": completion.finish(HTTPResponse(200, body: HTTPBody("now")))
                    case "never": break
                    default: Thread.detachNewThread { completion.finish(HTTPResponse(200, body: HTTPBody("later"))) }
                    }
                }
            }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            for _ in 0..<50 {
                #expect(try connection.request("GET", "/later").text == "later")
                #expect(try connection.request("POST", "/now", body: "{}").text == "now")
            }
            #expect(try connection.request("GET", "/never").status == 500)
        }
    }

    @Test("a chunked body is read whole")
    func chunked() async throws {
        try await onThread {
            let server = try Self.echo()
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            connection.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
            #expect(try connection.readResponse().text == "POST [] false\nabcde")
        }
    }

    @Test("Expect: 100-continue gets leave before the body is sent")
    func expectContinue() async throws {
        try await onThread {
            let server = try Self.echo()
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            connection.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try connection.readHead(interim: true).status == 100)
            connection.send("hi")
            #expect(try connection.readResponse().text == "PUT [\"a\"] false\nhi")
        }
    }
}
