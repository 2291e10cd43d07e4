import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// Reloads on their way to devices and a webhook: a real broker, a server by Python's h2 over TLS.
    @Suite struct PushTests {
        @Test("what the pipeline announces is pushed: HTTP/2, a token that the team's key has signed, one per device")
        func pushes() async throws {
            let identity = try await PushIdentity()
            let server = try await PushServer(identity)
            let application = try await application("pushes")
            let summary = try await application.push(identity, server)
            #expect(summary["delivered"] == 3 && summary["deadLetters"] == 0)
            let requests = try server.requests()
            #expect(requests.map(\.path).sorted() == ["/3/device/aa01", "/3/device/bb02", "/3/device/cc03"])
            for request in requests {
                #expect(request.alpn == "h2" && request.http == 2)
                #expect(request.headers["apns-push-type"] == "widgets")
                #expect(request.headers["apns-topic"] == "com.example.app.push-type.widgets")
                #expect(request.headers["apns-priority"] == "10" && request.headers["apns-expiration"] == "0")
                #expect(request.body == #"{"aps":{"content-changed":true}}"#)
                let token = try #require(request.token)
                #expect(token.verified && token.header?.alg == "ES256" && token.header?.kid == "ABC123DEFG")
                #expect(token.claims?.iss == "TEAM567890")
                let age = Date().timeIntervalSince1970 - Double(token.claims?.iat ?? 0)
                #expect((-5...300).contains(age))
            }
            #expect(Set(requests.map { $0.headers["authorization"] ?? "" }).count == 1)
            #expect(try await application.push(identity, server)["records"] == 0, "positions are kept")
            await server.stop()
            show("pushes: \(requests.count) for 4 configurations, signatures verified by Python's cryptography")
        }

        @Test("Apple's answers: retired, dead-lettered, tried again, over a restart")
        func answers() async throws {
            let identity = try await PushIdentity()
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            var busy = PushServer.Answer(503, reason: "ServiceUnavailable")
            busy.headers["retry-after"] = "1"
            let server = try await PushServer(
                identity,
                answers: [
                    "aa01": [PushServer.Answer(410, reason: "Unregistered", timestamp: now + 3_600_000)],
                    "bb02": [PushServer.Answer(400, reason: "BadDeviceToken")],
                    "cc03": [
                        busy, .dropped, PushServer.Answer(403, reason: "ExpiredProviderToken"),
                        PushServer.Answer(429, reason: "TooManyRequests"),
                    ],
                ])
            let application = try await application("answers")
            let summary = try await application.push(identity, server)
            #expect(summary["delivered"] == 1 && summary["retired"] == 2 && summary["deadLetters"] == 1)
            let letters = try await application.records(of: "tideline.dead-letters")
            #expect(letters.map { $0.header("__streams.errors.topic") } == [application.topic("timeline.reloads")])
            #expect(letters.first?.header("__streams.errors.message")?.contains("BadDeviceToken") == true)
            let minted = Set(try server.requests().map { $0.headers["authorization"] ?? "" })
            #expect(minted.count == 2, "minted anew once")

            try await application.publish(configurations: Self.configurations(parameters: 2))
            _ = try await application.process(clock: "2026-11-20T09:30:00Z")
            let before = try server.requests().count
            _ = try await application.push(identity, server)
            let paths = try server.requests().dropFirst(before).map(\.path).sorted()
            // bb02 was named by a newer record; aa01 is gone as of a moment that is yet to come.
            #expect(paths == ["/3/device/bb02", "/3/device/cc03"])
            await server.stop()
        }

        @Test("a key that Apple refuses ends the sink with status 70, and the next run sends what is left")
        func refused() async throws {
            let identity = try await PushIdentity()
            let refusal = PushServer.Answer(403, reason: "InvalidProviderToken")
            let server = try await PushServer(identity, answers: ["/": [refusal, refusal, refusal]])
            let application = try await application("refused")
            let result = try await tideline(
                ["sink", "--reloads", "apns", "--until-caught-up"] + application.options
                    + application.push(identity, server))
            #expect(result.status == 70 && !result.isSignalled, "\(result.failure)")
            #expect(result.standardError.contains("InvalidProviderToken"), "\(result.failure)")
            #expect(!result.standardError.contains("aa01"), "a token is told")
            await server.stop()
            let other = try await PushServer(identity)
            #expect(try await application.push(identity, other)["delivered"] == 3)
            await other.stop()
        }

        @Test("a second sink of pushes ends the first, which says so")
        func replaced() async throws {
            let identity = try await PushIdentity()
            let server = try await PushServer(identity)
            let application = try await application("replaced")
            let words = ["sink", "--reloads", "apns"] + application.options + application.push(identity, server)
            let first = try ProcessRunner(TidelineExecutable.url, words)
            #expect(try await eventually(within: .seconds(60)) { try server.requests().count == 3 })
            let second = try ProcessRunner(TidelineExecutable.url, words)
            // The first learns of it with its next commit.
            #expect(
                try await eventually(within: .seconds(60)) {
                    let kept = try await application.records(of: "pushes").filter { $0.keyText == "commit/apns" }
                    return Set(kept.map { String(decoding: $0.value ?? [], as: UTF8.self).suffix(36) }).count == 2
                })
            try await application.publish(configurations: Self.configurations(parameters: 3))
            _ = try await application.process(clock: "2026-11-20T09:30:00Z")
            let end = await first.result()
            #expect(
                end.status == 70 && end.standardError.contains("another instance of the sink 'apns'"), "\(end.failure)")
            #expect(try await eventually(within: .seconds(60)) { try server.requests().count >= 6 })
            second.terminate()
            #expect(await second.result().status == 0)
            await server.stop()
        }

        @Test("reset --sink takes the positions away: all reloads are sent again, but not to tokens that are retired")
        func resetSink() async throws {
            let identity = try await PushIdentity()
            let gone = PushServer.Answer(
                410, reason: "Unregistered", timestamp: Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000)
            let server = try await PushServer(identity, answers: ["aa01": [gone]])
            let application = try await application("sinkreset")
            let first = try await application.push(identity, server)
            #expect(first["delivered"] == 2 && first["retired"] == 1)
            #expect(try await application.push(identity, server)["records"] == 0)
            let alone = try await application.run("reset", "--execute", "--yes", "--application-only")
            #expect(!alone.standardOutput.contains("pushes"), "\(alone.standardOutput)")
            #expect(try await application.push(identity, server)["records"] == 0, "its positions stay")
            let shown = try await application.run("reset", "--sink")
            #expect(shown.standardOutput.contains("of apns, removed; retired tokens stay"), "\(shown.standardOutput)")
            #expect(!shown.standardOutput.contains(".state"), "the application is left alone")
            try await application.run("reset", "--sink", "--execute", "--yes")
            let again = try await application.push(identity, server)
            #expect(again["records"] == first["records"] && again["delivered"] == 2, "\(again)")
            await server.stop()
            show("reset --sink: 2 of 2 devices are pushed to again, and a retired token is not")
        }

        @Test("a webhook gets each reload with a signature that holds")
        func webhook() async throws {
            let identity = try await PushIdentity()
            let secret = Data("0123456789abcdef0123456789abcdef".utf8).base64EncodedString()
            let server = try await PushServer(identity, secret: secret, alpn: ["http/1.1"])
            let application = try await application("webhook")
            let result = try await tideline(
                ["sink", "--reloads", "https://\(server.host)/reloads", "--until-caught-up"] + application.options
                    + ["--set", "webhook.ca-file=\(identity.authority.path)"],
                environment: ["TIDELINE_WEBHOOK_SECRET": "whsec_\(secret)"])
            try #require(result.succeeded, "\(result.failure)")
            #expect(!result.standardError.contains(secret))
            let records = try await application.records(of: "timeline.reloads")
            let requests = try server.requests()
            #expect(requests.count == records.count && !records.isEmpty)
            #expect(
                requests.map(\.body).sorted()
                    == records.map { String(decoding: $0.value ?? [], as: UTF8.self) }.sorted())
            #expect(
                requests.allSatisfy { $0.webhook?.verified == true && $0.headers["ce-type"] == "tideline.reload.v1" })
            await server.stop()
        }

        @Test("missing and bad settings are named all at once, with what is allowed, with status 64")
        func settings() async throws {
            let missing = try await tideline(["sink", "--reloads", "apns"])
            #expect(missing.status == 64, "\(missing.failure)")
            for key in ["apns.key is missing", "apns.key-id is missing", "apns.team-id is missing"] {
                #expect(missing.standardError.contains(key), "\(missing.failure)")
            }
            let bad = try await tideline([
                "sink", "--reloads", "apns", "--set", "apns.key-id=short", "--set", "apns.priority.high=7", "--set",
                "apns.host=http://x", "--set", "reloads.timeout=0",
            ])
            #expect(bad.status == 64 && bad.standardError.split(separator: "\n").count == 4, "\(bad.failure)")
            let unsigned = try await tideline(["sink", "--reloads", "https://example.com"])
            #expect(unsigned.status == 64 && unsigned.standardError.contains("webhook.secret"), "\(unsigned.failure)")
            for (words, hint) in [
                (["--reloads", "http://example.com"], "must be https"),
                (["--reloads", "pigeon"], "must be an address"),
                (["--reloads", "apns", "--to", "files:x"], "cannot both be given"), ([], "give '--to files:DIR'"),
            ] {
                let result = try await tideline(["sink"] + words)
                #expect(result.status == 64 && result.standardError.contains(hint), "\(result.failure)")
            }
        }

        // MARK: - Parts

        /// Two configurations on one device, and one on each of two others.
        private static func configurations(parameters: Int = 1) -> String {
            [("one", "aa01"), ("two", "AA01"), ("three", "bb02"), ("four", "cc03")].map { id, token in
                // A configuration that changes in nothing but what its entries carry.
                #"{"configurationId":"\#(id)","kind":"K","recipient":"r","strategy":"fixedInterval","#
                    + #""parameters":{"n":\#(token == "AA01" || token == "aa01" ? 1 : parameters)},"#
                    + #""push":{"token":"\#(token)","topic":"com.example.app"}}"#
            }.joined(separator: "\n")
        }

        /// An application whose pipeline has announced those configurations.
        private func application(_ name: String) async throws -> Application {
            let application = try await Application(name, partitions: 2)
            try await application.publish(configurations: Self.configurations())
            _ = try await application.process(clock: "2026-11-20T09:00:00Z")
            return application
        }
    }
}

extension Application {
    /// The settings of pushes that go to the server.
    fileprivate func push(_ identity: PushIdentity, _ server: PushServer) -> [String] {
        [
            "apns.key=\(identity.key.path)", "apns.key-id=ABC123DEFG", "apns.team-id=TEAM567890",
            "apns.host=\(server.host)", "apns.ca-file=\(identity.authority.path)",
        ].flatMap { ["--set", $0] }
    }

    /// Pushes what there is; what the sink printed of it.
    fileprivate func push(_ identity: PushIdentity, _ server: PushServer) async throws -> [String: Int] {
        let words = ["sink", "--reloads", "apns", "--until-caught-up"] + options + push(identity, server)
        let result = try await tideline(words, timeout: .seconds(120))
        try #require(result.succeeded, "\(result.failure)")
        return try JSONDecoder().decode([String: Int].self, from: Data(result.standardOutput.utf8))
    }
}
