import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// How sinks are, as a supervisor and somebody at another machine see it.
    @Suite struct SinkHealthTests {
        private static func reloads(_ numbers: Range<Int>) -> [(key: String?, value: [UInt8]?, headers: [Header])] {
            numbers.map { number in
                let value = Array(#"{"recipient":"r\#(number)"}"#.utf8)
                return (key: Optional("r\(number)"), value: Optional(value), headers: [Header]())
            }
        }

        private func rows(_ application: Application, _ words: String...) async throws -> [[String: Any]] {
            let result = try await application.run(["sink", "--status"] + words)
            return try result.standardOutput.split(separator: "\n").map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }

        private func start(_ application: Application, _ words: [String]) throws -> ProcessRunner {
            try ProcessRunner(
                TidelineExecutable.url, ["sink", "--metrics", "127.0.0.1:0"] + words + application.options,
                environment: ResourceWorld.secret, timeout: .seconds(180))
        }

        @Test("a sink that posts reloads is seen from outside, by its ledger where it has told nothing")
        func posted() async throws {
            let application = try await Application("reload-status", partitions: 1)
            let hook = try await SlowHook(delay: 0)
            defer { hook.stop() }
            try await application.produce(Self.reloads(0..<10), to: "timeline.reloads")
            let words = ["sink", "--reloads", hook.address, "--until-caught-up"]
            let result = try await tideline(words + application.options, environment: ResourceWorld.secret)
            #expect(result.succeeded, "\(result.failure)")
            try await application.produce(Self.reloads(10..<12), to: "timeline.reloads")

            let told = try await rows(application)
            let row = try #require(told.first)
            #expect(told.count == 1, "\(told)")
            let name = try #require(row["sink"] as? String)
            let target = try #require(row["target"] as? String)
            #expect(name.hasPrefix("webhook-") && target == hook.address.replacing("reloads", with: "…"), "\(row)")
            #expect(row["state"] as? String == "stopped", "\(row)")
            #expect(row["topic"] as? String == application.topic("timeline.reloads"), "\(row)")
            #expect(row["next"] as? String == "0:10" && row["lag"] as? Int == 2, "\(row)")
            #expect(row["waiting"] as? Int == 0, "\(row)")

            // It has told nothing any more.
            try await application.produce([(key: "\(name)/\(target)", value: nil, headers: [])], to: "sinks")
            let kept = try await rows(application, name)
            #expect(kept.map { $0["sink"] as? String } == [name], "\(kept)")
            let silent = try #require(kept.first)
            #expect(silent["state"] as? String == "silent", "\(kept)")
            #expect(silent["next"] as? String == "0:10" && silent["lag"] as? Int == 2, "\(kept)")
            #expect(silent["at"] as? String != nil && !silent.keys.contains("target"), "\(kept)")
            let table = try await application.run("sink", "--status", "--table")
            for word in ["lag", "waiting", "silent", "0:10"] {
                #expect(table.standardOutput.contains(word), "\(table.failure)")
            }
        }

        @Test("a sink that has ended is forgotten by its name, with consent; one that runs is not")
        func forgotten() async throws {
            let application = try await Application("forget", partitions: 1)
            let to = "files:" + application.directory.appending(path: "out").path
            try await application.run("sink", "--to", to, "--until-caught-up")
            #expect(try await rows(application).map { $0["sink"] as? String } == ["files"])
            func forget(_ words: String...) async throws -> ProcessResult {
                try await tideline(["sink", "--status", "--forget"] + words + application.options)
            }
            let unasked = try await forget("files")
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            let unknown = try await forget("file", "--yes")
            #expect(unknown.status == 64 && unknown.standardError.contains("files"), "\(unknown.failure)")

            let sink = try application.start("sink", "--to", to)
            defer { sink.kill() }
            let runs = try await eventually(within: .seconds(60), every: .milliseconds(500)) {
                try await rows(application).first?["state"] as? String == "running"
            }
            #expect(runs, "\(sink.errorOutput)")
            let refused = try await forget("files", "--yes")
            #expect(refused.status == 70 && refused.standardError.contains("end it first"), "\(refused.failure)")
            sink.terminate()
            #expect(await sink.result().succeeded)
            #expect(try await rows(application).count == 1)

            let done = try await forget("files", "--yes")
            #expect(done.succeeded && done.standardOutput.contains("forgotten"), "\(done.failure)")
            #expect(try await rows(application).isEmpty)
        }

        @Test("a sink of reloads whose target is away says so from outside, with how many records wait")
        func away() async throws {
            let application = try await Application("reload-away", partitions: 1)
            let sink = try start(application, ["--reloads", "http://127.0.0.1:9/"])
            defer { sink.kill() }
            _ = try await Monitored.address(of: sink)
            try await application.produce(Self.reloads(0..<3), to: "timeline.reloads")
            var last: [[String: Any]] = []
            let isSeen = try await eventually(within: .seconds(60), every: .milliseconds(500)) {
                let result = try await tideline(["sink", "--status"] + application.options)
                guard result.succeeded else { return false }
                last = try await rows(application)
                let row = last.first ?? [:]
                return row["state"] as? String == "waiting" && row["waiting"] as? Int == 3
                    && row["lag"] as? Int == 3 && row["lastError"] is String
            }
            #expect(isSeen, "\(last) \(sink.errorOutput)")
        }

        @Test("a sink that sends more slowly than records come is not ready, with the reason, until it has caught up")
        func slow() async throws {
            let application = try await Application("slow-hook", partitions: 1)
            let hook = try await SlowHook(delay: 0.5)
            defer { hook.stop() }
            let settings = ["--set", "reloads.concurrency=1", "--set", "health.lag=PT5S"]
            let sink = try start(application, ["--reloads", hook.address] + settings)
            defer { sink.kill() }
            let address = try await Monitored.address(of: sink)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            try await application.produce(Self.reloads(0..<40), to: "timeline.reloads")
            var last = ""
            let isSeen = try await eventually(within: .seconds(60)) {
                last = try await Monitored.get("/health/ready", at: address).body
                return last.contains(#""part":"lag","reason":"the sink webhook-"#) && last.contains(" behind, ")
            }
            #expect(isSeen && last.contains("allowed are 5.0 s (health.lag)"), "\(last) \(sink.errorOutput)")
            let metrics = try await Monitored.get("/metrics", at: address).body
            #expect(metrics.contains("state=\"running\"} 1\n"), "\(metrics)")
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            show("a sink that sends too slowly: \(last)")
            sink.terminate()
            #expect(await sink.result().succeeded)
        }

        @Test("of several sinks in a process health and metrics name the one that has failed for good")
        func failed() async throws {
            var application = try await Application("failed-sink", partitions: 1)
            let wall = try application.file("wall", "not a directory")
            let sinks = #"{"phones": {"to": "files:\#(wall)-of-phones"}, "wall": {"to": "files:\#(wall)"}}"#
            application.settings += ["--set", "sinks=\(sinks)"]
            let sink = try start(application, [])
            defer { sink.kill() }
            let address = try await Monitored.address(of: sink)
            var (last, metrics) = ("", "")
            let isSeen = try await eventually(within: .seconds(60)) {
                last = try await Monitored.get("/health/ready", at: address).body
                metrics = try await Monitored.get("/metrics", at: address).body
                // The other one has begun by then.
                return last.contains(#""part":"sink","reason":"sink wall: "#) && !last.contains("sink phones")
                    && metrics.contains("tideline_sink_state{sink=\"wall\",state=\"failed\"} 1\n")
                    && metrics.contains("tideline_sink_state{sink=\"phones\",state=\"running\"} 1\n")
            }
            #expect(isSeen, "\(last) \(metrics) \(sink.errorOutput)")
            for check in ["live", "startup"] { try await Monitored.wait(for: "/health/\(check)", at: address, 200) }
            sink.terminate()
            _ = await sink.result()
        }
    }
}

/// A webhook's receiver without TLS that takes one request after the other, each so many seconds.
private struct SlowHook {
    private let runner: ProcessRunner
    let address: String

    private static let program = """
        import http.server, sys, time
        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                time.sleep(float(sys.argv[1]))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()
            def log_message(self, *words):
                pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    init(delay: Double) async throws {
        let runner = try ProcessRunner(
            URL(filePath: "/usr/bin/python3"), ["-c", Self.program, "\(delay)"], timeout: .seconds(240))
        let isThere = await eventually { runner.output.hasSuffix("\n") }
        try #require(isThere, "\(runner.errorOutput)")
        self.runner = runner
        address = "http://127.0.0.1:\(runner.output.trimmingCharacters(in: .newlines))/reloads"
    }

    func stop() { runner.kill() }
}
