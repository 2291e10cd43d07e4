import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Metrics and health of real runs, asked by curl and read by Prometheus's own parser for Python.
    @Suite struct MetricsTests {
        @Test("a run's metrics are OpenMetrics, and say what it read, made and refused")
        func scrape() async throws {
            let application = try await Application("metrics", partitions: 2)
            let pipeline = try application.start("process", "--metrics", "127.0.0.1:0")
            defer { pipeline.kill() }
            let address = try await Monitored.address(of: pipeline)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            try await application.publish(
                configurations: """
                    {"configurationId": "van", "kind": "Board", "recipient": "ana", "strategy": "status", \
                    "vehicleId": "v1"}
                    """)
            try await application.produce(
                [(key: "v1", value: Array("no JSON".utf8), headers: [])], to: "vehicle.telemetry")
            let topic = application.topic("vehicle.telemetry")
            let isCounted = await eventually {
                let text = (try? await Monitored.get("/metrics", at: address).body) ?? ""
                return text.contains("tideline_dead_letters_total{topic=\"\(topic)\",reason=\"unreadable\"} 1\n")
                    && text.contains("\ntideline_timelines_total 1\n")
                    && text.contains("tideline_consumer_lag_records{topic=\"\(topic)\"} 0\n")
                    && text.contains("tideline_client_round_trip_seconds{role=\"consumer\"")
            }
            let answer = try await Monitored.get("/metrics", at: address)
            #expect(isCounted, "\(answer.body)")
            #expect(
                answer.head.contains("application/openmetrics-text; version=1.0.0; charset=utf-8"), "\(answer.head)")
            let parsed = try await Monitored.parse(answer.body)
            for sample in [
                "tideline_build_info", "tideline_commit_duration_seconds_bucket", "tideline_state_bytes",
                "tideline_record_e2e_latency_seconds_count", "tideline_restore_duration_seconds_sum",
                "tideline_memory_resident_bytes", "tideline_timers_armed", "tideline_health",
            ] {
                #expect(parsed.contains(sample), "\(sample) is not in \(parsed.sorted())")
            }
            #expect(answer.body.contains("tideline_tasks{state=\"running\"} 2\n"))
            #expect(answer.body.contains("tideline_health{check=\"ready\"} 1\n"))
            pipeline.terminate()
            #expect(await pipeline.result().succeeded)
        }

        @Test("each verb that runs on has metrics and health")
        func verbs() async throws {
            let application = try await Application("monitored", partitions: 1)
            let folder = application.directory.appending(path: "out").path
            let verbs = [
                ["sink", "--to", "files:\(folder)"], ["serve", "--listen", "127.0.0.1:0"],
                ["produce", "telemetry", "--fleet", "3", "--rate", "20"],
                ["produce", "calendar", "--fleet", "3"],
            ]
            for words in verbs {
                let runner = try ProcessRunner(
                    TidelineExecutable.url, words + ["--metrics", "127.0.0.1:0"] + application.options)
                defer { runner.kill() }
                let address = try await Monitored.address(of: runner)
                try await Monitored.wait(for: "/health/ready", at: address, 200)
                let live = try await Monitored.get("/health/live", at: address)
                #expect(live.body.hasPrefix(#"{"status":"live","zoneData":""#), "\(live)")
                #expect(live.head.contains("application/json"), "\(live)")
                let text = try await Monitored.get("/metrics", at: address).body
                #expect(try await Monitored.parse(text).contains("tideline_build_info"), "\(words): \(text)")
                #expect(text.contains("verb=\"\(words[0])\""))
                runner.terminate()
                let result = await runner.result()
                #expect(result.succeeded, "\(words): \(result.failure)")
            }
        }

        @Test("what is not there, is not allowed, or comes by another name is refused, and says what there is")
        func refusals() async throws {
            let application = try await Application("refusals", partitions: 1)
            let pipeline = try application.start("process", "--metrics", "127.0.0.1:0")
            defer { pipeline.kill() }
            let address = try await Monitored.address(of: pipeline)
            let nothing = try await Monitored.get("/", at: address)
            #expect(nothing.head.contains("404") && nothing.body.contains("/health/ready"), "\(nothing)")
            let post = try await Monitored.get("/metrics", at: address, "-X", "POST")
            #expect(post.head.contains("405"), "\(post)")
            let renamed = try await Monitored.get("/metrics", at: address, "-H", "Host: evil.example")
            #expect(renamed.head.contains("421"), "\(renamed)")
            let other = try await tideline(["process", "--metrics", address] + application.options)
            #expect(other.status == 69 && other.standardError.contains("cannot serve metrics"), "\(other.failure)")
            let wrong = try await tideline(["process", "--metrics", "9464"] + application.options)
            #expect(wrong.status == 64 && wrong.standardError.contains("HOST:PORT"), "\(wrong.failure)")
        }

        @Test("a broker that goes makes a process unready within 15 s, with the reason; it comes back by itself")
        func outage() async throws {
            let broker = try await TestBroker.dedicated()
            let application = try await Application("unready", partitions: 1, on: broker)
            let pipeline = try application.start("process", "--metrics", "127.0.0.1:0")
            defer { pipeline.kill() }
            let address = try await Monitored.address(of: pipeline)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            try await broker.kill()
            let began = ContinuousClock.now
            var answer = Monitored.Answer(head: "", body: "")
            let isUnready = try await isSeen(within: .seconds(15), since: began) {
                answer = try await Monitored.get("/health/ready", at: address)
                return answer.head.hasPrefix("HTTP/1.1 503")
            }
            show("unready \(ContinuousClock.now - began) after the broker was killed: \(answer.body)")
            #expect(isUnready, "\(answer)")
            #expect(answer.body.contains("\"part\":\"commits\"") || answer.body.contains("\"part\":\"brokers\""))
            #expect(try await Monitored.get("/health/live", at: address).head.contains("200"))
            #expect(try await Monitored.get("/health/startup", at: address).head.contains("200"))
            try await broker.restart()
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            pipeline.terminate()
            #expect(await pipeline.result().succeeded)
            try await broker.stop()
        }

        @Test(
            "an output that is gone is named within 15 s; a sink whose server refuses says so",
            .enabled("Kafka's own tool deletes the topic, and only a broker of Kafka's archive comes with it") {
                try await TestBroker.shared().kind == .kafka
            })
        func outputs() async throws {
            let application = try await Application("gone", partitions: 1)
            let pipeline = try application.start("process", "--metrics", "127.0.0.1:0")
            let sink = try ProcessRunner(
                TidelineExecutable.url,
                ["sink", "--reloads", "http://127.0.0.1:9/", "--metrics", "127.0.0.1:0"] + application.options,
                environment: ["TIDELINE_WEBHOOK_SECRET": "whsec_dGlkZWxpbmUncyBjb21wb3NpdGlvbiBmb3IgdHJpYWxz"])
            defer {
                pipeline.kill()
                sink.kill()
            }
            let address = try await Monitored.address(of: pipeline)
            let sinkAddress = try await Monitored.address(of: sink)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            try await Monitored.wait(for: "/health/ready", at: sinkAddress, 200)
            try await application.publish(configurations: Self.configuration("a"))
            let refused = try await Monitored.wait(for: "/health/ready", at: sinkAddress, 503)
            #expect(refused.body.contains("\"part\":\"target\""), "\(refused)")
            try await application.deleteTopic("timelines")
            try await application.publish(configurations: Self.configuration("b"))
            let began = ContinuousClock.now
            var answer = Monitored.Answer(head: "", body: "")
            /// Waits until health says no, with this part and the topic's name.
            func isNamed(_ part: String, within timeout: Duration) async throws -> Bool {
                try await isSeen(within: timeout, since: began) {
                    answer = try await Monitored.get("/health/ready", at: address)
                    return answer.head.hasPrefix("HTTP/1.1 503") && answer.body.contains("\"part\":\"\(part)\"")
                        && answer.body.contains(application.topic("timelines"))
                }
            }
            #expect(try await isNamed("topics", within: .seconds(15)), "\(answer)")
            show("an output that is gone is named after \(ContinuousClock.now - began): \(answer.body)")
            // That it cannot be written to is known once a transaction has failed, and the topics were looked at.
            #expect(try await isNamed("outputs", within: .seconds(60)), "\(answer)")
            show("that it is written to is said after \(ContinuousClock.now - began)")
        }

        private static func configuration(_ id: String) -> String {
            #"{"configurationId": "\#(id)", "kind": "Board", "recipient": "ana", "strategy": "hourly"}"#
        }
    }
}

