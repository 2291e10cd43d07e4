import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// A real broker goes and comes back; a terminal goes.
    @Suite struct OutageTests {
        @Test("a broker that is lost and found makes one line each, in text and in JSON, and ends nothing")
        func outage() async throws {
            let broker = try await TestBroker.dedicated()
            let options = ["--bootstrap", broker.bootstrap, "--application", "outage"]
            let made = try await tideline(["topics", "--partitions", "2"] + options)
            try #require(made.succeeded, "\(made.failure)")
            let directory = TemporaryDirectory.make("outage")
            let json = ["--set", "log.format=json"]
            let verbs = [
                ["process"], ["process"] + json, ["sink", "--to", "files:\(directory.path)/a"],
                ["produce", "telemetry", "--fleet", "5"] + json,
            ]
            let runners = try verbs.map {
                try ProcessRunner(TidelineExecutable.url, $0 + options, timeout: .seconds(600))
            }
            let isRunning = await eventually(within: .seconds(120)) {
                runners[...1].allSatisfy { $0.errorOutput.contains("restoredRecords") }
            }
            try #require(isRunning, "\(runners.map(\.errorOutput))")
            try await broker.kill()
            let areTold = await eventually(within: .seconds(60)) {
                runners.allSatisfy { $0.errorOutput.contains("cannot reach broker") }
            }
            #expect(areTold, "\(runners.map(\.errorOutput))")
            try await Task.sleep(for: .seconds(14))
            try await broker.restart()
            let areBack = await eventually(within: .seconds(60)) {
                runners.allSatisfy { $0.errorOutput.contains("broker answers again") }
            }
            #expect(areBack, "\(runners.map(\.errorOutput))")
            // It takes so long until librdkafka's handles have logged everything.
            try await Task.sleep(for: .seconds(16))
            for (verb, runner) in zip(verbs, runners) {
                runner.terminate()
                let result = await runner.result()
                #expect(result.succeeded, "\(verb): \(result.failure)")
                let lines = result.standardError.split(separator: "\n").map(String.init)
                for text in ["cannot reach broker", "broker answers again"] {
                    #expect(lines.count { $0.contains(text) } == 1, "\(verb): \(lines)")
                }
                for text in ["Connect to", "Disconnected", "brokers are down"] {
                    #expect(lines.count { $0.contains(text) && !$0.contains("cannot reach") } == 0, "\(verb): \(lines)")
                }
            }
            let back = try #require(
                runners[1].errorOutput.split(separator: "\n").first { $0.contains("answers again") })
            let away = try #require(back.firstMatch(of: /"awayMs":(\d+)/)).1
            #expect((10_000...200_000).contains(Int(away) ?? 0), "\(back)")
            show("a broker killed for \(away) ms: two lines about it of each of \(verbs.count) processes")
        }

        @Test("a process that is told to end while its broker is away leaves; the next one reads the rest")
        func leaving() async throws {
            let broker = try await TestBroker.dedicated()
            let application = try await Application("leaving", partitions: 2, on: broker)
            let options = application.options
            let runner = try ProcessRunner(TidelineExecutable.url, ["process"] + options, timeout: .seconds(300))
            let isRunning = await eventually(within: .seconds(120)) { runner.errorOutput.contains("restoredRecords") }
            try #require(isRunning, "\(runner.errorOutput)")
            let produced = try await tideline(
                ["produce", "telemetry", "--fleet", "5", "--rate", "500", "--limit", "500", "--no-faults"] + options)
            try #require(produced.succeeded, "\(produced.failure)")
            try await broker.kill()
            runner.terminate()
            let result = await runner.result()
            #expect(result.succeeded, "\(result.failure)")
            try await broker.restart()
            let next = try await tideline(["process", "--until-caught-up"] + options)
            try #require(next.succeeded, "\(next.failure)")
            func records(_ output: String) throws -> Int {
                Int(try #require(output.firstMatch(of: /"records":(\d+)/)).1) ?? 0
            }
            let (first, second) = (try records(result.standardOutput), try records(next.standardOutput))
            // A commit that the broker made when it was killed, and did not answer, is in neither summary.
            let read = try await application.committed("vehicle.telemetry", partitions: 2).reduce(0, +)
            #expect(read == 500 && (1...500).contains(first + second), "\(first) and \(second)")
        }

        /// Whether a process has a handler for SIGHUP, by /proc: it would end at once before.
        private static func catchesHangUp(_ runner: ProcessRunner) -> Bool {
            let file = "/proc/\(runner.processIdentifier)/status"
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            let caught = text.firstMatch(of: /SigCgt:\s+([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
            return caught & (1 << UInt64(SIGHUP - 1)) != 0
        }

        @Test("SIGHUP ends every long verb in order")
        func hangUp() async throws {
            let application = try await Application("hangup")
            let hook = "http://127.0.0.1:9/hook"
            let verbs = [
                ["process"], ["sink", "--to", "files:\(application.directory.path)/out"],
                [
                    "sink", "--reloads", hook, "--set",
                    "webhook.secret=whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
                ],
                ["produce", "telemetry", "--fleet", "3"],
            ]
            let runners = try verbs.map {
                try ProcessRunner(TidelineExecutable.url, $0 + application.options, timeout: .seconds(300))
            }
            let isRunning = await eventually(within: .seconds(120)) {
                runners[0].errorOutput.contains("restoredRecords") && runners.allSatisfy(Self.catchesHangUp)
            }
            try #require(isRunning, "\(runners.map(\.errorOutput))")
            for (verb, runner) in zip(verbs, runners) {
                // A shell and the kernel both tell: the second one changes nothing.
                for _ in 0..<2 { runner.signal(SIGHUP) }
                let result = await runner.result()
                #expect(result.succeeded, "\(verb): \(result.failure)")
                #expect(result.standardOutput.hasPrefix("{"), "\(verb): \(result.failure)")
            }
            #expect(runners[0].errorOutput.contains("tasks revoked"))
        }

        @Test("where SIGHUP is ignored at the start, as by nohup, it stays so")
        func nohup() async throws {
            let output = TemporaryDirectory.make("nohup")
            let demo = try ProcessRunner(
                URL(filePath: "/usr/bin/nohup"), [TidelineExecutable.url.path, "demo", "--output", output.path],
                timeout: .seconds(60))
            let isRunning = await eventually { demo.errorOutput.contains("  timeline  ") }
            try #require(isRunning, "\(demo.errorOutput)")
            demo.signal(SIGHUP)
            try await Task.sleep(for: .seconds(3))
            #expect(demo.isRunning)
            demo.terminate()
            #expect(await demo.result().succeeded)
        }
    }
}
