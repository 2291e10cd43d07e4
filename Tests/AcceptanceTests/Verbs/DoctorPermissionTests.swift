import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `doctor` on a broker that asks its authoriser.
    @Suite struct DoctorPermissionTests {
        private static let tool = "org.apache.kafka.tools.AclCommand"

        @Test("each permission that is missing is named, and the commands that it names grant them", .needsKafkaTools)
        func missing() async throws {
            let broker = try await TestBroker.dedicated(properties: [
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found": "true",
            ])
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
            #expect(marks.text == "is missing; 'dead-letters replay' and 'dead-letters drop' need it", "\(marks)")
            let mayChange = "AlterConfigs on topic \(telemetry)"
            let change = try #require(others.first { $0.subject == mayChange }, "\(others)")
            #expect(change.text == "is missing; 'topics --apply' needs it", "\(change)")
            // What process lacks first: the id of dead-letters does not begin as those of its threads.
            for finding in refused + [marks, change] {
                let words = (finding.remedy ?? "").split(separator: " ").map { String($0) }
                #expect(words.prefix(4) == ["kafka-acls", "--bootstrap-server", broker.bootstrap, "--add"])
                try await Self.allow("ANONYMOUS", Array(words.drop { $0 != "--operation" }), application)
            }
            let isMended = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await Self.refused(application).isEmpty
            }
            let left = try await Self.refused(application)
            #expect(isMended, "\(left)")
            let isGiven = try await eventually(within: .seconds(60), every: .seconds(1)) {
                try await !Self.refused(application, level: "notice").contains {
                    [mayCommit, mayChange].contains($0.subject)
                }
            }
            #expect(isGiven)
            try await broker.stop()
            show("doctor names \(expected.count) missing permissions, and its kafka-acls lines grant them")
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