/// A process that serves metrics and health.
enum Monitored {
    struct Answer {
        var head: String
        var body: String
    }

    private static let curl = URL(filePath: "/usr/bin/curl")

    /// Waits until it listens, and gives `HOST:PORT`.
    static func address(of runner: ProcessRunner) async throws -> String {
        let isThere = await eventually {
            runner.errorOutput.contains("metrics and health at http://") || !runner.isRunning
        }
        let match = runner.errorOutput.firstMatch(of: /metrics and health at http:\/\/(\S+)/)
        return String(try #require(isThere ? match : nil, "\(runner.errorOutput)").1)
    }

    static func get(_ path: String, at address: String, _ words: String...) async throws -> Answer {
        let result = try await ProcessRunner.run(
            curl, ["-sS", "-i", "-m", "30"] + words + ["http://\(address)\(path)"])
        let parts = result.standardOutput.replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1)
        return Answer(head: String(parts.first ?? ""), body: parts.count > 1 ? String(parts[1]) : "")
    }

    /// Waits until a path is answered with a status.
    @discardableResult
    static func wait(for path: String, at address: String, _ status: Int) async throws -> Answer {
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            let answer = try await get(path, at: address)
            if answer.head.hasPrefix("HTTP/1.1 \(status)") { return answer }
            guard ContinuousClock.now < deadline else { throw TestBrokerError("\(path): \(answer)") }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The names of all samples, as Prometheus's parser for Python reads them.
    static func parse(_ text: String) async throws -> Set<String> {
        let file = TemporaryDirectory.make("metrics").appending(path: "metrics.txt")
        try Data(text.utf8).write(to: file)
        let root = PackageRoot.url
        let result = try await ProcessRunner.run(
            root.appending(path: "Scripts/python"),
            [root.appending(path: "Scripts/parse_metrics.py").path, file.path], timeout: .seconds(300))
        try #require(result.succeeded, "\(result.failure)\n\(text)")
        return Set(result.standardOutput.split(separator: "\n").map(String.init))
    }
}
