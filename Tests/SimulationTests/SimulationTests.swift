import RecordLog
import Simulation
import Testing

// What the tests of this module share: a member of a group that notes what it is told, and short forms of port calls.

/// Subscribes to one topic, assigns and unassigns what it is told to, and notes it.
final class Member: RebalanceListener {
    let consumer: any Consumer
    var start = StartOffset.earliest
    /// What the listener was told, e.g. `+0,1`, `-1`, `!0`.
    private(set) var notes: [String] = []
    /// Runs inside `revoked`, before the partitions are given up.
    var whenRevoked: () throws -> Void = {}

    convenience init(
        _ cluster: MemoryCluster, _ clientId: String, group: String = "g", topic: String? = "t"
    ) throws {
        try self.init(ports: cluster, clientId, group: group, topic: topic)
    }

    init(ports: any Cluster, _ clientId: String, group: String = "g", topic: String? = "t") throws {
        consumer = try ports.makeConsumer(group: group, isolation: .readCommitted, clientId: clientId)
        if let topic { try consumer.subscribe(to: topic, listener: self) }
    }

    /// Subscribes with a consumer that is there.
    init(_ consumer: any Consumer, topic: String = "t") throws {
        self.consumer = consumer
        try consumer.subscribe(to: topic, listener: self)
    }

    /// The notes since the last call.
    func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    func assigned(_ partitions: [TopicPartition]) {
        note("+", partitions)
        #expect(throws: Never.self) { try consumer.incrementalAssign(partitions.map { ($0, start) }) }
    }

    func revoked(_ partitions: [TopicPartition]) {
        note("-", partitions)
        #expect(throws: Never.self) {
            try whenRevoked()
            try consumer.incrementalUnassign(partitions)
        }
    }

    func lost(_ partitions: [TopicPartition]) {
        note("!", partitions)
        #expect(throws: Never.self) { try consumer.incrementalUnassign(partitions) }
    }

    private func note(_ sign: String, _ partitions: [TopicPartition]) {
        notes.append(sign + partitions.map { $0.partition.description }.joined(separator: ","))
    }
}

/// A batch as plain values.
struct Polled: Equatable {
    /// `partition/offset=value`
    var records: [String]
    /// `partition/offset`
    var ends: [String]
    var failures: [LogError]
    var rebalanced: Bool
}

extension Consumer {
    @discardableResult
    func poll(_ maximum: Int = 1000) -> Polled {
        let batch = poll(maximum: maximum, timeout: .seconds(1))
        return Polled(
            records: batch.records.map { view in
                let value = view.value.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
                return "\(view.partition)/\(view.offset)=\(value)"
            },
            ends: batch.ends.map { "\($0.partition)/\($0.offset)" }, failures: batch.failures,
            rebalanced: batch.rebalanced)
    }

    func assign(_ topic: String, _ partition: Partition, _ start: StartOffset = .earliest) throws {
        try incrementalAssign([(TopicPartition(topic, partition), start)])
    }
}

extension TransactionalProducer {
    func produce(_ topic: String, _ partition: Partition?, key: String? = nil, _ value: String?) throws {
        try withBytes(key) { key in
            try withBytes(value) { value in
                try produce(topic: topic, partition: partition, key: key, value: value, headers: [])
            }
        }
    }

    func sendOffset(_ place: TopicPartition, _ next: Offset, _ group: (any GroupMetadata)?) throws {
        let group = try #require(group)
        let offset = CommittedOffset(next: next, metadata: transactionalId)
        try sendOffsets([(place, offset)], group: group, timeout: .seconds(1))
    }

    func commit() throws { try commit(timeout: .seconds(1)) }
    func abort() throws { try abort(timeout: .seconds(1)) }

    private func withBytes(_ text: String?, _ body: (UnsafeRawBufferPointer?) throws -> Void) throws {
        guard var text else { return try body(nil) }
        try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}

extension MemoryCluster {
    /// A producer that has initialised its id.
    func producer(_ id: String, clientId: String = "client") throws -> any TransactionalProducer {
        let producer = try makeTransactionalProducer(transactionalId: id, clientId: clientId)
        try producer.initialise(timeout: .seconds(1))
        return producer
    }

    func reader(_ isolation: IsolationLevel = .readCommitted) throws -> any Consumer {
        try makeConsumer(group: nil, isolation: isolation, clientId: "reader")
    }

    /// `partition/offset=value`
    func contents(_ topic: String, _ isolation: IsolationLevel = .readCommitted) -> [String] {
        records(topic, isolation: isolation).map { record in
            "\(record.partition)/\(record.offset)=\(record.value.map { String(decoding: $0, as: UTF8.self) } ?? "nil")"
        }
    }
}

let timedOut = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)

/// What a call throws, as the decision that it leads to.
func outcome(_ call: () throws -> Void) -> String {
    do {
        try call()
        return "done"
    } catch let error as TransactionError {
        switch error {
        case .retriable: return "retriable \(error.cause.name)"
        case .abortable: return "abortable \(error.cause.name)"
        case .fenced: return "fenced \(error.cause.name)"
        case .fatal: return "fatal \(error.cause.name)"
        }
    } catch {
        return "\((error as? LogError)?.name ?? "\(error)")"
    }
}
