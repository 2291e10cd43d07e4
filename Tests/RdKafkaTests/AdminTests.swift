import Foundation
import RdKafka
import RecordLog
import Synchronization
import TestSupport
import Testing

@Suite("The admin port")
struct AdminTests {
    @Test("a topic is created with its settings, described, and not created twice")
    func topics() async throws {
        try await onBroker { kafka in
            let admin = try kafka.cluster.makeAdmin()
            defer { admin.close() }
            let names = [uniqueName("compacted"), uniqueName("plain"), uniqueName("missing")]
            let compacted = NewTopic(
                name: names[0], partitions: 3,
                settings: [NewTopic.Setting("cleanup.policy", "compact"), NewTopic.Setting("segment.ms", "60000")])
            try admin.createTopic(compacted, timeout: KafkaFixture.patience)
            try admin.createTopic(
                NewTopic(name: names[1], partitions: 1, replication: 1), timeout: KafkaFixture.patience)
            let topics = try admin.describeTopics(names, timeout: KafkaFixture.patience)
            #expect(topics.keys.sorted() == names[0..<2].sorted())
            let first = try #require(topics[names[0]])
            #expect(first.partitions == 3 && first.replication == 1)
            #expect(first.settings["cleanup.policy"] == "compact")
            #expect(first.settings["segment.ms"] == "60000")
            #expect(topics[names[1]]?.settings["cleanup.policy"] == "delete")
            let all = try admin.topicNames(timeout: KafkaFixture.patience)
            #expect(all.filter { names.contains($0) } == names[0..<2].sorted())
            // Asking for a topic does not make one.
            #expect(try admin.describeTopics([names[2]], timeout: KafkaFixture.patience).isEmpty)

            #expect { try admin.createTopic(compacted, timeout: KafkaFixture.patience) } throws: {
                ($0 as? LogError)?.code == .topicAlreadyExists
            }
            let wrong = NewTopic(
                name: uniqueName("wrong"), partitions: 1, settings: [NewTopic.Setting("retention.ms", "soon")])
            #expect { try admin.createTopic(wrong, timeout: KafkaFixture.patience) } throws: {
                ($0 as? LogError)?.code == .invalidSetting
            }
        }
    }

    @Test("a topic gets more partitions, with a leader each; as many or fewer than it has are refused")
    func partitions() async throws {
        try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 2)
            let admin = try kafka.cluster.makeAdmin()
            defer { admin.close() }
            // To ask whether it is allowed adds none.
            try admin.check(Permission(.alter, .topic(topic)), timeout: KafkaFixture.patience)
            #expect(try admin.describeTopics([topic], timeout: KafkaFixture.patience)[topic]?.partitions == 2)
            try admin.addPartitions(to: topic, count: 3, timeout: .seconds(30))
            let grown = try #require(try admin.describeTopics([topic], timeout: KafkaFixture.patience)[topic])
            #expect(grown.partitions == 3 && grown.leaderless == 0)
            try kafka.write(["a"], to: topic, partition: 2)
            for count in [1, 3] as [Int32] {
                #expect { try admin.addPartitions(to: topic, count: count, timeout: KafkaFixture.patience) } throws: {
                    ($0 as? LogError)?.name == "INVALID_PARTITIONS"
                }
            }
        }
    }

    @Test("several threads may ask one admin at the same time, each gets its own answers")
    func atTheSameTime() async throws {
        try await onBroker { kafka in
            let topics = try (0..<4).map { _ in try kafka.topic(partitions: 2) }
            for (count, topic) in topics.enumerated() {
                try kafka.write(Array(repeating: "a", count: count), to: topic)
            }
            let admin = try kafka.cluster.makeAdmin()
            defer { admin.close() }
            let answers = Mutex<[Int: Set<Int64>]>([:])
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                let place = TopicPartition(topics[number])
                for round in 0..<20 {
                    let isolation: IsolationLevel = round % 2 == 0 ? .readCommitted : .readUncommitted
                    let ends = try? admin.endOffsets(of: [place], isolation: isolation, timeout: KafkaFixture.patience)
                    let described = try? admin.describeTopics([place.topic], timeout: KafkaFixture.patience)
                    let isRight = described?.keys.elementsEqual([place.topic]) ?? false
                    answers.withLock {
                        _ = $0[number, default: []].insert(isRight ? ends?[place]?.rawValue ?? -1 : -2)
                    }
                }
            }
            let found = answers.withLock { $0 }
            #expect(found == [0: [0], 1: [1], 2: [2], 3: [3]])
        }
    }

    @Test("records below an offset are removed")
    func deleteRecords() async throws {
        try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 2)
            try kafka.write((0..<10).map(String.init), to: topic)
            let admin = try kafka.cluster.makeAdmin()
            let reader = try kafka.consumer()
            defer { admin.close(); reader.close() }
            try admin.deleteRecords(before: [(TopicPartition(topic), Offset(7))], timeout: KafkaFixture.patience)
            let watermarks = try reader.watermarks(of: TopicPartition(topic), timeout: KafkaFixture.patience)
            #expect(watermarks == Watermarks(low: Offset(7), high: Offset(10)))
            #expect(try reader.readAll(of: topic).texts == ["7", "8", "9"])
            #expect {
                try admin.deleteRecords(before: [(TopicPartition(topic), Offset(99))], timeout: KafkaFixture.patience)
            } throws: { ($0 as? LogError)?.code == .offsetOutOfRange }
        }
    }

    @Test("ends are those of the isolation asked for, of many partitions at once")
    func ends() async throws {
        try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 20)
            try kafka.write(["a", "b"], to: topic, partition: 3)
            let producer = try kafka.producer()
            defer { producer.destroy() }
            try producer.begin()
            try producer.produce("c", to: topic, partition: 3)
            let admin = try kafka.cluster.makeAdmin()
            defer { admin.close() }
            let partitions = (0..<20).map { TopicPartition(topic, $0) }
            let isThere = try wait {
                try admin.endOffsets(of: partitions, isolation: .readUncommitted, timeout: KafkaFixture.patience)[
                    partitions[3]]
                    == Offset(3)
            }
            #expect(isThere)
            let ends = try admin.endOffsets(of: partitions, isolation: .readCommitted, timeout: KafkaFixture.patience)
            #expect(ends.count == 20)
            #expect(ends[partitions[3]] == Offset(2))
            #expect(ends[partitions[4]] == Offset(0))
            #expect {
                try admin.endOffsets(
                    of: [TopicPartition(uniqueName("missing"))], isolation: .readCommitted, timeout: .seconds(3))
            } throws: { ($0 as? LogError)?.code == .unknownTopicOrPartition }
        }
    }

    @Test("a broker that answers is connected to, and one that does not is named with what was tried")
    func connecting() async throws {
        try await onBroker { kafka in
            let admin = try kafka.cluster.makeAdmin()
            try admin.connect(timeout: KafkaFixture.patience)
            admin.close()
        }
        try await onThread {
            let admin = try RdKafkaCluster(RdKafkaSettings(bootstrapServers: "127.0.0.1:1")).makeAdmin()
            defer { admin.close() }
            #expect { try admin.connect(timeout: .seconds(5)) } throws: { error in
                guard let error = error as? LogError else { return false }
                return error.code == .unreachable && error.message.contains("127.0.0.1:1")
                    && error.message.contains("Connection refused")
            }
        }
    }
}
