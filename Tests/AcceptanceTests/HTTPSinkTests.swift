import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct HTTPSinkTests {
        private static let secret = ["TIDELINE_WEBHOOK_SECRET": "whsec_" + Data(count: 32).base64EncodedString()]

        @Test("a sink that is killed -9 again and again, an nginx that comes and goes: what nginx holds is the topic")
        func killed() async throws {
            let nginx = try NginxServer()
            var data = GeneratedData(steps: 60)
            let application = try await Application("http")
            try await data.publish(to: application, telemetry: false)
            let telemetry = try application.file("telemetry.jsonl", data.telemetry())
            let words = [
                "sink", "--to", "http://127.0.0.1:\(nginx.port)/t/{configurationId}.json", "--set",
                "sink.http.backoff.max=PT1S",
            ]
            let process = try application.start("process", "--clock", GeneratedData.clock)
            let producer = try application.start("produce", "telemetry", "--json", telemetry, "--rate", "300")
            var (kills, outages) = (0, 0)
            while kills < 6 || producer.isRunning && kills < 12 {
                if !nginx.isRunning { try nginx.start() }
                let before = nginx.requestCount
                let sink = try start(words, application)
                let hasWritten = await eventually(within: .seconds(30), every: .milliseconds(5)) {
                    nginx.requestCount > before + 20 || !producer.isRunning
                }
                #expect(hasWritten, "\(sink.errorOutput)")
                if kills % 2 == 0 {
                    nginx.kill()
                    outages += 1
                }
                if kills % 4 == 0 {
                    // It meets the outage, and waits.
                    let waits = await eventually(within: .seconds(30)) {
                        sink.errorOutput.contains("trying again") || !producer.isRunning
                    }
                    #expect(waits, "\(sink.errorOutput)")
                }
                sink.kill()
                _ = await sink.result()
                kills += 1
            }
            for program in [producer, process] {
                program.terminate()
                let result = await program.result()
                #expect(result.succeeded, "\(result.failure)")
            }
            if !nginx.isRunning { try nginx.start() }
            let end = try await run(words + ["--until-caught-up"], application)

            let files = try TimelineFiles.read(try await application.sink())
            let held = try nginx.contents()
            #expect(kills >= 3 && outages >= 2)
            #expect(held == Dictionary(uniqueKeysWithValues: files.map { ("t/\($0.key)", $0.value) }))
            #expect(files.count == 220)
            for (path, revisions) in nginx.revisions.sorted(by: { $0.key < $1.key }) {
                #expect(revisions == revisions.sorted(), "\(path): an older timeline came after a newer one")
            }
            show(
                "a sink over HTTP, killed -9 \(kills) times, \(outages) outages of nginx: \(held.count) files equal "
                    + "the topic; \(nginx.requestCount) requests; the last run: \(end.standardOutput)")
        }

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
