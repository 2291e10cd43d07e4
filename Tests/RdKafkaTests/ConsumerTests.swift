import Foundation
import RecordLog
import TestSupport
import Testing

@Suite("A consumer of assigned partitions")
struct ConsumerTests {
    @Test("keys, tombstones, empty values and headers arrive as they were written")
    func roundTrip() async throws {
        let records = try await onBroker { kafka in
            let topic = try kafka.topic()
            let producer = try kafka.cluster.makePlainProducer(clientId: "test")
            let headers = [
                Header("a", "1"), Header("a", "2"), Header("nothing", nil as [UInt8]?), Header("empty", []),
            ]
            let empty: [UInt8] = []
            try [UInt8]("key".utf8).withUnsafeBytes { key in
                try producer.produce(topic: topic, partition: 0, key: key, value: nil, headers: headers)
                try empty.withUnsafeBytes { value in
                    try producer.produce(topic: topic, partition: 0, key: key, value: value, headers: headers)
                    try producer.produce(topic: topic, partition: 0, key: value, value: value, headers: [])
                }
                try producer.produce(topic: topic, partition: 0, key: key, value: nil, headers: [])
                try producer.produce(topic: topic, partition: 0, key: nil, value: key, headers: [])
            }
            try producer.flush(timeout: KafkaFixture.patience)
            producer.close()

            let consumer = try kafka.consumer()
            try consumer.incrementalAssign([(TopicPartition(topic), .earliest)])
            let records = consumer.readToEnds(of: 1).records
            consumer.close()
            return records
        }
        try #require(records.count == 5)
        #expect(records.map(\.value) == [nil, [], [], nil, Array("key".utf8)])
        #expect(records.map(\.key) == [Array("key".utf8), Array("key".utf8), [], Array("key".utf8), nil])
        let headers = [Header("a", "1"), Header("a", "2"), Header("nothing", nil as [UInt8]?), Header("empty", [])]
        #expect(records.map(\.headers) == [headers, headers, [], [], []])
        #expect(records.allSatisfy { $0.timestamp.milliseconds > 1_600_000_000_000 })
    }

    @Test("batches keep each partition's order, and hold thousands of records where there are so many")
    func batches() async throws {
        let (offsets, largest) = try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 2)
            try kafka.write((0..<20_000).map(String.init), to: topic, partition: 0)
            try kafka.write((0..<500).map(String.init), to: topic, partition: 1)
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            try consumer.incrementalAssign([
                (TopicPartition(topic, 0), .earliest), (TopicPartition(topic, 1), .at(Offset(100))),
            ])
            var offsets: [Partition: [Int64]] = [:]
            var largest = 0
            var ended = 0
            _ = wait {
                // Lets the queue fill.
                Thread.sleep(forTimeInterval: 0.05)
                let batch = consumer.poll(maximum: 10_000, timeout: .milliseconds(100))
                for record in batch.records { offsets[record.partition, default: []].append(record.offset.rawValue) }
                largest = max(largest, batch.records.count)
                ended += batch.ends.count
                return ended == 2
            }
            return (offsets, largest)
        }
        #expect(offsets == [0: Array(0..<20_000), 1: Array(100..<500)])
        #expect(largest > 3000 && largest <= 10_000)
    }

    @Test("a poll returns with the first record, long before its time is up")
    func promptness() async throws {
        let (count, time) = try await onBroker { kafka in
            let topic = try kafka.topic()
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            _ = try consumer.readAll(of: topic)
            // While the poll waits: what is there already would be taken without waiting.
            Thread {
                Thread.sleep(forTimeInterval: 0.5)
                try? kafka.write(["one"], to: topic)
            }.start()
            let start = ContinuousClock.now
            let count = consumer.poll(maximum: 1000, timeout: .seconds(120)).records.count
            return (count, ContinuousClock.now - start)
        }
        #expect(count == 1)
        #expect(time < .seconds(60))
    }

    @Test("a seek goes back, and what is not assigned is named as not moved")
    func seek() async throws {
        let (unmoved, again) = try await onBroker { kafka in
            let topic = try kafka.topic()
            try kafka.write((0..<10).map(String.init), to: topic)
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            _ = try consumer.readAll(of: topic)
            let elsewhere = TopicPartition("elsewhere", 7)
            let unmoved = try consumer.seek(
                [(TopicPartition(topic), Offset(6)), (elsewhere, Offset(0))], timeout: .seconds(10))
            return (unmoved, consumer.readToEnds(of: 1).records.map(\.text))
        }
        #expect(unmoved == [TopicPartition("elsewhere", 7)])
        #expect(again == ["6", "7", "8", "9"])
    }

    @Test("after a seek nothing that was fetched before is delivered")
    func seekDropsFetched() async throws {
        let offsets = try await onBroker { kafka -> [Int64] in
            let topic = try kafka.topic()
            try kafka.write((0..<2000).map(String.init), to: topic)
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            try consumer.incrementalAssign([(TopicPartition(topic), .earliest)])
            _ = wait { !consumer.poll(maximum: 10, timeout: .milliseconds(100)).records.isEmpty }
            let unmoved = try consumer.seek([(TopicPartition(topic), Offset(1990))], timeout: .seconds(10))
            guard unmoved.isEmpty else { return [] }
            return consumer.readToEnds(of: 1).records.map(\.offset.rawValue)
        }
        #expect(offsets == Array(1990..<2000))
    }

    @Test("of a partition that was taken away nothing is delivered any more, and it can be added again")
    func unassign() async throws {
        let (after, again) = try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 2)
            try kafka.write((0..<3000).map(String.init), to: topic, partition: 0)
            try kafka.write(["other"], to: topic, partition: 1)
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            let partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
            try consumer.incrementalAssign(partitions.map { ($0, .earliest) })
            _ = wait { !consumer.poll(maximum: 10, timeout: .milliseconds(100)).records.isEmpty }
            try consumer.incrementalUnassign([partitions[0]])
            let after = consumer.read(for: .seconds(1)).filter { $0.partition == 0 }.count
            try consumer.incrementalAssign([(partitions[0], .at(Offset(2990)))])
            return (after, consumer.readToEnds(of: 1).records.map(\.offset.rawValue))
        }
        #expect(after == 0)
        #expect(again == Array(2990..<3000))
    }

    @Test("a topic that is not there is a failure of the batch")
    func missingTopic() async throws {
        // librdkafka gives a new topic this long to become known.
        let failure = try await onBroker(["topic.metadata.propagation.max.ms": "500"]) { kafka in
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            try consumer.incrementalAssign([(TopicPartition(uniqueName("missing")), .earliest)])
            var failure: LogError?
            _ = wait {
                failure = consumer.poll(maximum: 10, timeout: .milliseconds(200)).failures.first
                return failure != nil
            }
            return failure
        }
        #expect(failure?.code == .unknownTopicOrPartition)
    }

    @Test("batches may outlive one another")
    func overlappingBatches() async throws {
        let texts = try await onBroker { kafka in
            let topic = try kafka.topic()
            try kafka.write(["a", "b", "c"], to: topic)
            let consumer = try kafka.consumer()
            defer { consumer.close() }
            try consumer.incrementalAssign([(TopicPartition(topic), .earliest)])
            let first = consumer.poll(maximum: 1, timeout: KafkaFixture.patience)
            let second = consumer.poll(maximum: 1, timeout: KafkaFixture.patience)
            return (first.copies(topics: consumer.topics) + second.copies(topics: consumer.topics)).map(\.text)
        }
        #expect(texts == ["a", "b"])
    }
}
