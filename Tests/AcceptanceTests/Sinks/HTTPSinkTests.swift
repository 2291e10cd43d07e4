import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct HTTPSinkTests {
        private static let secret = ["TIDELINE_WEBHOOK_SECRET": "whsec_" + Data(count: 32).base64EncodedString()]

        @Test("addresses and settings that cannot work are refused at the start, with what mends them")
        func refusals() async throws {
            for (words, environment, reason) in [
                (["https://ana:hunter2@t.example/"], Self.secret, "without user, password and fragment"),
                (["https://{recipient}.example/"], Self.secret, "--set 'sink.http.hosts=*.example'"),
                (["https://{name}.example/"], Self.secret, "unknown field {name}: fields are {configurationId}"),
                (
                    ["https://t.example/{configurationId}", "--set", "sink.http.batch=10"], Self.secret,
                    "--set sink.http.batch=1"
                ),
                (["https://t.example/", "--set", "sink.http.hosts=*"], Self.secret, "sink.http.hosts"),
                (["https://t.example/{configurationId}?key=hunter2"], [:], "webhook.secret is missing"),
            ] {
                let result = try await tideline(
                    ["sink", "--bootstrap", "127.0.0.1:1", "--to"] + words, environment: environment)
                #expect(result.status == 64, "\(result.failure)")
                #expect(result.standardError.contains(reason), "\(result.failure)")
                #expect(!result.standardError.contains("hunter2"))
            }
        }

        @Test("the receiver of the examples checks the signature of each line's request, and shows what comes and goes")
        func receiver() async throws {
            let application = try await Application("receiver")
            try await application.publish(
                configurations: """
                    {"configurationId": "a", "kind": "Board", "recipient": "lobby", "strategy": "status"}
                    {"configurationId": "b", "kind": "Board", "recipient": "roof", "strategy": "status"}
                    """)
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            func sink(_ port: UInt16, batch: Int) async throws {
                let address = "http://127.0.0.1:\(port)/timelines"
                try await run(
                    ["sink", "--to", address, "--until-caught-up", "--set", "sink.http.batch=\(batch)"], application)
            }
            let (receiver, port) = try Self.startReceiver()
            try await sink(port, batch: 1)
            #expect(receiver.output.contains("a: revision 1") && receiver.output.contains("b: revision 1"))
            let gone = try application.file("gone.jsonl", #"{"configurationId": "a", "deleted": true}"#)
            try await application.run("produce", "configurations", "--json", gone)
            _ = try await application.process(clock: "2026-11-20T06:26:00Z")
            try await sink(port, batch: 1)
            #expect(receiver.output.contains("a: gone\n"), "\(receiver.output)")
            // Another address begins at the beginning.
            let (other, otherPort) = try Self.startReceiver()
            try await sink(otherPort, batch: 50)
            #expect(other.output.contains("b: revision 1") && other.output.contains("a: gone\n"), "\(other.output)")
            let stranger = try await ProcessRunner.run(
                URL(filePath: "/usr/bin/curl"),
                ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-d", "{}", "http://127.0.0.1:\(port)/timelines"])
            #expect(stranger.standardOutput == "401")
            for receiver in [receiver, other] {
                receiver.terminate()
                _ = await receiver.result()
            }
        }

        private static func startReceiver() throws -> (ProcessRunner, port: UInt16) {
            let port = try freePortPair()
            let environment = ["PORT": String(port), "WEBHOOK_SECRET": secret["TIDELINE_WEBHOOK_SECRET"] ?? ""]
            let receiver = try ProcessRunner(
                URL(filePath: "/usr/bin/python3"), ["Examples/consumers/webhook_receiver.py"],
                environment: environment)
            return (receiver, port)
        }

        private func start(_ words: [String], _ application: Application) throws -> ProcessRunner {
            try ProcessRunner(
                TidelineExecutable.url, words + application.options, environment: Self.secret, timeout: .seconds(300))
        }

        @discardableResult
        private func run(_ words: [String], _ application: Application) async throws -> ProcessResult {
            let result = try await start(words, application).result()
            try #require(result.succeeded, "\(result.failure)")
            return result
        }
    }
}
