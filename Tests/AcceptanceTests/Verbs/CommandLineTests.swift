import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// The messages and exit statuses of the program when it cannot do what it is asked to (V3).
    @Suite struct CommandLineTests {
        @Test(
            "what cannot be understood names what was meant, with status 64",
            arguments: [
                (["proces"], "Did you mean 'process'?"),
                (["produce", "telemtry"], "Did you mean 'telemetry'?"),
                (["process", "--until-cought-up"], "Did you mean '--until-caught-up'?"),
                (["produce", "telemetry", "--csv", "x", "--format", "capmetric"], "Did you mean 'capmetrics'?"),
                (["process", "--set", "comit.interval.ms=5"], "did you mean 'commit.interval.ms'?"),
                (["sink", "--to", "paper:x"], "must be files:DIR, ics:DIR, sqlite:FILE, postgres://USER@HOST/DB"),
                (["sink", "--to", "paper:x"], "stdout or https://…, not 'paper:…'"),
                (["sink", "--to", "foo"], "or https://…, not 'foo'"),
                (["process", "--clock", "yesterday"], "RFC 3339"),
                (["produce", "configurations"], "--json"),
                (["list", "vehicles", "--where", "foo"], "allowed is FIELD=VALUE, such as kind=Bus"),
                ([], "Missing subcommand"),
            ])
        func misspelt(words: [String], hint: String) async throws {
            let result = try await tideline(words)
            #expect(result.status == 64 && !result.isSignalled, "\(result.failure)")
            #expect(result.standardError.contains(hint), "\(result.failure)")
            #expect(result.standardOutput.isEmpty)
        }

        @Test("all problems of settings are named at once, each with its place, its key and what is allowed")
        func settings() async throws {
            let file = TemporaryDirectory.make("settings").appending(path: "settings.yaml")
            try Data("session:\n  timeout: 10 seconds\nbootstrp: x\n".utf8).write(to: file)
            let result = try await tideline(
                [
                    "process", "--config", file.path, "--set", "log.level=loud", "--set", "kafka.sesion.timeout.ms=4",
                    "--set", "kafka.transactional.id=mine",
                ],
                environment: ["TIDELINE_COMMIT_INTERVAL_MS": "0", "TIDELINE_CONECT_TIMEOUT": "PT1S"])
            #expect(result.status == 64, "\(result.failure)")
            let problems = result.standardError.split(separator: "\n").map(String.init)
            for parts in [
                ["--set: log.level", "'loud'", "trace, debug, info"],
                ["--set: kafka.sesion.timeout.ms", "no such property"],
                ["--set: kafka.transactional.id", "chosen by the program"],
                ["TIDELINE_COMMIT_INTERVAL_MS: commit.interval.ms", "'0'", "from 1 to 60000"],
                ["TIDELINE_CONECT_TIMEOUT", "did you mean 'TIDELINE_CONNECT_TIMEOUT'?"],
                ["\(file.path):2: session.timeout", "'10 seconds'", "ISO 8601"],
                ["\(file.path):3: bootstrp", "did you mean 'bootstrap'?"],
            ] {
                #expect(
                    problems.contains { line in parts.allSatisfy { line.contains($0) } },
                    "no line has \(parts): \(problems)")
            }
            #expect(problems.count == 7, "\(problems)")
            show(
                "wrong settings: \(problems.count) problems of flags, environment and file at once, status 64"
            )
        }

        @Test(
            "time-outs that contradict each other are refused with both names and values, with status 64",
            arguments: [
                (["commit.interval.ms=9000"], ["commit.interval.ms is 9000", "transaction.timeout is PT10S"]),
                (["transaction.timeout=PT1S", "commit.interval.ms=600"], ["commit.interval.ms is 600", "is PT1S"]),
                (["kafka.heartbeat.interval.ms=4000"], ["heartbeat.interval.ms is 4000", "session.timeout is PT10S"]),
                (
                    ["session.timeout=PT2M", "kafka.max.poll.interval.ms=60000"],
                    ["max.poll.interval.ms is 60000", "session.timeout is PT2M"]
                ),
                (
                    ["transaction.timeout=PT5M", "restore.patience=PT5M", "kafka.max.poll.interval.ms=120000"],
                    ["max.poll.interval.ms is 120000", "transaction.timeout is PT5M"]
                ),
                (
                    ["kafka.delivery.timeout.ms=30000"],
                    ["kafka.delivery.timeout.ms is 30000", "transaction.timeout is PT10S"]
                ),
                (["restore.patience=PT5S"], ["restore.patience is PT5S", "transaction.timeout is PT10S"]),
                (["kafka.transaction.timeout.ms=5000"], ["kafka.transaction.timeout.ms", "say transaction.timeout"]),
                (["kafka.session.timeout.ms=5000"], ["kafka.session.timeout.ms", "say session.timeout"]),
                (["kafka.group.instance.id=one"], ["kafka.group.instance.id", "say instance"]),
                (["instance=a/b"], ["instance is 'a/b'", "letters, digits"]),
            ])
        func timeouts(words: [String], parts: [String]) async throws {
            let result = try await tideline(["process"] + words.flatMap { ["--set", $0] })
            #expect(result.status == 64, "\(result.failure)")
            for part in parts { #expect(result.standardError.contains(part), "\(result.failure)") }
        }

        @Test("long sessions and transactions are taken as they are: the time between polls grows with them")
        func longTimeouts() async throws {
            let away = ["--bootstrap", "127.0.0.1:1", "--set", "connect.timeout=PT1S"]
            let result = try await tideline(
                [
                    "process", "--set", "session.timeout=PT20M", "--set", "transaction.timeout=PT15M", "--set",
                    "restore.patience=PT20M",
                ] + away)
            #expect(result.status == 69, "\(result.failure)")
        }

        @Test(
            "a spread that is negative, too long or no duration is refused by name",
            arguments: ["-PT1M", "PT1H1S", "5"])
        func spread(_ spread: String) async throws {
            let result = try await tideline(["process", "--set", "renewal.spread=\(spread)"])
            #expect(result.status == 64, "\(result.failure)")
            for part in ["--set: renewal.spread", "'\(spread)'", "from PT0S to PT1H"] {
                #expect(result.standardError.contains(part), "\(result.failure)")
            }
        }

        @Test("a broker that is away is named with its address and how long it was waited for, with status 69")
        func brokerAway() async throws {
            for verb in [
                ["topics"], ["process"], ["sink", "--to", "files:unused"], ["produce", "telemetry", "--fleet", "1"],
            ] {
                let began = ContinuousClock.now
                let result = try await tideline(
                    verb + [
                        "--bootstrap", "127.0.0.1:1", "--set", "connect.timeout=PT1S", "--set", "log.level=critical",
                    ])
                #expect(result.status == 69, "\(verb): \(result.failure)")
                #expect(result.standardError.contains("no broker answers at 127.0.0.1:1"), "\(verb): \(result.failure)")
                #expect(result.standardError.contains("PT1S (connect.timeout)"), "\(verb): \(result.failure)")
                #expect(ContinuousClock.now - began < .seconds(15))
            }
            show("broker away: its address and connect.timeout named by every verb, status 69")
        }

        @Test("topics that are missing are named all at once, with the line that creates them, with status 69")
        func missingTopics() async throws {
            let application = try await Application("bare", partitions: nil)
            let result = try await tideline(["process"] + application.options)
            #expect(result.status == 69, "\(result.failure)")
            for topic in [
                "vehicle.telemetry", "calendar.events", "widget.configurations", "timelines", "timeline.reloads",
                "timeline.positions", "timeline.positions.merged", "tideline.dead-letters",
            ] {
                #expect(result.standardError.contains(application.topic(topic)), "\(topic): \(result.failure)")
            }
            // The line is there to be typed.
            let line = try #require(
                result.standardError.split(separator: "\n").last?.trimmingCharacters(in: .whitespaces))
            let words = line.split(separator: " ").map(String.init)
            try #require(words.first == "tideline", "\(line)")
            let created = try await tideline(Array(words.dropFirst()))
            #expect(created.succeeded, "\(created.failure)")
            #expect(try await application.process(clock: GeneratedData.clock).records == 0)
            show(
                "missing topics: eight named at once; the line '\(words[0]) \(words[1]) …' creates them, status 69"
            )
        }

        @Test("topics reports what differs and changes nothing that exists")
        func topicsThatDiffer() async throws {
            let application = try await Application("differs", partitions: 2)
            let result = try await application.run("topics", "--partitions", "3")
            let lines = result.standardOutput.split(separator: "\n")
            #expect(lines.count == 8 && lines.allSatisfy { $0.contains("2 partitions, not 3") }, "\(lines)")
            let again = try await application.run("topics", "--partitions", "2")
            #expect(
                again.standardOutput.split(separator: "\n").allSatisfy { $0.hasSuffix(": exists") },
                "\(again.standardOutput)")
        }

        @Test("SIGTERM drains, commits, leaves the group and ends with status 0")
        func termination() async throws {
            var data = GeneratedData(steps: 100)
            var application = try await Application("terminated")
            application.settings = ["--set", "session.timeout=PT2M"]
            try await data.publish(to: application)
            let first = try application.start("process", "--clock", GeneratedData.clock)
            let isBusy = try await eventually(within: .seconds(60), every: .milliseconds(5)) {
                try await application.committed("vehicle.telemetry").reduce(0, +) > 0
            }
            #expect(isBusy, "\(first.errorOutput)")
            first.terminate()
            let began = ContinuousClock.now
            let ended = await first.result()
            let took = ContinuousClock.now - began
            #expect(ended.succeeded, "\(ended.failure)")
            #expect(took < .seconds(20), "took \(took)")

            // Who leaves the group is not waited for: the next one has its tasks within less than a session time-out.
            let next = ContinuousClock.now
            let rest = try await application.process(clock: GeneratedData.clock)
            #expect(ContinuousClock.now - next < .seconds(60), "a session lasts two minutes")
            #expect(try Summary(ended).records + rest.records == data.count + 270)
            #expect(try await application.committed("vehicle.telemetry").reduce(0, +) == data.count)
            show(
                "SIGTERM in mid-replay: ended with status 0 after \(took.formatted(.units(allowed: [.milliseconds]))); "
                    + "\(try Summary(ended).records) + \(rest.records) records, none missing and none twice")
        }

        @Test("SIGTERM before the first assignment ends the process, too")
        func earlyTermination() async throws {
            let application = try await Application("early")
            for delay in [0, 20, 60, 120, 250] {
                let process = try application.start("process")
                try await Task.sleep(for: .milliseconds(delay))
                process.terminate()
                let result = await process.result()
                // Before the program has its own handler the system's ends it.
                #expect(
                    result.succeeded || result.isSignalled && result.status == SIGTERM, "\(delay) ms: \(result.failure)"
                )
            }
        }

        @Test(
            "every verb documents itself with an example",
            arguments: [
                [], ["demo"], ["topics"], ["produce"], ["produce", "telemetry"], ["produce", "calendar"],
                ["produce", "configurations"], ["process"], ["sink"], ["bench"],
            ])
        func help(verb: [String]) async throws {
            let result = try await tideline(verb + ["--help"])
            #expect(result.succeeded && result.standardError.isEmpty, "\(result.failure)")
            let parts = result.standardOutput.split(separator: "EXAMPLES:\n")
            try #require(parts.count == 2, "\(result.standardOutput)")
            #expect(parts[1].contains("tideline " + verb.joined(separator: " ")), "\(result.standardOutput)")
        }

        @Test("completion scripts are given for the three shells", arguments: ["bash", "zsh", "fish"])
        func completion(shell: String) async throws {
            let result = try await tideline(["--generate-completion-script", shell])
            #expect(result.succeeded, "\(result.failure)")
            for word in ["demo", "process", "until-caught-up", "capmetrics"] {
                #expect(result.standardOutput.contains(word), "\(shell): no \(word)")
            }
        }
    }
}
