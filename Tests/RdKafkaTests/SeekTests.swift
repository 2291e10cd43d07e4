import Foundation
import RdKafka
import RecordLog
import TestSupport
import Testing

@Suite("Seeking")
struct SeekTests {
    /// librdkafka asks for the end again half a second after the answer that came too late, and goes on from there.
    @Test("R20: a seek lasts, although an answer about the topic's end was on its way")
    func seekLasts() async throws {
        try await onThread {
            let mock = try MockCluster(settings: RdKafkaSettings(bootstrapServers: ""))
            let admin = try mock.makeAdmin()
            try admin.connect(timeout: .seconds(10))
            try admin.createTopic(NewTopic(name: "t", partitions: 1), timeout: .seconds(10))
            let place = TopicPartition("t", 0)
            let producer = try mock.makePlainProducer(clientId: "test")
            let consumer = try mock.makeConsumer(group: nil, isolation: .readCommitted, clientId: "test")
            func produce(_ count: Int) throws {
                for _ in 0..<count { try producer.produce("record", to: "t", partition: 0) }
                try producer.flush(timeout: .seconds(10))
            }
            var offsets: [Int64] = []
            func read(until condition: () -> Bool) -> Bool {
                wait {
                    let batch = consumer.poll(maximum: 100, timeout: .milliseconds(10))
                    offsets += batch.records.map(\.offset.rawValue)
                    return condition()
                }
            }

            try produce(1)
            try consumer.incrementalAssign([(place, .earliest)])
            #expect(read { offsets == [0] })
            try consumer.incrementalUnassign([place])
            offsets = []

            mock.answer(after: .milliseconds(300))
            try consumer.incrementalAssign([(place, .latest)])
            _ = consumer.poll(maximum: 1, timeout: .milliseconds(50))
            #expect(read { (try? consumer.seek([(place, 0)], timeout: .seconds(5))) == [] })
            // Before, while and after the end is asked for again.
            for _ in 0..<8 {
                try produce(1)
                _ = read { true }
            }
            #expect(read { offsets.last == 8 })
            #expect(offsets == Array(0...8), "none is passed over")
            consumer.close()
            producer.close()
            admin.close()
        }
    }
}
