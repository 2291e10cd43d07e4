import FaultInjection
import Foundation
import RdKafka
import RecordLog
import TestSupport

/// A compacted topic of a cluster of its own, whose broker is killed. kcat reads it.
final class KafkaTarget: TargetUnderTest {
    let guarantee: SinkGuarantee
    private let broker: TestBroker
    private let topic = uniqueName("mirror")
    /// The disk of the broker's log directory.
    private let disk: MountedDisk

    init() async throws {
        let folder = TemporaryDirectory.makeLasting("broker")
        let disk = try await MountedDisk(at: folder.appending(path: "data"))
        do {
            broker = try await TestBroker.dedicated(in: folder)
        } catch {
            try? await disk.close()
            throw error
        }
        self.disk = disk
        var guarantee = SinkGuarantee.kafka.on(disk)
        if ![.kafka, .kafkaHome].contains(broker.kind) {
            guarantee.full = nil
            show("not tested: a full disk of a broker needs one of Apache Kafka's archive")
        }
        self.guarantee = guarantee
        do {
            try await Self.makeTopic(topic, at: broker.bootstrap)
        } catch {
            try? await close()
            throw error
        }
    }

    static func makeTopic(_ name: String, at bootstrap: String) async throws {
        try await onItsOwnThread {
            let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap)).makeAdmin()
            defer { admin.close() }
            try admin.createTopic(
                NewTopic(name: name, partitions: 3, settings: [.init("cleanup.policy", "compact")]),
                timeout: .seconds(20))
        }
    }

    /// The records of a topic, markers included; 0 while nobody can say.
    static func end(of topic: String, at bootstrap: String) async throws -> Int {
        try await onItsOwnThread {
            let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap)).makeAdmin()
            defer { admin.close() }
            guard let found = try? admin.describeTopics([topic], timeout: .seconds(5))[topic] else { return 0 }
            let places = (0..<found.partitions).map { TopicPartition(topic, Partition($0)) }
            let ends = try? admin.endOffsets(of: places, isolation: .readCommitted, timeout: .seconds(5))
            return ends?.values.reduce(0) { $0 + Int($1.rawValue) } ?? 0
        }
    }

    static func records(of topic: String, at bootstrap: String) async throws -> [Kcat.Record] {
        try await settle(topic, at: bootstrap)
        return try await onItsOwnThread { try Kcat(bootstrap: bootstrap).read(topic) }
    }

    /// Waits until no transaction is open, ten seconds at most; not at all while nobody can say.
    private static func settle(_ topic: String, at bootstrap: String) async throws {
        try await onItsOwnThread {
            let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap)).makeAdmin()
            defer { admin.close() }
            guard let found = try? admin.describeTopics([topic], timeout: .seconds(5))[topic] else { return }
            let places = (0..<found.partitions).map { TopicPartition(topic, Partition($0)) }
            _ = try? admin.settledEnds(of: places, timeout: .seconds(5))
        }
    }

    var address: String { "kafka:\(topic)@\(broker.bootstrap)" }

    func progress() async throws -> Int { try await Self.end(of: topic, at: broker.bootstrap) }

    func contents() async throws -> [String: Data] {
        try await Self.records(of: topic, at: broker.bootstrap).newest
    }

    /// A timeline has a version of its own, and so its value is the record.
    func writtenRecords() async throws -> [String] {
        try await Self.records(of: topic, at: broker.bootstrap).compactMap { record in
            record.value.map { "\(record.key) \($0.base64EncodedString())" }
        }
    }

    func takeAway() async throws { try await broker.kill() }

    func bringBack() async throws { try await broker.restart() }

    func stall() async throws { try await broker.pause() }

    func goOn() async throws { try await broker.resume() }

    func fill() async throws { try await disk.fill() }

    /// A broker has ended by then, or hangs.
    func makeRoom() async throws {
        try await disk.empty()
        try await broker.kill()
        try await broker.restart()
    }

    /// A broker that stands still, or whose disk is full, does not stop in order.
    func close() async throws {
        try? await broker.kill()
        try await disk.close()
    }
}

extension [Kcat.Record] {
    /// What compaction leaves: the last value of each key, without those that are gone.
    var newest: [String: Data] {
        var rows: [String: Data] = [:]
        for record in self { rows[record.key] = record.value }
        return rows
    }
}
