import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

@Suite("Acknowledged records")
struct AcknowledgementTests {
    /// The brokers of this mock cluster look at no number, as those do that know nothing of a producer yet.
    @Test("what was refused at first and is acknowledged in the end is there, whatever was sent behind it")
    func refusedAtFirst() async throws {
        try await onThread {
            let settings = RdKafkaSettings(
                bootstrapServers: "", properties: ["batch.num.messages": "1", "linger.ms": "0"])
            let mock = try MockCluster(settings: settings)
            let admin = try mock.makeAdmin()
            try admin.connect(timeout: .seconds(10))
            try admin.createTopic(NewTopic(name: "t", partitions: 1), timeout: .seconds(10))
            let producer = try mock.makePlainProducer(clientId: "test")
            // So that all are on their way before the first answer.
            mock.answer(after: .milliseconds(300))
            mock.refuseNextProduces(1)
            for number in 0..<4 { try producer.produce("record \(number)", to: "t", partition: 0) }
            try producer.flush(timeout: .seconds(30))

            let consumer = try mock.makeConsumer(group: nil, isolation: .readCommitted, clientId: "test")
            try consumer.incrementalAssign([(TopicPartition("t", 0), .earliest)])
            var values: [String] = []
            let hasCome = wait {
                let batch = consumer.poll(maximum: 100, timeout: .milliseconds(10))
                values += batch.records.map { String(decoding: $0.value ?? .init(start: nil, count: 0), as: UTF8.self) }
                return values.contains("record 3")
            }
            #expect(hasCome && values == ["record 0", "record 1", "record 2", "record 3"])
            consumer.close()
            producer.close()
            admin.close()
        }
    }
}
