import Foundation
import RdKafka
import RecordLog
import TestSupport

extension Application {
    private var cluster: RdKafkaCluster {
        RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap, properties: ["message.max.bytes": "4000000"]))
    }

    /// The committed records of a topic of the contract, in the order of each partition.
    func records(of name: String) async throws -> [Record] {
        let (cluster, topic) = (cluster, topic(name))
        return try await onThread { try cluster.committedRecords(of: topic) }
    }

    /// The offsets of a topic that the group has committed, by partition; 0 if it has committed none.
    func committed(_ name: String, partitions: Int32 = 4) async throws -> [Int64] {
        let (cluster, group, topic) = (cluster, self.name, topic(name))
        return try await onThread {
            let handle = try cluster.makeConsumer(group: group, isolation: .readUncommitted, clientId: "test")
            defer { handle.close() }
            let wanted = (0..<Partition(partitions)).map { TopicPartition(topic, $0) }
            let found = try handle.committed(wanted, timeout: .seconds(60))
            return wanted.map { found[$0]?.next.rawValue ?? 0 }
        }
    }

    /// Writes records as they are, good or bad.
    func produce(_ records: [(key: String?, value: [UInt8]?, headers: [Header])], to name: String) async throws {
        let (cluster, topic) = (cluster, topic(name))
        try await onThread {
            let producer = try cluster.makePlainProducer(clientId: "test")
            defer { producer.close() }
            for (key, value, headers) in records {
                let key = key.map { Array($0.utf8) }
                try withBytes(key) { key in
                    try withBytes(value) { value in
                        try producer.produce(topic: topic, partition: nil, key: key, value: value, headers: headers)
                    }
                }
            }
            try producer.flush(timeout: .seconds(120))
        }
    }

    /// Removes a topic with Kafka's own tool: other brokers come without it.
    func deleteTopic(_ name: String) async throws {
        let script = PackageRoot.url.appending(path: "../shared/kafka/kafka-test-broker")
        let words = ["tool", "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", bootstrap]
        let result = try await ProcessRunner.run(
            script, words + ["--delete", "--topic", topic(name)], timeout: .seconds(60))
        guard result.succeeded else { throw TestBrokerError(result.failure) }
    }

    /// A topic that lets larger records in than the broker's default.
    func createTopic(_ name: String, partitions: Int32, recordBytesMax: Int) async throws {
        let topic = NewTopic(
            name: topic(name), partitions: partitions,
            settings: [.init("cleanup.policy", "delete"), .init("max.message.bytes", String(recordBytesMax))])
        let cluster = cluster
        try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            try admin.createTopic(topic, timeout: .seconds(60))
        }
    }
}

extension RdKafkaCluster {
    fileprivate func committedRecords(of topic: String) throws(LogError) -> [Record] {
        let admin = try makeAdmin()
        defer { admin.close() }
        let found = try admin.describeTopics([topic], timeout: .seconds(60))
        let partitions = (0..<Partition(found[topic]?.partitions ?? 0)).map { TopicPartition(topic, $0) }
        let consumer = try makeConsumer(group: nil, isolation: .readCommitted, clientId: "test")
        defer { consumer.close() }
        try consumer.incrementalAssign(partitions.map { ($0, .earliest) })
        // The marker that ends a transaction may come after the answer to its commit. An end that lies before what is
        // written therefore counts only after some seconds: then the transaction is one that stays open.
        let written = try admin.endOffsets(of: partitions, isolation: .readUncommitted, timeout: .seconds(60))
        var patience: ContinuousClock.Instant?
        var ended: Set<Partition> = []
        var unread = Set(partitions.map(\.partition))
        var records: [Record] = []
        let deadline = ContinuousClock.now + .seconds(180)
        while !unread.isEmpty {
            guard ContinuousClock.now < deadline else {
                throw LogError(.timedOut, name: "_TIMED_OUT", "\(topic): no end of partitions \(unread.sorted())")
            }
            let batch = consumer.poll(maximum: 10_000, timeout: .milliseconds(100))
            for view in batch.records {
                records.append(
                    Record(
                        topic: topic, partition: view.partition, offset: view.offset, timestamp: view.timestamp,
                        key: view.key.map { Array($0) }, value: view.value.map { Array($0) },
                        headers: batch.headers(of: view)))
            }
            for end in batch.ends {
                ended.insert(end.partition)
                if end.offset >= written[TopicPartition(topic, end.partition)] ?? 0 { unread.remove(end.partition) }
            }
            if !unread.isEmpty && unread.isSubset(of: ended) {
                let end = patience ?? .now + .seconds(4)
                patience = end
                if ContinuousClock.now > end { break }
            }
        }
        return records.sorted { ($0.partition, $0.offset) < ($1.partition, $1.offset) }
    }
}

extension Admin {
    /// The ends of partitions once no transaction is open there, which is waited for ten seconds at most: the marker
    /// that ends a transaction may come after the answer to its commit. Blocks.
    func settledEnds(
        of partitions: [TopicPartition], timeout: Duration = .seconds(60)
    ) throws(LogError) -> [TopicPartition: Offset] {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let committed = try endOffsets(of: partitions, isolation: .readCommitted, timeout: timeout)
            let written = try endOffsets(of: partitions, isolation: .readUncommitted, timeout: timeout)
            if committed == written || ContinuousClock.now > deadline { return written }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }
}

private func withBytes(_ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) throws -> Void) rethrows {
    guard let bytes else { return try body(nil) }
    try bytes.withUnsafeBytes { try body($0) }
}

extension Record {
    var keyText: String { String(decoding: key ?? [], as: UTF8.self) }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value as a JSON object.
    func json() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(value ?? [])) as? [String: Any] else {
            throw LogError(.fatal, name: "NO_OBJECT", "\(keyText): not a JSON object")
        }
        return object
    }
}
