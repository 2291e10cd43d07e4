import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `doctor` on a broker that asks its authoriser.
    @Suite struct DoctorPermissionTests {
        private static let tool = "org.apache.kafka.tools.AclCommand"

        private static func authorizingBroker() async throws -> TestBroker {
            try await TestBroker.dedicated(properties: [
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found": "true",
            ])
        }

        @Test("each permission that is missing is named, and the verb that it names grants them", .needsKafkaTools)
        func missing() async throws {
            let broker = try await Self.authorizingBroker()
            let application = try await Application("acl", partitions: 2, on: broker)
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            let healthy = try await application.doctor("--seconds", "1").findings.filter { $0.check == "permissions" }
            #expect(!healthy.contains { $0.text.contains("transaction.max.timeout.ms") }, "it can be read: \(healthy)")
            #expect(healthy.allSatisfy { !$0.text.hasPrefix("is missing") }, "\(healthy)")
            let (telemetry, timelines) = (application.topic("vehicle.telemetry"), application.topic("timelines"))
            let (exchange, events) = ("\(application.name).exchange", application.topic("calendar.events"))
            // Whoever a resource's first permission does not name may do nothing with it from then on.
            let only: [(who: String, operations: [String], resource: [String])] = [
                ("ANONYMOUS", ["DescribeConfigs", "Describe"], ["--topic", telemetry]),
                ("ANONYMOUS", ["DescribeConfigs", "Read"], ["--topic", timelines]),
                ("ANONYMOUS", ["DescribeConfigs", "Read", "Write"], ["--topic", exchange]),
                // It may not even be looked at.
                ("somebody", ["Read"], ["--topic", events]),
                ("somebody", ["Read"], ["--group", application.name]),
                (
                    "somebody", ["Write"],
                    ["--transactional-id", application.name, "--resource-pattern-type", "prefixed"]
                ),
            ]
            for (who, operations, resource) in only {
                let words = operations.flatMap { ["--operation", $0] } + resource
                try await Self.allow(who, words, application)
            }
            let expected = [
                "Delete on topic \(exchange)", "DescribeConfigs on topic \(events)",
                "Read on group \(application.name)", "Read on topic \(events)", "Read on topic \(telemetry)",
                "Write on topic \(timelines)", "Write on transactional ids that begin with \(application.name)-",
            ].sorted()
            // The broker knows of permissions a moment after they are given.
            let isKnown = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await Self.refused(application).map(\.subject).sorted() == expected
            }
            let refused = try await Self.refused(application)
            #expect(isKnown, "\(refused)")
            let mayCommit = "Write on transactional id \(application.name).operations"
            let others = try await Self.refused(application, level: "notice")
            let marks = try #require(others.first { $0.subject == mayCommit }, "\(others)")
            let verbs = "'dead-letters replay', 'dead-letters drop' and 'dead-letters forget-mark'"
            #expect(marks.text == "is missing; \(verbs) need it", "\(marks)")
            let mayChange = "AlterConfigs on topic \(telemetry)"
            let change = try #require(others.first { $0.subject == mayChange }, "\(others)")
            #expect(change.text == "is missing; 'topics --apply' needs it", "\(change)")
            for finding in refused + [marks, change] {
                let grant = "tideline permissions --apply --principal User:NAME --only '\(finding.subject)'"
                #expect(finding.remedy?.hasPrefix(grant) == true, "\(finding)")
            }
            try await Self.expectUnchanged(application)
            try await Self.expectPasted("Read on topic \(events)", application)
            try await Self.expectFenced(application)
            try await Self.grant(["--only", mayChange], application)
            try await Self.grant([], application)
            try await Self.grant(["--verb", "dead-letters replay"], application)
            let isMended = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await Self.refused(application).isEmpty
            }
            let left = try await Self.refused(application)
            #expect(isMended, "\(left)")
            try await Self.expectGranted(application, [mayCommit, mayChange])
            try await broker.stop()
            show("doctor names \(expected.count) missing permissions, and 'permissions --apply' grants them")
        }

        /// What was granted is there when it is looked at again; a rule for somebody else counts for nobody else.
        ///
        /// - Parameter notices: were missing for verbs other than `process`.
        private static func expectGranted(_ application: Application, _ notices: [String]) async throws {
            let isGiven = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await !refused(application, level: "notice").contains { notices.contains($0.subject) }
            }
            #expect(isGiven)
            for (who, outcomes) in [("ANONYMOUS", ["there"]), ("nobody", ["missing"])] {
                let again = try await permissions(who, ["--verb", "process"], application)
                #expect(Set(again.lines.map(\.outcome)) == Set(outcomes), "\(who): \(again.lines)")
                #expect(again.result.status == (outcomes == ["there"] ? 0 : 70), "\(again.result.failure)")
            }
        }

        @Test("who may do no more than what permissions grants for a verb can run that verb", .needsKafkaTools)
        func verbs() async throws {
            let broker = try await Self.authorizingBroker()
            let application = try await Application("verbs", partitions: 2, on: broker)
            let configuration = #"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval"}"#
            try await application.publish(configurations: configuration + "\n")
            try await application.produce(
                [(key: "v", value: Array("no JSON".utf8), headers: [])], to: "vehicle.telemetry")
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            try await application.run("dead-letters", "drop", "--all", "--yes")
            // With the first rule of a resource nobody else may do anything with it.
            let own = ["--topic", application.prefix, "--resource-pattern-type", "prefixed"]
            try await Self.allow("somebody", ["--operation", "Read"] + own, application)
            try await Self.allow("somebody", ["--operation", "Read", "--topic", "__transaction_state"], application)
            // Each but the last needs other topics than those before, so what was granted before does not help it.
            for (verb, words) in [
                ("transactions", ["transactions"]), ("dead-letters list", ["dead-letters", "list"]),
                ("show", ["show", "c"]), ("list", ["list", "vehicles"]),
            ] {
                func hasStatus(_ status: Int32) async throws -> Bool {
                    try await eventually(within: .seconds(60), every: .seconds(1)) {
                        try await tideline(words + application.options).status == status
                    }
                }
                #expect(try await hasStatus(69), "\(verb) needs no permission")
                let grant = ["--verb", verb, "--apply", "--yes"]
                let (granted, _) = try await Self.permissions("ANONYMOUS", grant, application)
                #expect(granted.succeeded, "\(verb): \(granted.failure)")
                #expect(try await hasStatus(0), "\(verb) needs more than what permissions grants for it")
            }
            try await broker.stop()
        }

        @Test("to ask whether transactional ids may be used fences nobody who uses one")
        func unfenced() async throws {
            let application = try await Application("unfenced", partitions: 2)
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            let place = TopicPartition(application.topic("timelines"), 0)
            let open = try await application.openTransaction(in: place, of: "\(application.name).operations")
            let findings = try await application.doctor("--seconds", "1").findings
            #expect(findings.contains { $0.check == "permissions" && $0.level == "ok" }, "\(findings)")
            // A producer that was fenced cannot abort any more.
            try await open.abort()
        }

        @Test("where transactions may last for ever, no transactional id is tried: that would fence who uses it")
        func endless() async throws {
            let broker = try await TestBroker.dedicated(properties: [
                "transaction.max.timeout.ms": String(Int32.max)
            ])
            let application = try await Application("endless", partitions: 2, on: broker)
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            let place = TopicPartition(application.topic("timelines"), 0)
            let open = try await application.openTransaction(in: place, of: "\(application.name).operations")
            let untold = try await application.doctor("--seconds", "1").findings
                .filter { $0.check == "permissions" && $0.text.contains("transaction.max.timeout.ms") }
            let subject = "Write on transactional id \(application.name).operations"
            #expect(untold.contains { $0.subject == subject }, "\(untold)")
            #expect(untold.allSatisfy { $0.level == "notice" }, "\(untold)")
            // A producer that was fenced cannot abort any more.
            try await open.abort()
            try await broker.stop()
        }

        /// A line that `permissions --json` wrote.
        private struct Line: Decodable {
            var permission: String
            var outcome: String
            var reason: String?
            var verbs: [String]
        }

        private static func permissions(
            _ who: String, _ words: [String], _ application: Application
        ) async throws -> (result: ProcessResult, lines: [Line]) {
            let result = try await tideline(
                ["permissions", "--json", "--principal", "User:\(who)"] + words + application.options,
                timeout: .seconds(90))
            let lines = try result.standardOutput.split(separator: "\n").map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
            return (result, lines)
        }

        /// Grants everybody what a verb needs. The library may be too old for transactional ids, as Debian's is: then
        /// it says so, with the command that does it, which is run.
        private static func grant(_ words: [String], _ application: Application) async throws {
            let (result, lines) = try await permissions("ANONYMOUS", words + ["--apply", "--yes"], application)
            let granted = lines.filter { $0.outcome == "granted" }.map(\.permission)
            let missing = lines.filter { $0.outcome == "missing" }.map(\.permission)
            let refused = lines.filter { $0.outcome == "refused" }
            #expect(!granted.isEmpty && granted.count + refused.count == missing.count, "\(words): \(result.failure)")
            #expect(result.status == (refused.isEmpty ? 0 : 70), "\(words): \(result.failure)")
            if words.first == "--only" {
                #expect(granted == [words[1]] && lines.allSatisfy { $0.verbs == ["topics --apply"] }, "\(lines)")
            }
            for line in refused {
                let isOld = line.reason?.contains("cannot name it in a rule") == true
                #expect(isOld && line.permission.contains(" on transactional id"), "\(line)")
                let begin = try #require(line.reason?.range(of: "; kafka-acls "), "\(line)")
                let words = Self.words(String((line.reason ?? "")[begin.upperBound...]))
                // The script adds the option for the brokers itself, and it is taken once.
                #expect(words.prefix(2) == ["--bootstrap-server", application.bootstrap], "\(line)")
                try await application.tool(tool, Array(words.dropFirst(2)))
            }
        }

        /// The last words of a process that lacks a permission hold the line that grants it.
        private static func expectPasted(_ permission: String, _ application: Application) async throws {
            let ended = try await tideline(["process", "--until-caught-up"] + application.options)
            let said = ended.standardError
            let begin = try #require(said.range(of: "granted with: tideline "), "\(ended.failure)")
            let line = said[begin.upperBound...].prefix { $0 != "(" && $0 != "\n" }
            #expect(line.contains("--only '\(permission)'"), "\(line)")
            let pasted = Self.words(String(line)).map { $0 == "User:NAME" ? "User:ANONYMOUS" : $0 }
            let granted = try await tideline(pasted + ["--yes"], timeout: .seconds(90))
            let outcome = "\(permission): granted"
            #expect(granted.succeeded && granted.standardOutput.contains(outcome), "\(granted.failure)")
        }

        /// Who may not see what a transactional id has open does not claim what became of it.
        private static func expectFenced(_ application: Application) async throws {
            try await allow("somebody", ["--operation", "Read", "--topic", "__transaction_state"], application)
            let isHidden = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await tideline(["transactions"] + application.options).status == 69
            }
            try #require(isHidden)
            let id = uniqueName("stranger")
            let ended = try await tideline(["transactions", "--end", id, "--yes"] + application.options)
            #expect(ended.succeeded, "\(ended.failure)")
            #expect(ended.standardOutput == "\(id): fenced; what became of its transaction is not known\n")
            #expect(ended.standardError.contains("warning: what '\(id)' has open is not known"), "\(ended.failure)")
            let line = "granted with: tideline permissions --apply --principal User:NAME --only"
            #expect(
                ended.standardError.contains("\(line) 'Read on topic __transaction_state' --bootstrap"),
                "\(ended.failure)")
        }

        /// The words of a line as a shell takes them; what is between two quotes is one word.
        private static func words(_ line: String) -> [String] {
            var words: [String] = []
            for (place, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
                words += place % 2 == 0 ? part.split(separator: " ").map { String($0) } : [String(part)]
            }
            return words
        }

        /// Without a terminal nothing is granted that nobody has agreed to.
        private static func expectUnchanged(_ application: Application) async throws {
            let shown = try await permissions("ANONYMOUS", [], application)
            #expect(shown.result.status == 70 && shown.lines.contains { $0.outcome == "missing" }, "\(shown)")
            // What is there is not to be made.
            let made = shown.lines.filter { $0.permission.hasPrefix("Create on topic") }
            #expect(made.isEmpty, "\(made)")
            let unasked = try await permissions("ANONYMOUS", ["--apply"], application)
            #expect(unasked.result.status == 64, "\(unasked.result.failure)")
            #expect(unasked.result.standardError.contains("nothing was changed"), "\(unasked.result.failure)")
            let after = try await permissions("ANONYMOUS", [], application)
            #expect(after.lines.map(\.outcome) == shown.lines.map(\.outcome), "\(after.lines)")
        }

        private static func refused(
            _ application: Application, level: String = "failure"
        ) async throws -> [Finding] {
            try await application.doctor("--seconds", "1").findings
                .filter { $0.check == "permissions" && $0.level == level && $0.text.hasPrefix("is missing") }
        }

        private static func allow(
            _ who: String, _ words: [String], _ application: Application
        ) async throws {
            try await application.tool(tool, ["--add", "--allow-principal", "User:\(who)"] + words)
        }
    }
}
