import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// Verbs that change or remove something, on a terminal and elsewhere.
    @Suite struct ConsentTests {
        private static let clock = "2026-11-20T06:25:00Z"

        private static func calendar(_ uids: String...) -> String {
            let events = uids.map { "BEGIN:VEVENT\nUID:\($0)\nDTSTART:20261120T070000Z\nEND:VEVENT\n" }
            return "BEGIN:VCALENDAR\n\(events.joined())END:VCALENDAR\n"
        }

        /// Runs the program on a terminal and answers its question.
        private static func asked(
            _ words: [String], answer: String, _ application: Application
        ) async throws -> ProcessResult {
            try await ProcessRunner.run(
                PackageRoot.url.appending(path: "Scripts/terminal"),
                ["run", "--size", "200x24", "--type", "after=[y/N]:\(answer)\n", "--", TidelineExecutable.url.path]
                    + words + application.options,
                environment: ["TERM": "xterm", "NO_COLOR": "1"], timeout: .seconds(90))
        }

        @Test("they ask on a terminal, do nothing without a yes, and need --yes elsewhere")
        func consent() async throws {
            let application = try await Application("consent", partitions: 2)
            let configuration = #"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval"}"#
            try await application.publish(configurations: configuration + "\n")
            try await application.produce(
                [(key: "v", value: Array("no JSON".utf8), headers: [])], to: "vehicle.telemetry")
            _ = try await application.process(clock: Self.clock)
            try await application.change(.init("cleanup.policy", "delete"), of: application.topic("timelines"))
            let before = try application.file("team.ics", Self.calendar("a", "b"))
            try await application.run("produce", "calendar", "--ics", before, "--calendar", "team")
            let after = try application.file("team.ics", Self.calendar("a", "c"))
            let verbs = [
                ["topics", "--apply"], ["dead-letters", "drop", "--all"], ["dead-letters", "replay", "--all"],
                ["reset", "--execute"], ["repartition", "3", "--execute"],
                ["reload", "--kind", "K"], ["produce", "calendar", "--ics", after, "--calendar", "team", "--prune"],
            ]
            func state() async throws -> [String] {
                let result = try await tideline(["dead-letters", "list", "--done"] + application.options)
                let settings = try await application.settings(of: application.topic("timelines"))
                let ends = try await application.ends().sorted { $0.key < $1.key }.map { "\($0)" }
                return [result.standardOutput, settings["cleanup.policy"] ?? ""] + ends
            }
            let first = try await state()
            for words in verbs {
                let unasked = try await tideline(words + application.options)
                #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(words): \(unasked.failure)")
                let refused = try await Self.asked(words, answer: "n", application)
                #expect(refused.status == 70, "\(words): \(refused.failure)")
                #expect(refused.standardOutput.contains("nothing was changed"), "\(words): \(refused.failure)")
                #expect(try await state() == first, "\(words)")
            }
            // A reload is asked of the tasks that there are, so before they are made anew.
            for words in [verbs[0], verbs[1], verbs[5], verbs[6], verbs[3], verbs[4]] {
                let done = try await Self.asked(words, answer: "y", application)
                #expect(done.succeeded, "\(words): \(done.failure)")
            }
            let settings = try await application.settings(of: application.topic("timelines"))
            #expect(settings["cleanup.policy"] == "compact")
            let state = try await application.doctor("--seconds", "1").findings.filter { $0.check == "state" }
            #expect(state.first?.text.contains("in 3 tasks") == true, "\(state)")
            show("\(verbs.count) verbs ask on a terminal, change nothing at a no, and need --yes elsewhere")
        }

        @Test(
            "where nobody can be asked they refuse before they wait for a broker",
            arguments: [
                ["dead-letters", "drop", "--all"], ["dead-letters", "replay", "0/0"], ["reset", "--execute"],
                ["reset", "--sink", "--execute"], ["repartition", "3", "--execute"],
            ])
        func unasked(words: [String]) async throws {
            let nobody = ["--bootstrap", "127.0.0.1:1", "--set", "connect.timeout=PT1S"]
            let refused = try await tideline(words + nobody)
            #expect(refused.status == 64, "\(refused.failure)")
            let message = "nothing was changed: without a terminal to ask on, this needs '--yes'"
            #expect(refused.standardError.contains(message), "\(refused.failure)")
            let agreed = try await tideline(words + ["--yes"] + nobody)
            #expect(agreed.status == 69, "\(agreed.failure)")
        }

        @Test("a sink that removes what its topic lacks asks with numbers, and needs --yes elsewhere")
        func removal() async throws {
            let application = try await Application("consentsink", partitions: 1)
            func write(_ ids: String...) async throws {
                let records = ids.map { id in
                    let value = #"{"configurationId":"\#(id)","revision":1,"generatedAt":"2026-01-01T00:00:00Z"}"#
                    return (key: Optional(id), value: Optional(Array(value.utf8)), headers: [Header]())
                }
                try await application.produce(records, to: "timelines")
            }
            let folders = ["one", "two"].map { application.directory.appending(path: $0) }
            func counts() throws -> [Int] {
                try folders.map {
                    try FileManager.default.contentsOfDirectory(atPath: $0.path).count { !$0.hasPrefix(".") }
                }
            }
            let sinks = folders.map { #""\#($0.lastPathComponent)":{"to":"files:\#($0.path)"}"# }
            let words = ["sink", "--until-caught-up", "--set", "sinks={\(sinks.joined(separator: ","))}"]
            try await write("a", "b", "c")
            try await application.run(words)
            #expect(try counts() == [3, 3])
            let topic = application.topic("timelines")
            try await application.delete([topic])
            let isGone = try await eventually { try await application.existing([topic]).isEmpty }
            #expect(isGone)
            try await application.run("topics", "--partitions", "1")
            try await write("c")

            let question = "remove 2 of 3 timelines that \(topic) does not have?"
            let unasked = try await tideline(words + ["--remove-absent"] + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            let one = words + ["one", "--remove-absent"]
            let refused = try await Self.asked(one, answer: "n", application)
            #expect(refused.status == 70 && refused.standardOutput.contains(question), "\(refused.failure)")
            #expect(refused.standardOutput.contains("nothing was removed"), "\(refused.failure)")
            #expect(try counts() == [3, 3])
            let done = try await Self.asked(one, answer: "y", application)
            #expect(done.succeeded, "\(done.failure)")
            #expect(try counts() == [1, 3])
            try await application.run(words + ["--remove-absent", "--yes"])
            #expect(try counts() == [1, 1])
        }

        @Test("topics names those that it has created where nobody agrees, and changes no setting")
        func created() async throws {
            let application = try await Application("created", partitions: 2)
            let (timelines, reloads) = (application.topic("timelines"), application.topic("timeline.reloads"))
            try await application.change(.init("cleanup.policy", "delete"), of: timelines)
            let words = ["topics", "--apply", "--partitions", "2"]
            let told = "tideline: no setting was changed; \(reloads) was created"
            func remove() async throws {
                try await application.delete([reloads])
                let isGone = try await eventually { try await application.existing([reloads]).isEmpty }
                #expect(isGone)
            }
            try await remove()
            let unasked = try await tideline(words + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains(told), "\(unasked.failure)")
            try await remove()
            let refused = try await Self.asked(words, answer: "n", application)
            #expect(refused.status == 70 && refused.standardOutput.contains(told), "\(refused.failure)")
            #expect(!refused.standardOutput.contains("nothing was changed"), "\(refused.failure)")
            #expect(try await application.existing([reloads]) == [reloads])
            #expect(try await application.settings(of: timelines)["cleanup.policy"] == "delete")
            let again = try await Self.asked(words, answer: "n", application)
            #expect(again.status == 70 && again.standardOutput.contains("nothing was changed"), "\(again.failure)")
        }

        @Test("topics, reset and repartition write JSON lines where that is asked for")
        func json() async throws {
            let application = try await Application("jsonplan", partitions: nil)
            func lines(_ words: String...) async throws -> [[String: Any]] {
                let result = try await application.run(words)
                return try result.standardOutput.split(separator: "\n").map { line in
                    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
                }
            }
            let made = try await lines("topics", "--partitions", "2", "--json")
            #expect(made.count == 8 && made.allSatisfy { $0["outcome"] as? String == "created" }, "\(made)")
            _ = try await application.process(clock: Self.clock)
            try await application.change(.init("cleanup.policy", "delete"), of: application.topic("timelines"))
            let applied = try await lines("topics", "--partitions", "2", "--apply", "--yes", "--json")
            let outcomes = applied.compactMap { $0["outcome"] as? String }
            #expect(outcomes == Array(repeating: "exists", count: 8) + ["differs", "changed"], "\(applied)")
            #expect(applied.last?["wanted"] as? String == "compact")
            let plan = try await lines("reset", "--json")
            #expect(plan.compactMap { $0["outcome"] as? String } == ["planned", "unchanged"], "\(plan)")
            #expect(plan.first?["tasks"] as? Int == 2 && (plan.first?["inputs"] as? [Any])?.count == 4)
            let done = try await lines("repartition", "3", "--execute", "--yes", "--json")
            #expect(done.compactMap { $0["outcome"] as? String } == ["planned", "done"], "\(done)")
            let same = try await lines("repartition", "3", "--json")
            // Until a process has written what it is of, the state does not say its number of tasks.
            #expect(same.count == 1 && ["unchanged", "planned"].contains(same[0]["outcome"] as? String), "\(same)")
        }
    }
}
