import Foundation
import RdKafka
import RecordLog
import Synchronization
import TestSupport
import Testing

@Suite("A producer that reports each record")
struct ReportingProducerTests {
    @Test("each record is reported with its place, and the key decides the partition as Java does")
    func places() async throws {
        let found = try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 4)
            let producer = try kafka.reportingProducer()
            defer { producer.close() }
            let reports = Reports()
            let keys = (0..<200).map { "key-\($0)" }
            for key in keys { try producer.produce(topic, key: key, value: "v", reports) }
            let places = reports.wait(for: keys.count).map { try? $0.get() }
            let expected = keys.map { Murmur2.partition(of: $0, partitions: 4) }
            var count: [Partition: Int64] = [:]
            let offsets = expected.map { partition in
                defer { count[partition, default: 0] += 1 }
                return Offset(count[partition, default: 0])
            }
            return (places.map(\.?.partition) == expected, places.map(\.?.offset) == offsets)
        }
        #expect(found.0)
        #expect(found.1)
    }

    @Test("headers, keys and tombstones arrive as they are")
    func headers() async throws {
        let found = try await onBroker { kafka in
            let topic = try kafka.topic()
            let producer = try kafka.reportingProducer()
            defer { producer.close() }
            let reports = Reports()
            try producer.produce(
                topic: topic, partition: 0, key: [], value: nil, headers: [Header("a", "1"), Header("b", nil)],
                report: reports.take(0))
            _ = reports.wait(for: 1)
            let reader = try kafka.consumer()
            defer { reader.close() }
            try reader.incrementalAssign([(TopicPartition(topic), .earliest)])
            return reader.readToEnds(of: 1).records.first
        }
        #expect(found?.key == [])
        #expect(found.map { $0.value == nil } == true)
        #expect(found?.headers == [Header("a", "1"), Header("b", nil)])
    }

    @Test("a record that is too large, and a topic that does not exist, are reported; the others go through")
    func refusals() async throws {
        let found = try await onBroker { kafka in
            let topic = try kafka.topic(settings: [NewTopic.Setting("max.message.bytes", "20000")])
            let producer = try kafka.reportingProducer()
            defer { producer.close() }
            let reports = Reports()
            try producer.produce(topic, key: "k", value: "before", reports)
            try producer.produce(topic, key: "k", value: incompressibleText(count: 50_000), reports)
            try producer.produce(uniqueName("absent"), key: "k", value: "v", reports)
            try producer.produce(topic, key: "k", value: "fits", reports)
            return reports.wait(for: 4).map { result in
                switch result {
                case .success(let place): "\(place.offset)"
                case .failure(let error): "\(error.code)"
                }
            }
        }
        #expect(found == ["0", "recordTooLarge", "unknownTopicOrPartition", "1"])
    }

    @Test("without brokers a record is reported within the delivery time-out, and close reports what is left")
    func outage() async throws {
        let found = try await onThread {
            let cluster = RdKafkaCluster(RdKafkaSettings(bootstrapServers: "127.0.0.1:9", properties: [:]))
            let producer = try cluster.makeReportingProducer(clientId: "test", deliveryTimeout: .milliseconds(500))
            let reports = Reports()
            let begin = ContinuousClock.now
            try producer.produce("topic", key: "k", value: "v", reports)
            let first = reports.wait(for: 1)
            let elapsed = ContinuousClock.now - begin
            let patient = try cluster.makeReportingProducer(clientId: "test", deliveryTimeout: .seconds(60))
            try patient.produce("topic", key: "k", value: "v", reports)
            patient.close()
            producer.close()
            return (first.count, elapsed, reports.wait(for: 2).map { (try? $0.get()) == nil })
        }
        #expect(found.0 == 1)
        #expect(found.1 < .seconds(30))
        #expect(found.2 == [true, true])
    }

    @Test("a full queue is said at once")
    func fullQueue() async throws {
        let code = try await onThread {
            let settings = RdKafkaSettings(
                bootstrapServers: "127.0.0.1:9", properties: ["queue.buffering.max.messages": "10"])
            let producer = try RdKafkaCluster(settings).makeReportingProducer(
                clientId: "test", deliveryTimeout: .seconds(60))
            defer { producer.close() }
            let reports = Reports()
            do throws(LogError) {
                for number in 0..<20 {
                    try producer.produce(
                        topic: "t", partition: nil, key: nil, value: [1], headers: [], report: reports.take(number))
                }
            } catch {
                return error.code as LogError.Code?
            }
            return nil
        }
        #expect(code == .queueFull)
    }
}

/// Reports by the number of their record.
private final class Reports: Sendable {
    typealias Outcome = Result<(partition: Partition, offset: Offset), LogError>

    private let state = Mutex((found: [Int: Outcome](), count: 0))

    func next() -> Int {
        state.withLock { state in
            defer { state.count += 1 }
            return state.count
        }
    }

    func take(_ number: Int) -> @Sendable (Outcome) -> Void {
        { [self] outcome in state.withLock { $0.found[number] = outcome } }
    }

    func wait(for count: Int) -> [Outcome] {
        let deadline = ContinuousClock.now + KafkaFixture.patience
        while ContinuousClock.now < deadline {
            let found = state.withLock { $0.found }
            if found.count >= count { return found.sorted { $0.key < $1.key }.map(\.value) }
            Thread.sleep(forTimeInterval: 0.005)
        }
        return []
    }
}

extension ReportingProducer {
    fileprivate func produce(_ topic: String, key: String, value: String, _ reports: Reports) throws(LogError) {
        try produce(
            topic: topic, partition: nil, key: Array(key.utf8), value: Array(value.utf8), headers: [],
            report: reports.take(reports.next()))
    }
}

extension KafkaFixture {
    fileprivate func reportingProducer() throws -> any ReportingProducer {
        let cluster = RdKafkaCluster(RdKafkaSettings(bootstrapServers: bootstrap, properties: [:]))
        return try cluster.makeReportingProducer(clientId: "test", deliveryTimeout: Self.patience)
    }
}
