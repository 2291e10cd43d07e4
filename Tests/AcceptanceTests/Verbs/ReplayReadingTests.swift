import Arguments
import Inspection
import RdKafka
import RecordLog
import Settings
import Synchronization
import TestSupport
import Testing

@testable import tideline

extension AcceptanceTests {
    /// What a replay reads of a real broker.
    @Suite struct ReplayReadingTests {
        @Test("a replay that asks nobody reads the marks and each compacted topic of origin once")
        func once() async throws {
            let application = try await Application("once", partitions: 1)
            for (topic, key) in [("vehicle.telemetry", "v"), ("widget.configurations", "c"), ("calendar.events", "e")] {
                try await application.produce([(key, Array("{".utf8), [])], to: topic)
            }
            #expect(try await application.process(clock: "2026-11-20T06:30:00Z").deadLetters == 3)
            let options = application.options
            let reads = try await onThread {
                let words = ["dead-letters", "replay", "--all", "--yes"] + options
                let replay = try #require(try Tideline.parseAsRoot(words) as? DeadLettersReplay)
                let settings = try replay.kafka.resolve()
                let cluster = CountingCluster(
                    RdKafkaCluster(RdKafkaSettings(bootstrapServers: settings[Keys.bootstrap])))
                let environment = Environment(settings: settings, log: Environment.makeLog(settings), cluster: cluster)
                let run = try DeadLetterRun(replay.action, .replayed, environment)
                defer { run.close() }
                let before = cluster.consumers
                let judge = ReplayJudge(environment, run.admin, overNewer: false)
                #expect(try run.carryOut(replay.output, "Replay", judge: judge) == 0)
                return cluster.consumers - before
            }
            // The marks, once others are fenced; configurations; calendars. Telemetry is not compacted.
            #expect(reads == 3)
            for topic in ["vehicle.telemetry", "widget.configurations", "calendar.events"] {
                #expect(try await application.records(of: topic).count == 2, "\(topic)")
            }
        }
    }
}

/// Counts the consumers that are made: each reads one topic.
private final class CountingCluster: Cluster {
    private let base: any Cluster
    private let count = Atomic<Int>(0)

    init(_ base: any Cluster) { self.base = base }

    var consumers: Int { count.load(ordering: .relaxed) }

    func makeConsumer(group: String?, isolation: IsolationLevel, clientId: String) throws(LogError) -> any Consumer {
        count.add(1, ordering: .relaxed)
        return try base.makeConsumer(group: group, isolation: isolation, clientId: clientId)
    }

    func makeTransactionalProducer(
        transactionalId: String, clientId: String
    ) throws(LogError) -> any TransactionalProducer {
        try base.makeTransactionalProducer(transactionalId: transactionalId, clientId: clientId)
    }

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try base.makePlainProducer(clientId: clientId)
    }

    func makeAdmin() throws(LogError) -> any Admin { try base.makeAdmin() }
}
