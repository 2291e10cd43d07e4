import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

@Suite("The mock cluster")
struct MockClusterTests {
    #if os(Linux)
        @Test("its thread takes no signal, for one would end it, and with it the broker of a demo that is stopped")
        func signals() throws {
            let mock = try MockCluster(settings: RdKafkaSettings(bootstrapServers: ""))
            let tasks = URL(filePath: "/proc/self/task")
            var threads: [String] = []
            // A thread names itself.
            let isNamed = wait {
                threads = ((try? FileManager.default.contentsOfDirectory(atPath: tasks.path)) ?? []).filter {
                    (try? String(contentsOf: tasks.appending(path: "\($0)/comm"), encoding: .utf8)) == "rdk:mock\n"
                }
                return !threads.isEmpty
            }
            try #require(isNamed)
            for thread in threads {
                // A mock cluster of a test beside this one may be gone.
                guard let status = try? String(contentsOf: tasks.appending(path: "\(thread)/status"), encoding: .utf8)
                else { continue }
                let blocked = UInt64(try #require(status.firstMatch(of: /SigBlk:\s*([0-9a-f]+)/)).1, radix: 16) ?? 0
                for number in [SIGTSTP, SIGCONT, SIGTERM, SIGINT, SIGWINCH] {
                    #expect(blocked & 1 << UInt64(number - 1) != 0, "signal \(number)")
                }
            }
            withExtendedLifetime(mock) {}
        }
    #endif

    @Test("a transaction with a group's offsets passes, and its records are read")
    func transaction() async throws {
        try await onThread {
            let mock = try MockCluster(settings: RdKafkaSettings(bootstrapServers: ""))
            let admin = try mock.makeAdmin()
            try admin.connect(timeout: .seconds(10))
            try admin.createTopic(NewTopic(name: "input", partitions: 3), timeout: .seconds(10))
            #expect { try admin.createTopic(NewTopic(name: "input", partitions: 3), timeout: .seconds(10)) } throws: {
                ($0 as? LogError)?.code == .topicAlreadyExists
            }
            let topics = try admin.describeTopics(["input", "missing"], timeout: .seconds(10))
            #expect(topics.keys.sorted() == ["input"])
            #expect(topics["input"]?.partitions == 3)

            let consumer = try mock.makeConsumer(group: "group", isolation: .readCommitted, clientId: "test")
            let member = try GroupMember(consumer, subscribedTo: "input")
            #expect(member.waitForAssignment())
            #expect(member.owned.count == 3)
            let producer = try mock.makeTransactionalProducer(transactionalId: "id", clientId: "test")
            try producer.initialise(timeout: .seconds(10))
            try producer.begin()
            try producer.produce("hello", to: "input", partition: 1)
            let metadata = try #require(consumer.groupMetadata())
            let offset = CommittedOffset(next: Offset(1), metadata: "")
            try producer.sendOffsets([(TopicPartition("input", 1), offset)], group: metadata, timeout: .seconds(10))
            try producer.commit(timeout: .seconds(10))

            var texts: [String] = []
            let hasRead = wait {
                texts += consumer.poll(maximum: 10, timeout: .milliseconds(100)).copies(topics: ["input"]).map(\.text)
                return !texts.isEmpty
            }
            #expect(hasRead)
            #expect(texts == ["hello"])
            let partitions = (0..<3).map { TopicPartition("input", $0) }
            let ends = try admin.endOffsets(of: partitions, isolation: .readUncommitted, timeout: .seconds(10))
            #expect(ends[partitions[1]] == Offset(1))
            #expect(ends[partitions[0]] == Offset(0))
            try admin.deleteRecords(before: [(partitions[1], Offset(1))], timeout: .seconds(1))
            #expect(try admin.committedOffsets(group: "group", partitions: partitions, timeout: .seconds(10)).isEmpty)
            consumer.close()
            producer.destroy()
            admin.close()
        }
    }
}
