import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `doctor` on a real broker: what it is to find is brought about, found, and mended as it says.
    ///
    /// Other failures are brought about in `RunbookTests`, and permissions in `DoctorPermissionTests`. DiagnosisTests
    /// alone, with facts that a test makes up, hold: partitions without a leader or with a replica behind; a broker
    /// that the cluster names and nobody reaches; a clock and zone data that are off; state that does not fit into
    /// memory; a task that nobody owns or that is restored; and a transaction that no coordinator knows of.
    @Suite struct DoctorTests {
        private static let clock = "2026-11-20T06:25:00Z"

        private static func configurations(_ ids: Range<Int>) -> String {
            ids.map { #"{"configurationId": "c\#($0)", "kind": "K", "strategy": {"name": "fixedInterval"}}"# + "\n" }
                .joined()
        }

        /// A process that runs and has its tasks.
        private static func running(_ application: Application) async throws -> ProcessRunner {
            let process = try application.start("process")
            let isRunning = await eventually(within: .seconds(60)) { process.errorOutput.contains("restoredRecords") }
            try #require(isRunning, "\(process.errorOutput)")
            return process
        }

        @Test("an application that runs has nothing bad, and looking at it writes nothing and takes nothing")
        func healthy() async throws {
            var application = try await Application("healthy")
            application.settings = ["--set", "internal.replication=1"]
            try await application.publish(configurations: Self.configurations(0..<20))
            _ = try await application.process(clock: Self.clock)
            let before = try await application.ends()
            let idle = try await application.doctor("--seconds", "1").findings
            #expect(idle.filter { $0.level == "failure" }.map(\.check) == ["members"], "\(idle)")
            #expect(try await application.ends() == before, "nothing was written by the way")
            let uncompared = idle.first { $0.check == "clock" }
            #expect(uncompared?.remedy?.contains("doctor --probe-clock --bootstrap ") == true, "\(idle)")
            let process = try await Self.running(application)
            let (result, findings) = try await application.doctor("--probe-clock")
            #expect(result.status == 0, "\(result.failure)")
            #expect(findings.filter { $0.level == "failure" }.isEmpty, "\(findings)")
            let checks = Set(findings.map(\.check))
            #expect(
                checks == [
                    "brokers", "topics", "permissions", "clock", "zones", "members", "lag", "transactions", "writers",
                    "state", "dead-letters",
                ])
            let zones = findings.first { $0.check == "zones" && $0.subject == "\(application.name).state" }
            #expect(zones?.level == "ok" && zones?.text.contains("as this program") == true, "\(findings)")
            let clock = try #require(findings.first { $0.check == "clock" })
            #expect(clock.level == "ok" && clock.text.contains("within a second"), "\(clock)")
            let words = try await tideline(["doctor", "--seconds", "1"] + application.options)
            #expect(words.status == 0 && words.standardOutput.contains("✓ topics "), "\(words.failure)")
            #expect(words.standardError.isEmpty, "what it tries is no failure: \(words.standardError)")
            process.terminate()
            #expect(await process.result().succeeded)
            show("doctor, \(findings.count) findings on a healthy application, none bad; ends of all topics unchanged")
        }

        @Test("no broker: the address is named, with status 70")
        func unreachable() async throws {
            let result = try await tideline(["doctor", "--bootstrap", "127.0.0.1:1", "--json"])
            #expect(result.status == 70, "\(result.failure)")
            let findings = try Finding.all(of: result)
            #expect(findings.map(\.level) == ["failure", "failure"], "\(findings)")
            #expect(
                findings.first?.subject == "127.0.0.1:1 (bootstrap)" && findings.first?.text.contains("refused") == true
            )
            // The last answer has librdkafka's name of the failure, and so would the failure of the whole.
            let names = findings.last?.text.components(separatedBy: "(_TRANSPORT)").count ?? 0
            #expect(names <= 2, "\(findings)")
        }

        @Test("one of two addresses that does not answer is named, and holds up nothing else")
        func deadAddress() async throws {
            let application = try await Application("half-dead", partitions: 2)
            _ = try await application.process(clock: Self.clock)
            func look(_ bootstrap: String) async throws -> (findings: [Finding], time: Duration) {
                let words = ["--application", application.name, "--topic-prefix", application.prefix]
                let began = ContinuousClock.now
                let result = try await tideline(
                    ["doctor", "--seconds", "1", "--json", "--bootstrap", bootstrap] + words, timeout: .seconds(180))
                return (try Finding.all(of: result), .now - began)
            }
            let whole = try await look(application.bootstrap)
            let both = "127.0.0.1:1,\(application.bootstrap)"
            let half = try await look(both)
            let broken = half.findings.filter { $0.level == "failure" }
            #expect(broken.map(\.check) == ["brokers", "members"], "\(broken)")
            #expect(broken.first?.subject == "127.0.0.1:1 (bootstrap)", "\(broken)")
            #expect(broken.last?.remedy?.contains("--bootstrap \(both) ") == true, "\(broken)")
            // The address itself is waited for, for five seconds; no other question waits for it.
            #expect(half.time - whole.time < .seconds(30), "\(half.time) in place of \(whole.time)")
        }

        @Test("topics that are missing or have other settings are found, and 'topics --apply' sets these")
        func topics() async throws {
            let application = try await Application("settings", partitions: nil)
            let missing = try await application.doctor().findings.filter { $0.level == "failure" }
            #expect(missing.filter { $0.check == "topics" }.count == 8, "\(missing)")
            #expect(missing.first { $0.check == "topics" }?.remedy?.hasPrefix("tideline topics --bootstrap") == true)
            try await application.run("topics", "--partitions", "2")
            _ = try await application.process(clock: Self.clock)
            let (timelines, exchange) = (application.topic("timelines"), "\(application.name).exchange")
            try await application.change(.init("cleanup.policy", "delete"), of: timelines)
            try await application.change(.init("retention.ms", "600000"), of: exchange)
            try await application.change(.init("retention.ms", "700000"), of: timelines)
            func found() async throws -> [String] {
                try await application.doctor().findings.filter { $0.check == "topics" && $0.level == "failure" }
                    .map { "\($0.subject): \($0.text)" }
            }
            let differences = [
                "\(timelines): cleanup.policy is delete, not compact", "\(exchange): retention.ms is 600000, not -1",
            ]
            #expect(try await found() == differences)
            let unasked = try await tideline(["topics", "--apply"] + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            #expect(try await found() == differences, "nothing was changed")
            let applied = try await application.run("topics", "--apply", "--yes")
            #expect(
                applied.standardOutput.contains("\(timelines): cleanup.policy is compact now"), "\(applied.failure)")
            let consequence = "\(timelines): brokers will remove every record that a newer one of its key has replaced"
            #expect(applied.standardOutput.contains(consequence), "\(applied.failure)")
            #expect(try await found().isEmpty)
            let kept = try await application.settings(of: timelines)
            #expect(kept["retention.ms"] == "700000", "a setting of the topic's own that nobody asked about stays")
            #expect(try await application.run("topics", "--apply").standardOutput.contains("no setting differs"))
            show("doctor names \(differences.count) settings that differ, topics --apply --yes sets them")
        }

        @Test("'topics --partitions P --apply' adds partitions to inputs that have fewer, with consent; others stay")
        func partitions() async throws {
            let application = try await Application("grown", partitions: 2)
            _ = try await application.process(clock: Self.clock)
            let inputs = ["vehicle.telemetry", "calendar.events", "widget.configurations", "timeline.positions"]
                .map { application.topic($0) }
            let outputs = ["timelines", "timeline.reloads"].map { application.topic($0) }
            let others = outputs + ["exchange", "state"].map { "\(application.name).\($0)" }
            func counts(_ topics: [String]) async throws -> [Int32?] {
                var counts: [Int32?] = []
                for topic in topics { counts.append(try await application.partitions(of: topic)) }
                return counts
            }
            // Without a number nothing grows, although new topics would have four.
            #expect(try await application.run("topics", "--apply").standardOutput.contains("no setting differs"))
            let unasked = try await tideline(["topics", "--partitions", "3", "--apply"] + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            #expect(unasked.standardOutput.contains("\(inputs[0]): 2 partitions, 3 are wished"), "\(unasked.failure)")
            #expect(try await counts(inputs) == [2, 2, 2, 2])
            let added = try await application.run("topics", "--partitions", "3", "--apply", "--yes")
            for input in inputs { #expect(added.standardOutput.contains("\(input): 3 partitions now")) }
            #expect(try await counts(inputs) == [3, 3, 3, 3])
            #expect(try await counts(others) == [2, 2, 2, 2])
            // Nothing is taken away, and what came into a new partition is read.
            try await application.run("topics", "--partitions", "2", "--apply", "--yes")
            #expect(try await counts(inputs) == [3, 3, 3, 3])
            let lines = (0..<12).map {
                #"{"configurationId": "c\#($0)", "kind": "K", "strategy": {"name": "hourly"}}"# + "\n"
            }
            try await application.publish(configurations: lines.joined())
            _ = try await application.process(clock: Self.clock)
            let partitions = try await application.records(of: "widget.configurations").map(\.partition)
            #expect(Set(partitions) == [0, 1, 2], "\(partitions)")
            #expect(try await Set(application.records(of: "timelines").map(\.keyText)).count == 12)
        }

        @Test("topics that sinks and dead-letters make are looked at where they are, and 'topics --apply' mends them")
        func topicsOnDemand() async throws {
            let application = try await Application("on-demand", partitions: 2)
            try await application.produce([("v", Array("{".utf8), [])], to: "vehicle.telemetry")
            #expect(try await application.process(clock: Self.clock).deadLetters == 1)
            let names = ["pushes", "sinks", "operations"].map { "\(application.name).\($0)" }
            func found() async throws -> [Finding] {
                try await application.doctor("--seconds", "1").findings
                    .filter { $0.check == "topics" && names.contains($0.subject) }
            }
            #expect(try await found().isEmpty, "what was not needed yet is missed by nobody")
            for name in names { try await application.make(name, [.init("cleanup.policy", "delete")]) }
            let wrong = try await found()
            #expect(wrong.map(\.subject) == names && wrong.allSatisfy { $0.level == "failure" }, "\(wrong)")
            #expect(wrong.allSatisfy { $0.text == "cleanup.policy is delete, not compact" }, "\(wrong)")
            let drop = ["dead-letters", "drop", "--all", "--yes"]
            let refused = try await tideline(drop + application.options)
            #expect(refused.status == 70, "\(refused.failure)")
            #expect(refused.standardError.contains("'tideline topics --apply' sets it"), "\(refused.failure)")
            let applied = try await application.run("topics", "--apply", "--yes")
            for name in names {
                #expect(applied.standardOutput.contains("\(name): cleanup.policy is compact now"), "\(applied.failure)")
            }
            let mended = try await found()
            #expect(mended.map(\.level) == ["ok", "ok", "ok"], "\(mended)")
            try await application.run(drop)
            show("doctor names \(wrong.count) topics of sinks and dead-letters, topics --apply --yes mends them")
        }

        @Test("a transaction that nobody ends is found with its partition and offset")
        func transaction() async throws {
            var application = try await Application("open", partitions: 2)
            application.settings += ["--set", "transaction.timeout=PT1S"]
            _ = try await application.process(clock: Self.clock)
            let topic = application.topic("timelines")
            let producer = try await application.openTransaction(in: TopicPartition(topic, 1))
            let findings = try await application.doctor("--seconds", "3").findings.filter { $0.check == "transactions" }
            #expect(findings.map(\.subject) == ["\(topic)[1]"], "\(findings)")
            #expect(findings.map(\.level) == ["failure"])
            #expect(findings.first?.text.contains("at offset 0 since") == true, "\(findings)")
            #expect(findings.first?.remedy?.contains("tideline transactions --end 'open-") == true, "\(findings)")
            try await producer.abort()
            let after = try await application.doctor().findings.filter { $0.check == "transactions" }
            #expect(after.map(\.level) == ["ok"], "\(after)")
            show(
                "doctor names \(topic)[1] and offset 0 of a transaction that is open for 3 s, and not once it has ended"
            )
        }

        @Test("another application on the same outputs is found by name")
        func twoApplications() async throws {
            let application = try await Application("two", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<5))
            _ = try await application.process(clock: Self.clock)
            let other = uniqueName("other")
            let result = try await tideline([
                "process", "--until-caught-up", "--clock", Self.clock, "--bootstrap", application.bootstrap,
                "--application", other, "--topic-prefix", application.prefix, "--set", "settings.changed=accept",
            ])
            #expect(result.succeeded, "\(result.failure)")
            let found = try await application.doctor().findings.filter { $0.check == "writers" }
            #expect(found.map(\.level) == ["failure"] && found.first?.text.contains("/\(other)") == true, "\(found)")
            #expect(found.first?.remedy?.contains("--topic-prefix") == true)
            show("doctor names \(other), which writes timelines of \(application.name)")
        }

        @Test("a process that stands still is found by its task, its partition and its name in the group")
        func stuck() async throws {
            var application = try await Application("stuck", partitions: 2)
            application.settings += ["--set", "session.timeout=PT60S"]
            let process = try await Self.running(application)
            process.signal(SIGSTOP)
            try await application.publish(configurations: Self.configurations(0..<20))
            let (result, findings) = try await application.doctor("--seconds", "2")
            #expect(result.status == 70, "\(result.failure)")
            let stuck = findings.filter { $0.check == "lag" && $0.level == "failure" }
            #expect(stuck.map(\.subject) == ["task 0", "task 1"], "\(findings)")
            #expect(stuck.first?.text.contains("owned by \(application.name)-") == true, "\(stuck)")
            #expect(stuck.first?.text.contains("\(application.topic("widget.configurations"))[0]") == true, "\(stuck)")
            process.signal(SIGCONT)
            let isRead = try await eventually(within: .seconds(60)) {
                try await application.committed("widget.configurations", partitions: 2).reduce(0, +) == 20
            }
            #expect(isRead, "\(process.errorOutput)")
            let after = try await application.doctor("--seconds", "1").findings
            #expect(after.filter { $0.check == "lag" && $0.level == "failure" }.isEmpty, "\(after)")
            process.terminate()
            _ = await process.result()
            show("doctor names both tasks of a process that was stopped, and its name in the group")
        }

        @Test("a sink that was killed is found with its lag and with the command that starts it, which mends it")
        func sinkGone() async throws {
            let application = try await Application("sink-gone", partitions: 1)
            try await application.publish(configurations: Self.configurations(0..<2))
            _ = try await application.process(clock: Self.clock)
            let target = "files:\(application.directory.path)/out"
            let sink = try application.start("sink", "--to", target)
            func found() async throws -> [Finding] {
                try await application.doctor("--seconds", "1").findings.filter { $0.check == "sinks" }
            }
            let isRunning = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await found().map(\.text) == ["runs; nothing waits"]
            }
            #expect(isRunning, "\(sink.errorOutput)")
            sink.kill()
            _ = await sink.result()
            try await application.publish(configurations: Self.configurations(2..<5))
            _ = try await application.process(clock: Self.clock)
            var last: [Finding] = []
            let isFound = try await eventually(within: .seconds(90), every: .seconds(1)) {
                last = try await found()
                return last.map(\.level) == ["failure"]
            }
            let gone = try #require(isFound ? last.first : nil, "\(last)")
            #expect(gone.subject == "files (\(target))", "\(gone)")
            let waits = try #require(gone.text.firstMatch(of: /; (\d+) records not written or sent yet$/), "\(gone)")
            // By offsets, so a marker of the transaction may count, too.
            #expect((3...5).contains(try #require(Int(waits.1))), "\(gone)")
            let remedy = try #require(gone.remedy)
            #expect(remedy.hasPrefix("tideline sink --to '\(target)' --bootstrap "), "\(gone)")

            let words = remedy.replacing("'", with: "").split(separator: " ").dropFirst().map { String($0) }
            let ended = try await tideline(words + ["--until-caught-up"] + application.settings)
            #expect(ended.succeeded, "\(ended.failure)")
            #expect(try await found().map(\.text) == ["has stopped; nothing waits"])
            show("doctor names a sink that was killed, with its lag, and the command that starts it again")
        }

        @Test("nonsense is refused with what is allowed, and a group without members is bad")
        func options() async throws {
            let result = try await tideline(["doctor", "--seconds", "0"])
            #expect(result.status == 64 && result.standardError.contains("'--seconds' must be from 1 to 600"))
            let application = try await Application("nobody", partitions: 2)
            let members = try await application.doctor("--seconds", "1").findings.filter { $0.check == "members" }
            let remedy = "tideline process --bootstrap \(application.bootstrap) --application \(application.name)"
            #expect(members.count == 1 && members.first?.remedy?.hasPrefix(remedy) == true, "\(members)")
        }
    }

    /// `doctor` and transactions that a process of the application left open.
    @Suite struct DoctorTransactionTests {
        private static func transactions(_ application: Application) async throws -> [Finding] {
            try await application.doctor("--seconds", "1").findings.filter { $0.check == "transactions" }
        }

        /// A process is killed, and its first thread has a transaction open in a partition, for ten minutes.
        ///
        /// - Returns: the transactional id of that thread.
        private static func killed(_ application: Application, leaving place: TopicPartition) async throws -> String {
            let process = try application.start("process")
            try await application.publish(
                configurations: #"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval"}"# + "\n")
            let hasCommitted = try await eventually(within: .seconds(60)) {
                try await application.committed("widget.configurations", partitions: 2).reduce(0, +) == 1
            }
            try #require(hasCommitted, "\(process.errorOutput)")
            let members = try await application.memberIds()
            process.kill()
            _ = await process.result()
            let owner = try #require(members.first)
            // It takes the id over, as nobody can do in the middle of a transaction of another process.
            let open = try await application.openTransaction(in: place, of: owner)
            open.abandon()
            return owner
        }

        @Test("a thread that died is named by its transactional id, with the verb that ends its transaction")
        func gone() async throws {
            var application = try await Application("left-open", partitions: 2)
            application.settings += ["--set", "transaction.timeout=PT1S"]
            let place = TopicPartition(application.topic("timelines"), 1)
            let owner = try await Self.killed(application, leaving: place)
            // The coordinator takes whoever was killed for a member until its session is over.
            let isStruckOff = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await application.memberIds().isEmpty
            }
            try #require(isStruckOff)
            let found = try await Self.transactions(application)
            #expect(found.map(\.subject) == ["\(place)"] && found.map(\.level) == ["failure"], "\(found)")
            let state = "\(owner) (a thread that is gone and has not released its tasks)"
            #expect(found.first?.text.contains(state) == true, "\(found)")
            let remedy = try #require(found.first?.remedy)
            #expect(remedy.hasPrefix("'tideline process --bootstrap"), "\(remedy)")
            #expect(remedy.contains("tideline transactions --end '\(owner)'"), "\(remedy)")

            let words = remedy.dropFirst().prefix { $0 != "'" }.split(separator: " ").dropFirst().map { String($0) }
            let ended = try await tideline(
                words + ["--until-caught-up"] + application.settings, timeout: .seconds(120))
            #expect(ended.succeeded, "\(ended.failure)")
            let after = try await Self.transactions(application)
            #expect(after.map(\.level) == ["ok"], "\(after)")
            show("doctor names \(owner), which died in a transaction, and 'process', which ends it")
        }

        @Test("of a transaction in an input, threads are not suspected")
        func input() async throws {
            var application = try await Application("others-open", partitions: 2)
            application.settings += ["--set", "transaction.timeout=PT1S"]
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            let place = TopicPartition(application.topic("vehicle.telemetry"), 0)
            let open = try await application.openTransaction(in: place)
            let found = try await Self.transactions(application)
            #expect(found.map(\.subject) == ["\(place)"], "\(found)")
            #expect(found.first?.text.contains("of this application") == false, "\(found)")
            #expect(found.first?.remedy?.hasPrefix("If it is a program's") == true, "\(found)")
            try await open.abort()
        }
    }
}
