package import Foundation

/// Stands in for Apple's push service, or for a webhook's receiver: HTTP/2 over TLS on loopback, by
/// PushServer/server.py, which shares no code with the program. Verifies signatures; gives the answers that it is told.
package final class PushServer: Sendable {
    package let port: Int
    private let runner: ProcessRunner

    /// One answer to one request.
    package struct Answer: Codable, Sendable {
        package var status = 200
        package var body = ""
        package var headers: [String: String] = [:]
        /// Seconds.
        package var delay = 0.0
        /// Closes the connection without an answer.
        package var drop = false
        /// Ends the connection after the answer.
        package var goaway = false
        /// Never answers.
        package var hang = false

        package init(_ status: Int = 200, reason: String? = nil, timestamp: Int64? = nil) {
            self.status = status
            if let reason {
                body = #"{"reason":"\#(reason)"\#(timestamp.map { ",\"timestamp\":\($0)" } ?? "")}"#
            }
        }

        package static var dropped: Answer {
            var answer = Answer()
            answer.drop = true
            return answer
        }
    }

    /// What came, and what the server judged of it.
    package struct Request: Decodable, Sendable {
        package var connection: Int
        package var http: Int
        package var alpn: String?
        /// The streams of its connection that were open when it came, its own among them.
        package var open: Int
        package var path: String
        package var headers: [String: String]
        package var body: String
        package var token: ProviderToken?
        package var webhook: Judged?

        package struct ProviderToken: Decodable, Sendable {
            package var header: Header?
            package var claims: Claims?
            package var verified: Bool

            package struct Header: Decodable, Sendable {
                package var alg: String
                package var kid: String
            }

            package struct Claims: Decodable, Sendable {
                package var iss: String
                package var iat: Int64
            }
        }

        package struct Judged: Decodable, Sendable {
            package var verified: Bool
        }
    }

    private struct Rule: Encodable {
        var path: String
        var answers: [Answer]
    }

    private struct Options: Encodable {
        var certificate: String
        var key: String
        var publicKey: String
        var secret: String?
        var alpn: [String]
        var streams: Int
        var answers: [Rule]
        var port: Int
    }

    /// - Parameters:
    ///   - answers: by a part of the path, what the requests there get one after the other; then 200.
    ///   - secret: of a webhook, in base64.
    ///   - streams: that one connection may have open.
    package init(
        _ identity: PushIdentity, answers: KeyValuePairs<String, [Answer]> = [:], secret: String? = nil,
        alpn: [String] = ["h2"], streams: Int = 100, port: Int = 0
    ) async throws {
        let options = Options(
            certificate: identity.certificate.path, key: identity.certificateKey.path,
            publicKey: identity.publicKey.path, secret: secret, alpn: alpn, streams: streams,
            answers: answers.map { Rule(path: $0, answers: $1) }, port: port)
        let file = TemporaryDirectory.make("push-server").appending(path: "options.json")
        try JSONEncoder().encode(options).write(to: file)
        let runner = try ProcessRunner(
            PackageRoot.url.appending(path: "Scripts/python"),
            [PackageRoot.url.appending(path: "Tests/TestSupport/PushServer/server.py").path, file.path],
            timeout: .seconds(300))
        self.runner = runner
        // The first use of the virtual environment installs what is in it.
        _ = await eventually(within: .seconds(240)) { runner.output.contains("listening") || !runner.isRunning }
        guard let line = runner.output.split(separator: "\n").first, let port = Int(line.dropFirst(10)) else {
            throw TestBrokerError("the push server did not start: \(runner.errorOutput)")
        }
        self.port = port
    }

    package var host: String { "127.0.0.1:\(port)" }

    /// What has come so far.
    package func requests() throws -> [Request] {
        try runner.output.split(separator: "\n").dropFirst().map {
            try JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }

    package func stop() async {
        runner.kill()
        _ = await runner.result()
    }
}

/// Keys and certificates, made by openssl for one test: an authority, a server on 127.0.0.1, a team's key for pushes.
package struct PushIdentity: Sendable {
    package let directory: URL
    package var authority: URL { directory.appending(path: "authority.pem") }
    package var certificate: URL { directory.appending(path: "server.pem") }
    package var certificateKey: URL { directory.appending(path: "server-key.pem") }
    /// As Apple gives it out.
    package var key: URL { directory.appending(path: "AuthKey.p8") }
    package var publicKey: URL { directory.appending(path: "public.pem") }

    package init() async throws {
        directory = TemporaryDirectory.make("push-identity")
        let curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        try await openssl(["genpkey"] + curve + ["-out", "AuthKey.p8"])
        try await openssl(["pkey", "-in", "AuthKey.p8", "-pubout", "-out", "public.pem"])
        try await openssl(["genpkey"] + curve + ["-out", "authority-key.pem"])
        try await openssl([
            "req", "-x509", "-key", "authority-key.pem", "-out", "authority.pem", "-days", "2", "-subj",
            "/CN=Authority of a test",
        ])
        try await openssl(["genpkey"] + curve + ["-out", "server-key.pem"])
        try await openssl([
            "req", "-x509", "-key", "server-key.pem", "-CA", "authority.pem", "-CAkey", "authority-key.pem", "-out",
            "server.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-addext", "basicConstraints=critical,CA:FALSE",
        ])
    }

    private func openssl(_ arguments: [String]) async throws {
        let result = try await ProcessRunner.run(URL(filePath: "/usr/bin/openssl"), arguments, directory: directory)
        guard result.succeeded else { throw TestBrokerError("openssl \(arguments[0]): \(result.standardError)") }
    }
}
