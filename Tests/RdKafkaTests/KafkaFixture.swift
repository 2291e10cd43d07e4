import Foundation
import RdKafka
import RecordLog
import TestSupport

/// The shared broker as one test sees it: every call of it blocks, so a test is one piece of work on its own thread.
struct KafkaFixture: Sendable {
    let bootstrap: String
    let cluster: any Cluster

    static let patience = Duration.seconds(120)

    init(bootstrap: String, properties: [String: String]) {
        self.bootstrap = bootstrap
        // A broker ends no transaction of a slow test.
        let all = ["transaction.timeout.ms": "120000"].merging(properties) { $1 }
        cluster = RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap, properties: all))
    }

    func topic(_ prefix: String = "topic", partitions: Int32 = 1, settings: [NewTopic.Setting] = []) throws -> String {
        let name = uniqueName(prefix)
        let admin = try cluster.makeAdmin()
        defer { admin.close() }
        try admin.createTopic(NewTopic(name: name, partitions: partitions, settings: settings), timeout: Self.patience)
        return name
    }

    func consumer(
        group: String? = nil, isolation: IsolationLevel = .readCommitted
    ) throws -> any Consumer {
        try cluster.makeConsumer(group: group, isolation: isolation, clientId: "test")
    }

    /// Initialised.
    func producer(_ transactionalId: String = uniqueName("producer")) throws -> any TransactionalProducer {
        let producer = try cluster.makeTransactionalProducer(transactionalId: transactionalId, clientId: "test")
        try producer.initialise(timeout: Self.patience)
        return producer
    }

    /// Writes texts to a partition outside transactions.
    func write(_ texts: [String], to topic: String, partition: Partition = 0) throws {
        let producer = try cluster.makePlainProducer(clientId: "test")
        for text in texts { try producer.produce(text, to: topic, partition: partition) }
        try producer.flush(timeout: Self.patience)
        producer.close()
    }
}

/// Runs blocking work against the shared broker on a thread of its own.
func onBroker<Value: Sendable>(
    _ properties: [String: String] = [:], _ work: @escaping @Sendable (KafkaFixture) throws -> Value
) async throws -> Value {
    let fixture = KafkaFixture(bootstrap: try await TestBroker.shared().bootstrap, properties: properties)
    return try await onThread { try work(fixture) }
}

/// Repeats until it holds.
func wait(within timeout: Duration = KafkaFixture.patience, until condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + timeout
    while ContinuousClock.now < deadline {
        if try condition() { return true }
    }
    return false
}

extension PlainProducer {
    func produce(_ text: String, to topic: String, partition: Partition? = 0) throws {
        try Array(text.utf8).withUnsafeBytes {
            try produce(topic: topic, partition: partition, key: nil, value: $0, headers: [])
        }
    }
}

extension TransactionalProducer {
    func produce(_ text: String, to topic: String, partition: Partition? = 0) throws {
        try Array(text.utf8).withUnsafeBytes {
            try produce(topic: topic, partition: partition, key: nil, value: $0, headers: [])
        }
    }

    /// One transaction with these texts.
    func write(_ texts: [String], to topic: String) throws {
        try begin()
        for text in texts { try produce(text, to: topic) }
        try commit(timeout: KafkaFixture.patience)
    }
}

extension ConsumedBatch {
    /// Copies.
    borrowing func copies(topics: [String]) -> [Record] {
        var copies: [Record] = []
        for record in records {
            copies.append(
                Record(
                    topic: topics[Int(record.topic)], partition: record.partition, offset: record.offset,
                    timestamp: record.timestamp, key: record.key.map(Array.init), value: record.value.map(Array.init),
                    headers: headers(of: record)))
        }
        return copies
    }
}

extension Consumer {
    /// Everything up to the end of so many partitions, and those ends.
    func readToEnds(of partitions: Int) -> (records: [Record], ends: [TopicPartition: Offset]) {
        var records: [Record] = []
        var ends: [TopicPartition: Offset] = [:]
        _ = wait {
            let batch = poll(maximum: 1000, timeout: .milliseconds(200))
            records += batch.copies(topics: topics)
            for end in batch.ends { ends[TopicPartition(topics[Int(end.topic)], end.partition)] = end.offset }
            return ends.count == partitions
        }
        return (records, ends)
    }

    /// Reads partition 0 of a topic from its start to its end.
    func readAll(of topic: String) throws -> (texts: [String], end: Offset) {
        try incrementalAssign([(TopicPartition(topic, 0), .earliest)])
        let (records, ends) = readToEnds(of: 1)
        return (records.map(\.text), ends[TopicPartition(topic, 0)] ?? -1)
    }

    /// Reads on for a while.
    func read(for time: Duration) -> [Record] {
        var records: [Record] = []
        _ = wait(within: time) {
            records += poll(maximum: 1000, timeout: .milliseconds(100)).copies(topics: topics)
            return false
        }
        return records
    }
}

extension Record {
    var text: String { String(decoding: value ?? [], as: UTF8.self) }
}

extension TopicPartition {
    init(_ topic: String) { self.init(topic, 0) }
}

/// Text that no compression makes much smaller.
func incompressibleText(count: Int) -> String {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    return String(
        (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Character(UnicodeScalar(UInt8(33 + state % 94)))
        })
}
