import Foundation
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Compression, entity tags, TLS")
struct ContentTests {
    private static let text = String(repeating: "a timeline of many entries. ", count: 1000)

    private static func server(_ headers: [HTTPField], _ body: HTTPBody = HTTPBody(text)) throws -> HTTPServer {
        try HTTPServer(HTTPServerConfiguration()) { _ in .now(HTTPResponse(200, headers: headers, body: body)) }
    }

    private static let json = HTTPField("Content-Type", "application/json; charset=utf-8")

    private func unzipped(_ bytes: [UInt8]) async throws -> String {
        let file = TemporaryDirectory.make("gzip").appending(path: "body.gz")
        try Data(bytes).write(to: file)
        let result = try await ProcessRunner.run(URL(filePath: "/usr/bin/gzip"), ["-dc", file.path])
        try #require(result.succeeded, "\(result.standardError)")
        return result.standardOutput
    }

    @Test("content is compressed for those that accept it")
    func gzip() async throws {
        let server = try Self.server([Self.json, HTTPField("ETag", "\"7\"")])
        let (compressed, plain) = try await onThread {
            let connection = try RawConnection(port: server.port)
            return (
                try connection.request("GET", "/", headers: ["Accept-Encoding: br, gzip;q=0.5"]),
                try connection.request("GET", "/", headers: ["Accept-Encoding: gzip;q=0, identity"])
            )
        }
        server.shutdown()
        #expect(compressed.header("content-encoding") == "gzip")
        #expect(compressed.header("vary") == "Accept-Encoding")
        #expect(compressed.header("etag") == "\"7-gzip\"")
        #expect(compressed.body.count < Self.text.utf8.count / 10)
        #expect(try await unzipped(compressed.body) == Self.text)
        #expect(plain.header("content-encoding") == nil)
        #expect(plain.header("vary") == "Accept-Encoding")
        #expect(plain.header("etag") == "\"7\"")
        #expect(plain.text == Self.text)
    }

    @Test("a compressed twin is sent as it is; small, encoded and binary content is not compressed")
    func gzipOrNot() async throws {
        let twin = HTTPBody(SharedBytes(Self.text.utf8), gzip: SharedBytes([1, 2, 3]))
        let cases: [([HTTPField], HTTPBody, Int)] = [
            ([Self.json], twin, 3), ([HTTPField("Content-Type", "text/calendar")], twin, 3),
            ([Self.json], HTTPBody("short"), 5), ([HTTPField("Content-Type", "image/png")], twin, twin.bytes.count),
            ([], twin, twin.bytes.count), ([Self.json, HTTPField("Content-Encoding", "br")], twin, twin.bytes.count),
        ]
        for (headers, body, count) in cases {
            let server = try Self.server(headers, body)
            let response = try await onThread {
                try RawConnection(port: server.port).request("GET", "/", headers: ["Accept-Encoding: gzip"])
            }
            server.shutdown()
            #expect(response.body.count == count)
            #expect(response.header("content-encoding") == (count == 3 ? "gzip" : headers.count == 2 ? "br" : nil))
        }
    }

    @Test("Accept-Encoding is read as RFC 9110 section 12.5.3 has it")
    func acceptEncoding() {
        for value in ["gzip", "GZIP", "deflate, gzip", "gzip;q=0.1", "*", "br;q=1, *;q=0.1", "x-gzip", "gzip ; q=1"] {
            #expect(AcceptEncoding.takesGzip(value), "\(value)")
        }
        for value in ["", "identity", "gzip;q=0", "*;q=0", "gzip;q=0.0, *", "br", "gzipped", ",;,"] {
            #expect(!AcceptEncoding.takesGzip(value), "\(value)")
        }
    }

    @Test("conditions name tags")
    func entityTags() {
        let none: [(String, String, Bool)] = [
            ("\"7\"", "\"7\"", true), ("\"7\"", "W/\"7\"", true), ("\"7\"", "\"6\", \"7-gzip\"", true),
            ("\"7\"", "*", true), ("\"7\"", "\"8\"", false), ("\"7\"", "7", false), ("\"7\"", "", false),
            ("W/\"7\"", "\"7\"", true), ("\"a,b\"", "\"a,b\"", true), ("\"7\"", "\"7", false),
        ]
        for (tag, value, expected) in none {
            #expect(EntityTag.isNamed(tag, byIfNoneMatch: value) == expected, "\(tag) \(value)")
        }
        let match: [(String?, String, Bool)] = [
            ("\"7\"", "\"7\"", true), ("\"7\"", "\"7-gzip\"", true), ("\"7\"", "W/\"7\"", false), ("\"7\"", "*", true),
            (nil, "*", false), (nil, "\"7\"", false), ("\"7\"", "\"8\", \"9\"", false),
        ]
        for (tag, value, expected) in match {
            #expect(EntityTag.isNamed(tag, byIfMatch: value) == expected, "\(tag ?? "nil") \(value)")
        }
    }

