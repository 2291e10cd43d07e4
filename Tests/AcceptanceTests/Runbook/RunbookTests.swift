import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// The failures of the runbook, provoked with real processes on real brokers.
    @Suite struct RunbookTests {
        /// What was seen of each failure, in the order of the page. They are played once for all tests.
        private static let seen = Task { try await playAll() }

        @Test(
            "each failure is seen within 15 s, named by doctor, and repaired as the page says; nothing is missing then",
            .needsKafkaTools)
        func page() async throws {
            let seen = try await Self.seen.value
            #expect(seen.count >= 10)
            for (failure, sighting) in seen {
                show("\(failure.title): health after \(sighting.healthTime), metrics after \(sighting.metricsTime)")
            }
            let page = RunbookPage(seen: seen, alerts: try MonitoringFiles().alerts)
            let file = GeneratedFile(path: "Documentation/Runbook.md")
            let difference = try file.difference(from: page.markdown)
            #expect(difference == nil, "\(difference ?? "")")
            show("runbook: \(seen.count) failures provoked, seen, named and repaired, in \(file.path)")
        }

        @Test(
            "each alert of a failure fires if what real processes served in it lasts, and did not before",
            .needsKafkaTools, .enabled(if: Promtool.isExpected, "\(Promtool.hint)"))
        func alerts() async throws {
            try await RunbookAlerts.expectFiring(Self.seen.value)
        }

        private static func playAll() async throws -> [(failure: RunbookFailure, sighting: RunbookSighting)] {
            // A few at a time: most of each is waiting.
            let shared = try await TestBroker.shared()
            var seen: [(Int, RunbookSighting)] = []
            try await withThrowingTaskGroup(of: [(Int, RunbookSighting)].self) { group in
                group.addTask { try await Self.playOnOwnBroker() }
                var waiting = Self.numbered { $0.sharesBroker }[...]
                for _ in 0..<Self.atOnce {
                    if let (number, failure) = waiting.popFirst() {
                        group.addTask { [(number, try await Self.play(failure, on: shared))] }
                    }
                }
                while let next = try await group.next() {
                    seen += next
                    if let (number, failure) = waiting.popFirst() {
                        group.addTask { [(number, try await Self.play(failure, on: shared))] }
                    }
                }
            }
            return seen.sorted { $0.0 < $1.0 }.map { (RunbookFailure.all[$0.0], $0.1) }
        }

        private static let atOnce = 3

        private static func numbered(_ isMeant: (RunbookFailure) -> Bool) -> [(Int, RunbookFailure)] {
            RunbookFailure.all.enumerated().map { ($0.offset, $0.element) }.filter { isMeant($0.1) }
        }

        private static func play(_ failure: RunbookFailure, on broker: TestBroker) async throws -> RunbookSighting {
            let scene = try await RunbookScene(failure, on: broker)
            defer { scene.close() }
            do {
                try await failure.play(scene)
            } catch is ExpectationFailedError {
                // It is recorded already; the others go on.
            } catch {
                Issue.record(error, "\(failure.title)")
            }
            return scene.sighting
        }

        /// Those that hurt the broker, one after the other.
        private static func playOnOwnBroker() async throws -> [(Int, RunbookSighting)] {
            let broker = try await TestBroker.dedicated(properties: [
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found": "true",
            ])
            var seen: [(Int, RunbookSighting)] = []
            for (number, failure) in numbered({ !$0.sharesBroker }) {
                seen.append((number, try await play(failure, on: broker)))
            }
            try await broker.stop()
            return seen
        }
    }
}
