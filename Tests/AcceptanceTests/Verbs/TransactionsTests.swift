import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `transactions` on a real broker: those of any program are listed, and one that nobody ends is ended.
    @Suite struct TransactionsTests {
        private struct Line: Decodable {
            var transactionalId: String
            var outcome: String
            var state: String?
            var timeoutMs: Int?
            var partitions: [String]?
        }

        private static func lines(_ result: ProcessResult) throws -> [Line] {
            try result.standardOutput.split(separator: "\n").map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
        }

        private static func open(_ application: Application, _ id: String) async throws -> Line? {
            try lines(try await application.run("transactions", "--json")).first { $0.transactionalId == id }
        }

        @Test("a transaction of another program's is listed and ended, by the id that doctor names", .needsKafkaTools)
        func others() async throws {
            var application = try await Application("ended", partitions: 2)
            application.settings += ["--set", "transaction.timeout=PT1S"]
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            let place = TopicPartition(application.topic("vehicle.telemetry"), 0)
            let id = uniqueName("stranger")
            let open = try await application.openTransaction(in: place, of: id)
            let listed = try #require(try await Self.open(application, id))
            #expect(listed.state == "ongoing" && listed.timeoutMs == 600_000 && listed.partitions == ["\(place)"])

            let found = try await application.doctor("--seconds", "1").findings.filter { $0.check == "transactions" }
            #expect(found.map(\.subject) == ["\(place)"], "\(found)")
            #expect(found.first?.text.contains("it is that of \(id) (ongoing)") == true, "\(found)")
            #expect(found.first?.remedy?.contains("tideline transactions --end '\(id)'") == true, "\(found)")

            let misspelt = try await tideline(["transactions", "--end", id + "x", "--yes"] + application.options)
            #expect(misspelt.status == 64 && misspelt.standardError.contains("'\(id)'"), "\(misspelt.failure)")
            let unasked = try await tideline(["transactions", "--end", id] + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("nothing was changed"), "\(unasked.failure)")
            #expect(try await Self.open(application, id) != nil)
            let ended = try await application.run("transactions", "--end", id, "--yes", "--json")
            #expect(try Self.lines(ended).map(\.outcome) == ["open", "aborted"], "\(ended.standardOutput)")
            #expect(try await Self.open(application, id) == nil)
            let after = try await application.doctor("--seconds", "1").findings.filter { $0.check == "transactions" }
            #expect(after.map(\.level) == ["ok"], "\(after)")
            // Who had it is fenced.
            await #expect(throws: (any Error).self) { try await open.abort() }
            open.abandon()
            let again = try await tideline(["transactions", "--end", id, "--yes"] + application.options)
            #expect(again.status == 64 && again.standardError.contains("has no open transaction"), "\(again.failure)")
            show("transactions lists what another program left open, and ends it with the id that doctor names")
        }

        @Test("a sink whose transaction holds readers up is known as the application's own")
        func sinks() async throws {
            var application = try await Application("sink-open", partitions: 2)
            application.settings += ["--set", "transaction.timeout=PT1S"]
            _ = try await application.process(clock: "2026-11-20T06:25:00Z")
            let (bootstrap, ledger) = (application.bootstrap, "\(application.name).pushes")
            try await onThread {
                let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap)).makeAdmin()
                defer { admin.close() }
                let topic = NewTopic(name: ledger, partitions: 1, settings: [.init("cleanup.policy", "compact")])
                try admin.createTopic(topic, timeout: .seconds(30))
            }
            let place = TopicPartition(application.topic("tideline.dead-letters"), 0)
            let id = "\(application.name).sink.http-\(uniqueName("a"))"
            let open = try await application.openTransaction(in: place, of: id)
            let found = try await application.doctor("--seconds", "1").findings.filter { $0.check == "transactions" }
            #expect(found.first?.text.contains("it is that of \(id) (a sink that sends)") == true, "\(found)")
            #expect(found.first?.remedy?.hasPrefix("The next start of a sink that sends ends") == true, "\(found)")
            try await open.abort()
        }
    }
}
