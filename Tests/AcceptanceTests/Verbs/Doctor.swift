import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

/// A line that `doctor --json` wrote.
struct Finding: Decodable {
    var check: String
    var subject: String
    var level: String
    var text: String
    var remedy: String?

    static func all(of result: ProcessResult) throws -> [Finding] {
        try result.standardOutput.split(separator: "\n").map { line in
            try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
        }
    }
}

extension Application {
    /// Runs `doctor`, which must end with status 0 exactly if nothing is bad.
    func doctor(
        _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (result: ProcessResult, findings: [Finding]) {
        let result = try await tideline(["doctor", "--json"] + words + options, timeout: .seconds(180))
        let findings = try Finding.all(of: result)
        let isBad = findings.contains { $0.level == "failure" }
        #expect(result.status == (isBad ? 70 : 0), "\(result.failure)", sourceLocation: sourceLocation)
        return (result, findings)
    }

    private var plainCluster: RdKafkaCluster {
        RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap, properties: ["transaction.timeout.ms": "600000"]))
    }

    /// The ends of all partitions of the topics that the application reads and writes, its changelog left out.
    func ends() async throws -> [TopicPartition: Offset] {
        let names =
            [
                "vehicle.telemetry", "calendar.events", "widget.configurations", "timeline.positions", "timelines",
                "timeline.reloads", "timeline.positions.merged", "tideline.dead-letters",
            ].map(topic) + ["\(name).exchange"]
        let cluster = plainCluster
        return try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            let places = try admin.describeTopics(names, timeout: .seconds(60)).values.flatMap { topic in
                (0..<Partition(topic.partitions)).map { TopicPartition(topic.name, $0) }
            }
            return try admin.settledEnds(of: places)
        }
    }

    /// Removes topics as an operator would do by hand.
    func delete(_ topics: [String]) async throws {
        let cluster = plainCluster
        try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            try admin.deleteTopics(topics, timeout: .seconds(30))
        }
    }

    /// Those of the topics that there are.
    func existing(_ topics: [String]) async throws -> [String] {
        let cluster = plainCluster
        return try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            return try admin.describeTopics(topics, timeout: .seconds(60)).keys.sorted()
        }
    }

    /// Makes a topic of one partition as an operator would do by hand.
    func make(_ topic: String, _ settings: [NewTopic.Setting]) async throws {
        let cluster = plainCluster
        try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            try admin.createTopic(
                NewTopic(name: topic, partitions: 1, settings: settings), timeout: .seconds(30))
        }
    }

    /// Sets a setting of a topic as an operator would do by hand.
    func change(_ setting: NewTopic.Setting, of topic: String) async throws {
        let cluster = plainCluster
        try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            try admin.changeSettings(of: topic, to: [setting], timeout: .seconds(60))
        }
    }

    func settings(of topic: String) async throws -> [String: String] {
        try await description(of: topic)?.settings ?? [:]
    }

    /// The number of partitions of a topic; `nil` if it is not there.
    func partitions(of topic: String) async throws -> Int32? { try await description(of: topic)?.partitions }

    private func description(of topic: String) async throws -> TopicDescription? {
        let cluster = plainCluster
        return try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            return try admin.describeTopics([topic], timeout: .seconds(60))[topic]
        }
    }

    /// The client ids of the group's members, which are the transactional ids of their threads; ascending.
    func memberIds() async throws -> [String] {
        let (cluster, group) = (plainCluster, name)
        return try await onThread {
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            return try (admin.members(of: group, timeout: .seconds(60)) ?? []).map(\.clientId).sorted()
        }
    }

    /// Writes a record in a transaction that stays open until it is aborted, or for ten minutes.
    func openTransaction(
        in place: TopicPartition, of transactionalId: String = uniqueName("open")
    ) async throws -> OpenTransaction {
        let cluster = plainCluster
        return try await onThread { try OpenTransaction(in: place, cluster, transactionalId) }
    }
}

/// A transaction that somebody has begun and does not end. One thread at a time has it.
final class OpenTransaction: @unchecked Sendable {
    private let producer: any TransactionalProducer

    fileprivate init(in place: TopicPartition, _ cluster: RdKafkaCluster, _ transactionalId: String) throws {
        let admin = try cluster.makeAdmin()
        defer { admin.close() }
        func end() throws -> Offset? {
            try admin.endOffsets(of: [place], isolation: .readUncommitted, timeout: .seconds(60))[place]
        }
        let before = try end()
        producer = try cluster.makeTransactionalProducer(transactionalId: transactionalId, clientId: "test")
        try producer.initialise(timeout: .seconds(30))
        try producer.begin()
        try Array("x".utf8).withUnsafeBytes { bytes in
            try producer.produce(
                topic: place.topic, partition: place.partition, key: bytes, value: bytes, headers: [])
        }
        // It is open on the broker once the record is there.
        let deadline = ContinuousClock.now + .seconds(30)
        while try end() == before {
            guard ContinuousClock.now < deadline else {
                throw LogError(.timedOut, name: "_TIMED_OUT", "\(place): the record does not come")
            }
        }
    }

    /// Leaves it as a process does that is killed.
    func abandon() { producer.destroy() }

    func abort() async throws {
        try await onThread { try self.producer.abort(timeout: .seconds(30)) }
        producer.destroy()
    }
}
