import Foundation
import RecordLog

/// How long the least transaction of a stream thread takes: a few records, the offset of a group, the commit. It says
/// what the broker's share of a latency is.
final class TransactionProbe {
    private let topics: BenchTopics
    private let member: any Consumer
    private let producer: any TransactionalProducer
    /// Held here, for the member knows it by a weak reference at most.
    private let listener: Assigner

    private static let timeout = Duration.seconds(30)
    private static let records = 4

    /// Takes what the group gives, and gives back what it wants.
    private final class Assigner: RebalanceListener {
        var consumer: (any Consumer)?

        func assigned(_ partitions: [TopicPartition]) {
            try? consumer?.incrementalAssign(partitions.map { ($0, .latest) })
        }

        func revoked(_ partitions: [TopicPartition]) { try? consumer?.incrementalUnassign(partitions) }
        func lost(_ partitions: [TopicPartition]) { revoked(partitions) }
    }

    /// Joins the group of an application that nobody else has.
    init(_ topics: BenchTopics, application: String) throws(CommandFailure) {
        self.topics = topics
        let cluster = topics.environment.cluster
        let assigner = Assigner()
        listener = assigner
        do throws(LogError) {
            member = try cluster.makeMember(of: application, instance: nil, clientId: "tideline-bench")
            assigner.consumer = member
            try member.subscribe(to: topics.transactions, listener: assigner)
            producer = try cluster.makeTransactionalProducer(
                transactionalId: application, clientId: "tideline-bench")
        } catch {
            throw Self.failure(error)
        }
    }

    func close() {
        producer.destroy()
        member.close()
        listener.consumer = nil
    }

    /// Makes transactions, one each 50 ms.
    ///
    /// - Returns: how long each took, in milliseconds.
    func run(_ count: Int) throws(CommandFailure) -> [Double] {
        let deadline = WallClock.uptime() + Self.timeout
        while member.groupMetadata() == nil, !Signals.isStopRequested {
            guard WallClock.uptime() < deadline else {
                throw CommandFailure(.unavailable, "cannot measure a transaction: the group gives no partitions")
            }
            _ = member.poll(maximum: 1, timeout: .milliseconds(50))
        }
        var times: [Double] = []
        do throws(TransactionError) {
            try producer.initialise(timeout: Self.timeout)
            for number in 0..<count where !Signals.isStopRequested {
                _ = member.poll(maximum: 100, timeout: .milliseconds(50))
                let began = WallClock.uptime()
                guard try transaction(number) else { continue }
                times.append((WallClock.uptime() - began) / .milliseconds(1))
            }
        } catch {
            throw Self.failure(error.cause)
        }
        return times
    }

    /// - Returns: false if the member has lost its group; then nothing was committed.
    private func transaction(_ number: Int) throws(TransactionError) -> Bool {
        guard let group = member.groupMetadata() else { return false }
        try producer.begin()
        let value = Array("transaction \(number)".utf8)
        for record in 0..<Self.records {
            try value.withUnsafeBufferPointer { bytes throws(TransactionError) in
                try producer.produce(
                    topic: topics.transactions, partition: Partition(Int32(record % topics.partitions)), key: nil,
                    value: UnsafeRawBufferPointer(bytes), headers: [])
            }
        }
        let place = TopicPartition(topics.transactions, 0)
        try producer.sendOffsets(
            [(place, CommittedOffset(next: Offset(Int64(number)), metadata: ""))], group: group,
            timeout: Self.timeout)
        try producer.commit(timeout: Self.timeout)
        return true
    }

    private static func failure(_ error: LogError) -> CommandFailure {
        CommandFailure(.unavailable, "cannot measure a transaction: \(error)")
    }
}
