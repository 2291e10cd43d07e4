import RecordLog
import StreamCore
import StreamRuntime

/// Reads an application's outputs and changelog, read_committed, and goes on where it was. Belongs to one thread.
final class LedgerReader {
    private(set) var audit = LedgerAudit()
    private let consumer: any Consumer
    private let admin: any Admin
    private let topics: (applied: String, violations: String, state: String)
    private let places: [TopicPartition]
    private var ends: [TopicPartition: Offset] = [:]

    init(_ application: DrivenApplication) throws {
        admin = try application.cluster.makeAdmin()
        consumer = try application.cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: "audit")
        topics = (
            application.topology.outputs[0], application.topology.outputs[1], application.settings.stateTopic
        )
        let names = [topics.applied, topics.violations, topics.state]
        let found = try admin.describeTopics(names, timeout: .seconds(30))
        places = names.flatMap { name in (0..<Partition(found[name]?.partitions ?? 0)).map { TopicPartition(name, $0) }
        }
        try consumer.incrementalAssign(places.map { ($0, .earliest) })
    }

    /// Up to the ends of now, open transactions included.
    func readToEnd(by deadline: ContinuousClock.Instant) throws {
        let targets = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: .seconds(30))
        while places.contains(where: { ends[$0, default: Offset(-1)] < targets[$0, default: Offset(0)] }) {
            guard ContinuousClock.now < deadline else { return }
            let batch = consumer.poll(maximum: 10_000, timeout: .milliseconds(100))
            for view in batch.records { note(view) }
            for end in batch.ends {
                ends[TopicPartition(consumer.topics[Int(end.topic)], end.partition)] = end.offset
            }
        }
    }

    private func note(_ view: RecordView) {
        let topic = consumer.topics[Int(view.topic)]
        let record = Record(
            topic: topic, partition: view.partition, offset: view.offset, timestamp: view.timestamp,
            key: view.key.map { Array($0) }, value: view.value.map { Array($0) })
        switch topic {
        case topics.applied: audit.noteApplied(record)
        case topics.violations: audit.noteViolation(record)
        default: audit.noteState(record)
        }
    }

    func close() {
        consumer.close()
        admin.close()
    }
}
