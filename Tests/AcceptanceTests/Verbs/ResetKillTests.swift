import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `reset` and `repartition` that are killed, or find the world changed, on a real broker.
    @Suite struct ResetKillTests {
        private static let clock = "2026-11-20T06:25:00Z"

        private static func configuration(_ id: Int) -> String {
            #"{"configurationId": "c\#(id)", "kind": "K", "recipient": "r\#(id % 4)", "strategy": "fixedInterval"}"#
                + "\n"
        }

        private static func configurations(_ ids: Range<Int>) -> String { ids.map(configuration).joined() }

        private static func newest(_ application: Application) async throws -> [String: [String: Any]?] {
            var newest: [String: [String: Any]?] = [:]
            for record in try await application.records(of: "timelines") {
                newest[record.keyText] = .some(record.value == nil ? nil : try record.json())
            }
            return newest
        }

        /// Each configuration's revisions, in their order.
        private static func revisions(_ application: Application) async throws -> [String: [Int]] {
            var revisions: [String: [Int]] = [:]
            for record in try await application.records(of: "timelines") where record.value != nil {
                guard let revision = try record.json()["revision"] as? Int else { continue }
                revisions[record.keyText, default: []].append(revision)
            }
            return revisions
        }

        /// Runs a verb and kills it as soon as it says that it begins a step.
        ///
        /// - Returns: true if it was killed before its end.
        private static func kill(
            _ application: Application, _ words: [String], at step: String
        ) async throws -> Bool {
            let runner = try ProcessRunner(
                TidelineExecutable.url, words + ["--execute", "--yes"] + application.options, timeout: .seconds(120))
            while runner.isRunning, !runner.errorOutput.contains(step) { try await Task.sleep(for: .milliseconds(1)) }
            runner.kill()
            let result = await runner.result()
            #expect(result.isSignalled || result.succeeded, "\(step): \(result.failure)")
            return result.isSignalled
        }

        /// The same, until a kill leaves the plan of an interrupted reset: a reset that is done can be done again.
        private static func killOnce(
            _ application: Application, _ words: [String], at step: String
        ) async throws -> Bool {
            for _ in 0..<5 where try await kill(application, words, at: step) {
                if try await isUnderWay(application) { return true }
            }
            return false
        }

        private static func isUnderWay(_ application: Application) async throws -> Bool {
            try await !application.existing(["\(application.name).reset"]).isEmpty
        }

        @Test("a reset that is killed anywhere: process refuses until it is run again, and revisions rise")
        func killed() async throws {
            let application = try await Application("killed", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<20))
            #expect(try await application.process(clock: Self.clock).timelines == 20)
            // Nothing but the state knows the revision of this one from now on, once the tombstone is compacted.
            try await application.produce([(key: "c7", value: nil, headers: [])], to: "widget.configurations")
            _ = try await application.process(clock: Self.clock)
            let own = "\(application.name)"
            let points = [
                (["reset"], "\(own).reset: writing the plan"), (["reset"], "\(own).state: removing"),
                (["reset"], "\(own).exchange: making it anew"), (["repartition", "3"], "\(own).state: making it anew"),
                (["reset"], "\(own).state: writing 20 revisions"), (["reset"], "group \(own): moving its offsets"),
                (["repartition", "3"], "\(own).reset: removing"),
            ]
            var (killed, refused) = (0, 0)
            for (words, step) in points {
                // A kill at the plan may leave no plan; and a repartition that is done is not done again.
                let again = words == ["reset"] && !step.hasSuffix("writing the plan")
                let isKilled =
                    again
                    ? try await Self.killOnce(application, words, at: step)
                    : try await Self.kill(application, words, at: step)
                guard isKilled else { continue }
                killed += 1
                let shown = try await application.run("reset")
                let isUnderWay = shown.standardOutput.contains("an earlier reset was interrupted")
                #expect(shown.standardOutput.contains("revisions: 20 configurations"), "\(step): \(shown.failure)")
                guard isUnderWay else { continue }
                refused += 1
                let start = try await tideline(
                    ["process", "--until-caught-up", "--clock", Self.clock] + application.options)
                #expect(start.status == 70, "\(step): \(start.failure)")
                // The command does no more than what was interrupted.
                let command = "Run 'tideline reset --execute" + (words == ["reset"] ? "'" : " --application-only'")
                #expect(start.standardError.contains(command), "\(step): \(start.failure)")
                // No doubt is left even if state, exchange and everything else but the plan is gone.
                try await application.delete(["\(own).state", "\(own).exchange"])
            }
            #expect(killed >= 5 && refused >= 4, "\(killed) of \(points.count) killed, \(refused) refused")
            try await application.run("reset", "--execute", "--yes")
            #expect(try await application.existing(["\(own).reset"]).isEmpty)
            try await application.publish(configurations: Self.configuration(7))
            let again = try await application.process(clock: Self.clock)
            #expect(again.timelines == 20)
            let revisions = try await Self.revisions(application)
            #expect(revisions.count == 20)
            for (id, versions) in revisions { #expect(versions == [1, 2], "\(id): \(versions)") }
            show(
                "reset killed at \(killed) points: process refused after \(refused), and 20 of 20 revisions rise from 1"
                    + " to 2, of the deleted configuration too")
        }

        @Test("who goes on with a reset reads telemetry from where that was to, and is told that sinks were to stay")
        func goesOn() async throws {
            let application = try await Application("goes-on", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<3))
            _ = try await application.process(clock: Self.clock)
            let words = ["reset", "--application-only", "--to", "2026-11-20T06:00:00Z"]
            #expect(try await Self.killOnce(application, words, at: "exchange: making it anew"))
            let shown = try await application.run("reset")
            #expect(shown.standardOutput.contains("read again from 2026-11-20T06:00:00"), "\(shown.failure)")
            #expect(shown.standardOutput.contains("(--application-only)"), "\(shown.failure)")
            let other = try await application.run("reset", "--application-only", "--to", "EARLIEST")
            #expect(!other.standardOutput.contains("read again from 2026"), "\(other.failure)")
            #expect(!other.standardOutput.contains("(--application-only)"), "\(other.failure)")
            try await application.run("reset", "--execute", "--yes", "--application-only")
        }

        @Test("a reset that was killed in its transaction is gone on with at once, and not when that times out")
        func killedInTransaction() async throws {
            let application = try await Application("open-reset", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<3))
            _ = try await application.process(clock: Self.clock)
            #expect(try await Self.killOnce(application, ["reset"], at: "state: writing"))
            for topic in ["reset", "state"].map({ "\(application.name).\($0)" }) {
                let open = try await application.openTransaction(
                    in: TopicPartition(topic, 0), of: "\(application.name)-reset")
                open.abandon()
                try await application.run("reset", "--execute", "--yes", "--application-only")
                if topic.hasSuffix("reset") {
                    #expect(try await Self.killOnce(application, ["reset"], at: "state: writing"))
                }
            }
            #expect(try await application.process(clock: Self.clock).timelines == 3)
        }

        @Test("a second reset is killed before a process has run: revisions go on above the first ones")
        func killedTwice() async throws {
            let application = try await Application("twice", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<10))
            _ = try await application.process(clock: Self.clock)
            try await application.run("reset", "--execute", "--yes", "--application-only")
            // One that is done is not done again: another number, until a kill comes before the end.
            var tasks = 3
            var isUnderWay = false
            while !isUnderWay && tasks < 9 {
                tasks += 1
                _ = try await Self.kill(
                    application, ["repartition", "\(tasks)"], at: "exchange: making it anew")
                isUnderWay = try await Self.isUnderWay(application)
            }
            try #require(isUnderWay)
            let shown = try await application.run("repartition", "\(tasks)")
            #expect(!shown.standardOutput.contains("already"), "\(shown.failure)")
            try await application.run("repartition", "\(tasks)", "--execute", "--yes")
            let same = try await application.run("repartition", "\(tasks)")
            #expect(same.standardOutput.contains("has \(tasks) tasks already"), "\(same.failure)")
            #expect(try await application.process(clock: Self.clock).timelines == 10)
            for (id, versions) in try await Self.revisions(application) {
                #expect(versions == [1, 2], "\(id): \(versions)")
            }
        }

        @Test("a timeline whose configuration was deleted between the last run and the reset is withdrawn")
        func orphans() async throws {
            let application = try await Application("orphan", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<10))
            _ = try await application.process(clock: Self.clock)
            // Of two more nothing but a timeline is left, as after compaction; one gets a tombstone yet.
            let left = Array(#"{"revision": 5}"#.utf8)
            try await application.produce(
                ["c98", "c99"].map { (key: $0, value: left, headers: []) }, to: "timelines")
            try await application.produce(
                ["c7", "c98"].map { (key: $0, value: nil, headers: []) }, to: "widget.configurations")
            try await application.run("reset", "--execute", "--yes")
            func withdrawn() async throws -> [String] {
                let newest = try await Self.newest(application)
                #expect(newest.count == 12)
                return newest.filter { $0.value == nil }.keys.sorted()
            }
            let words = ["--set", "settings.changed=accept"]
            try await application.run(["process", "--until-caught-up", "--clock", Self.clock] + words)
            #expect(try await withdrawn() == ["c7", "c98"])
            // Whether the other's configuration comes yet is not known before its counter is forgotten.
            try await application.run(["process", "--until-caught-up", "--clock", "2027-12-01T00:00:00Z"] + words)
            #expect(try await withdrawn() == ["c7", "c98", "c99"])
            show("no configuration after a reset: 2 of 2 timelines go with a tombstone, 1 of 1 when it is forgotten")
        }

        @Test("settings that an operator gave the internal topics are kept, and shown")
        func keptSettings() async throws {
            let application = try await Application("kept", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<3))
            _ = try await application.process(clock: Self.clock)
            let state = "\(application.name).state"
            try await application.change(.init("max.compaction.lag.ms", "86400000"), of: state)
            let done = try await application.run("reset", "--execute", "--yes", "--application-only")
            #expect(done.standardOutput.contains("kept: max.compaction.lag.ms 86400000 of \(state)"), "\(done.failure)")
            #expect(try await application.settings(of: state)["max.compaction.lag.ms"] == "86400000")
        }
    }
}
