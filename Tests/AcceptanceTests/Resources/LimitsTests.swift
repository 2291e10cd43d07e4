import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// What programs do with little memory, few descriptors, a full disk and a slow broker; Operating.md says it.
    @Suite struct LimitsTests {
        @Test("memory that is short is said once, with metrics; work goes on with smaller portions until it is ample")
        func memory() async throws {
            let application = try await Application("short", partitions: 2)
            let settings = try application.file("short.yaml", "memory: {limit: 128MiB, warningThreshold: 0.2}\n")
            let pipeline = try application.start(
                "process", "--config", settings, "--metrics", "127.0.0.1:0")
            defer { pipeline.kill() }
            let address = try await Monitored.address(of: pipeline)
            let isShort = try await eventually(within: .seconds(100), every: .seconds(1)) {
                try await Monitored.get("/metrics", at: address).body.contains("\ntideline_memory_pressure 1\n")
            }
            #expect(isShort, "\(pipeline.errorOutput)")
            try await application.configure(vehicles: 50)
            try await application.flood(telemetry: 40_000)
            let isDone = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await Monitored.get("/metrics", at: address).body.contains(
                    "\ntideline_consumed_records_total 40050\n")
            }
            #expect(isDone, "\(pipeline.errorOutput)")
            let text = try await Monitored.get("/metrics", at: address).body
            #expect(text.contains("\ntideline_memory_limit_bytes 134217728\n"), "\(text)")
            #expect(try await Monitored.get("/health/ready", at: address).head.contains("200"))
            #expect(ResourceWorld.lines("memory is short: ", in: pipeline).count == 1, "\(pipeline.errorOutput)")

            _ = try application.file("short.yaml", "memory: {limit: 128MiB, warningThreshold: 1.0}\n")
            pipeline.signal(SIGUSR2)
            let isAmple = await eventually(within: .seconds(100)) {
                !ResourceWorld.lines("memory is no longer short: ", in: pipeline).isEmpty
            }
            #expect(isAmple, "\(pipeline.errorOutput)")
            pipeline.terminate()
            #expect(await pipeline.result().succeeded)
        }

        @Test("too few descriptors are refused at the start, with what there are and what is needed")
        func descriptorsAtStart() async throws {
            let application = try await Application("few", partitions: 1)
            let verbs = [
                (["process", "--stream-threads", "2"], 88), (["sink", "--to", "files:out"], 32),
                (["serve", "--listen", "127.0.0.1:0"], 64),
            ]
            for (words, needed) in verbs {
                let runner = try ResourceWorld.start(words + application.options, after: "ulimit -n 24")
                let result = await runner.result()
                #expect(result.status == 70, "\(words): \(result.failure)")
                let line = "tideline: 24 descriptors may be open (ulimit -n), and \(needed) are needed at least"
                #expect(result.standardError.contains(line), "\(words): \(result.failure)")
            }
        }

        @Test("descriptors that run out make a process unready with the reason; it comes back when there are more")
        func descriptorsAtRunTime() async throws {
            let application = try await Application("descriptors", partitions: 1)
            let pipeline = try application.start("process", "--metrics", "127.0.0.1:0")
            defer { pipeline.kill() }
            let address = try await Monitored.address(of: pipeline)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            func limit(_ number: Int) async throws {
                let result = try await ProcessRunner.run(
                    URL(filePath: "/usr/bin/prlimit"),
                    ["--pid", "\(pipeline.processIdentifier)", "--nofile=\(number):4096"])
                try #require(result.succeeded, "\(result.failure)")
            }
            let open = try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(pipeline.processIdentifier)/fd"
            ).count
            // One is left for who asks for health.
            try await limit(open + 1)
            let answer = try await Monitored.wait(for: "/health/ready", at: address, 503)
            #expect(answer.body.contains("\"part\":\"descriptors\""), "\(answer)")
            // What is open goes on.
            try await application.publish(
                configurations: #"{"configurationId":"a","kind":"Board","strategy":"hourly","recipient":"ana"}"#)
            let isMade = try await eventually(within: .seconds(100), every: .seconds(1)) {
                try await Monitored.get("/metrics", at: address).body.contains("\ntideline_timelines_total 1\n")
            }
            #expect(isMade, "\(pipeline.errorOutput)")
            try await limit(1024)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            for text in ["no connection or file can be opened", "descriptors are free again"] {
                #expect(ResourceWorld.lines(text, in: pipeline).count == 1, "\(pipeline.errorOutput)")
            }
            pipeline.terminate()
            #expect(await pipeline.result().succeeded)
        }

        @Test(
            "a full disk: the sink waits and says so once, is unready, and writes all once there is room",
            arguments: [("files", "No space left on device"), ("sqlite", "database or disk is full")])
        func fullDisk(kind: String, reason: String) async throws {
            let application = try await Application("full", partitions: 2)
            try await application.configure(vehicles: 400)
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            let folder = TemporaryDirectory.make("full").path
            let target = kind == "files" ? "files:\(folder)" : "sqlite:\(folder)/timelines.db"
            let sink = try ResourceWorld.start(
                ["sink", "--to", target, "--metrics", "127.0.0.1:0"] + application.options,
                after: "mount -t tmpfs -o size=256k tmpfs '\(folder)' || exit 99", with: ["unshare", "-m"])
            defer { sink.kill() }
            let hasBegun = await eventually(within: .seconds(100)) {
                sink.errorOutput.contains("metrics and") || !sink.isRunning
            }
            try #require(hasBegun, "\(sink.errorOutput)")
            guard sink.isRunning else {
                return show("not tested: no file system can be mounted here: \(sink.errorOutput)")
            }
            let address = try await Monitored.address(of: sink)
            let isHeld = await eventually(within: .seconds(100)) { sink.errorOutput.contains(reason) }
            #expect(isHeld, "\(sink.errorOutput)")
            let answer = try await Monitored.wait(for: "/health/ready", at: address, 503)
            #expect(answer.body.contains("\"part\":\"target\"") && answer.body.contains(reason), "\(answer)")
            try await Task.sleep(for: .seconds(5))
            #expect(ResourceWorld.lines(reason, in: sink).count == 1, "\(sink.errorOutput)")
            let more = try await ProcessRunner.run(
                URL(filePath: "/usr/bin/nsenter"),
                ["-t", "\(sink.processIdentifier)", "-m", "mount", "-o", "remount,size=64m", folder])
            try #require(more.succeeded, "\(more.failure)")
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            let isWritten = try await eventually(within: .seconds(100)) {
                let seen = "/proc/\(sink.processIdentifier)/root\(folder)"
                if kind == "sqlite" {
                    // SQLite follows the link of /proc back to here, so it has to be asked over there.
                    let rows = try await ProcessRunner.run(
                        URL(filePath: "/usr/bin/nsenter"),
                        [
                            "-t", "\(sink.processIdentifier)", "-m", "sqlite3", "\(folder)/timelines.db",
                            "SELECT count(*) FROM timelines",
                        ])
                    return rows.standardOutput == "400\n"
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: seen)
                return names.count { $0.hasSuffix(".json") && !$0.hasPrefix(".") } == 400
            }
            #expect(isWritten, "\(sink.errorOutput)")
            #expect(ResourceWorld.lines("the sink can write again", in: sink).count == 1, "\(sink.errorOutput)")
            sink.terminate()
            let result = await sink.result()
            #expect(result.succeeded && result.standardOutput.contains("\"written\":400"), "\(result.failure)")
        }

        @Test("a broker that is slow: all is done, later, in few lines; readiness says what is waited for, then yes")
        func slowBroker() async throws {
            let broker = try await TestBroker.dedicated()
            guard let identifier = ResourceWorld.process(of: broker) else {
                return show("not tested: the broker here is no process that can be slowed down")
            }
            let application = try await Application("slow", partitions: 2, on: broker)
            try await application.configure(vehicles: 50)
            try await application.flood(telemetry: 20_000)
            let pipeline = try application.start(
                "process", "--metrics", "127.0.0.1:0", "--set", "health.lag=PT1S")
            defer { pipeline.kill() }
            let address = try await Monitored.address(of: pipeline)
            // It answers in a tenth of the time, so that a request takes up to a second and a half.
            let slowness = Task {
                while !Task.isCancelled {
                    kill(identifier, SIGSTOP)
                    try? await Task.sleep(for: .milliseconds(1500))
                    kill(identifier, SIGCONT)
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            defer {
                slowness.cancel()
                kill(identifier, SIGCONT)
            }
            let began = ContinuousClock.now
            var reasons: Set<String> = []
            let isDone = try await eventually(within: .seconds(120), every: .seconds(1)) {
                let answer = try await Monitored.get("/health/ready", at: address)
                if let part = answer.body.firstMatch(of: /"part":"([a-z]+)"/)?.1 { reasons.insert(String(part)) }
                let body = try await Monitored.get("/metrics", at: address).body
                // A commit whose answer came after the tasks were lost is not counted.
                let allRead = /\ntideline_consumer_lag_records\{[^}]*vehicle\.telemetry"\} 0\n/
                return body.contains("\ntideline_consumed_records_total 20050\n") || body.contains(allRead)
            }
            let time = ContinuousClock.now - began
            slowness.cancel()
            _ = await slowness.value
            // Which part it is depends on where the broker is slow: the start, the restore, or the reading.
            #expect(isDone, "\(pipeline.errorOutput)")
            #expect(!reasons.isEmpty && reasons.isSubset(of: ["startup", "restore", "lag", "brokers", "commits"]))
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            // What is read counts before its transaction ends.
            let isCommitted = try await eventually {
                try await application.committed("vehicle.telemetry", partitions: 2).reduce(0, +) == 20_000
            }
            #expect(isCommitted)
            let lines = pipeline.errorOutput.split(separator: "\n").filter { !$0.contains(" info ") }
            show("a broker that answers a seventh of the time: 20,050 records after \(time), \(lines.count) lines")
            #expect(lines.count < 12, "\(lines)")
            pipeline.terminate()
            #expect(await pipeline.result().succeeded)
            try await broker.stop()
        }
    }
}