    @Test("a 304 names the tag and the variants of its 200")
    func notModified() async throws {
        try await onThread {
            let server = try HTTPServer(HTTPServerConfiguration()) { _ in
                .now(HTTPResponse(304, headers: [HTTPField("ETag", "\"7\"")]))
            }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            for (condition, accepted, tag) in [
                ("\"7\"", "gzip", "\"7\""), ("\"7-gzip\"", "gzip", "\"7-gzip\""), ("\"7-gzip\"", "br", "\"7\""),
            ] {
                let response = try connection.request(
                    "GET", "/", headers: ["If-None-Match: \(condition)", "Accept-Encoding: \(accepted)"])
                #expect(response.header("etag") == tag)
                #expect(response.header("vary") == "Accept-Encoding")
            }
        }
    }

    @Test("304 and 204 have no body")
    func noBody() async throws {
        try await onThread {
            let server = try HTTPServer(HTTPServerConfiguration()) { request in
                .now(HTTPResponse(Int(request.path[0]) ?? 500, headers: [HTTPField("ETag", "\"7\"")]))
            }
            defer { server.shutdown() }
            let connection = try RawConnection(port: server.port)
            for status in [304, 204, 200] {
                let response = try connection.request("GET", "/\(status)")
                #expect(response.status == status)
                #expect(response.header("etag") == "\"7\"")
            }
        }
    }

    @Test("a header with a line feed is dropped and counted")
    func badHeader() async throws {
        try await onThread {
            let server = try Self.server([Self.json, HTTPField("X-Name", "a\r\nSet-Cookie: b")])
            defer { server.shutdown() }
            let response = try RawConnection(port: server.port).request("GET", "/")
            #expect(response.header("set-cookie") == nil)
            #expect(response.status == 200)
            #expect(server.statistics.headersDropped == 1)
        }
    }

    // MARK: - TLS

    /// A folder with certificates and keys that openssl has just made.
    private func certificates() async throws -> URL {
        let folder = TemporaryDirectory.make("tls")
        for name in ["a", "b"] {
            let result = try await ProcessRunner.run(
                URL(filePath: "/usr/bin/openssl"),
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "\(name).key",
                    "-out", "\(name).pem",
                ], directory: folder)
            try #require(result.succeeded, "\(result.standardError)")
        }
        return folder
    }

    @Test("TLS serves by a certificate, 1.2 at least")
    func tls() async throws {
        let folder = try await certificates()
        var configuration = HTTPServerConfiguration()
        configuration.tls = TLSFiles(
            certificate: folder.appending(path: "a.pem").path, key: folder.appending(path: "a.key").path)
        let server = try HTTPServer(configuration) { .now(HTTPResponse(200, body: HTTPBody("\($0.path)"))) }
        let script = """
            import http.client, ssl, sys
            context = ssl.create_default_context(cafile=sys.argv[2])
            connection = http.client.HTTPSConnection("localhost", int(sys.argv[1]), context=context, timeout=20)
            for path in ("/a", "/b"):
                connection.request("GET", path)
                print(connection.getresponse().read().decode(), connection.sock.version())
            old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
            old.set_ciphers("DEFAULT:@SECLEVEL=0")
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
            try:
                http.client.HTTPSConnection("localhost", int(sys.argv[1]), context=old, timeout=20).request("GET", "/")
                print("TLS 1.1 is taken")
            except (ssl.SSLError, ConnectionError):
                print("TLS 1.1 is refused")
            """
        let result = try await ProcessRunner.run(
            URL(filePath: "/usr/bin/python3"), ["-c", script, "\(server.port)", folder.appending(path: "a.pem").path])
        server.shutdown()
        #expect(
            result.standardOutput == "[\"a\"] TLSv1.3\n[\"b\"] TLSv1.3\nTLS 1.1 is refused\n",
            "\(result.standardError)")
    }

    @Test("TLS files that cannot be used are named")
    func badTLS() async throws {
        let folder = try await certificates()
        func path(_ name: String) -> String { folder.appending(path: name).path }
        try Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8).write(
            to: URL(filePath: path("damaged.pem")))
        try Data("-----BEGIN ENCRYPTED PRIVATE KEY-----\n".utf8).write(to: URL(filePath: path("secret.key")))
        let cases = [
            ("none.pem", "a.key", "the TLS certificate \(path("none.pem")) does not exist"),
            ("a.pem", "none.key", "the TLS key \(path("none.key")) does not exist"),
            ("a.key", "a.key", "the TLS certificate \(path("a.key")) has no certificate in PEM"),
            ("a.pem", "a.pem", "the TLS key \(path("a.pem")) has no private key in PEM"),
            (
                "a.pem", "secret.key",
                "the TLS key \(path("secret.key")) has a passphrase; only a key without one can be used"
            ),
            ("a.pem", "b.key", "the key does not belong to the certificate"),
            ("damaged.pem", "a.key", "one of the two is damaged"),
        ]
        for (certificate, key, message) in cases {
            var configuration = HTTPServerConfiguration()
            configuration.tls = TLSFiles(certificate: path(certificate), key: path(key))
            let error = #expect(throws: HTTPServerError.self) {
                try HTTPServer(configuration) { _ in .now(HTTPResponse(200)) }
            }
            #expect(error?.description.contains(message) == true, "\(error.debugDescription)")
        }
    }
}
