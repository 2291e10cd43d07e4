import RdKafka
import RecordLog
import Synchronization
import TestSupport
import Testing

@Suite("A transactional producer that is destroyed")
struct DestroyedProducerTests {
    @Test("ends quickly, whatever it still holds")
    func destroying() async throws {
        let time = try await onBroker { kafka in
            let topic = try kafka.topic()
            let producer = try kafka.producer()
            try producer.begin()
            for number in 0..<50_000 { try producer.produce("\(number)", to: topic) }
            let start = ContinuousClock.now
            producer.destroy()
            return ContinuousClock.now - start
        }
        #expect(time < .seconds(20))
    }

    @Test("has nothing on its way any more when it was fenced meanwhile")
    func fenced() async throws {
        let left = try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 8)
            let lines = Mutex<[String]>([])
            let settings = RdKafkaSettings(bootstrapServers: kafka.bootstrap) { _, facility, message in
                // librdkafka counts what is left when it begins to destroy a producer.
                if facility == "TERMINATE" { lines.withLock { $0.append(message) } }
            }
            for _ in 0..<10 { try destroyFenced(kafka, RdKafkaCluster(settings), topic) }
            return lines.withLock { $0 }
        }
        #expect(left == [])
    }

    /// An answer that comes while librdkafka (2.0.2 to 2.15.0) destroys the producer breaks the heap.
    private func destroyFenced(_ kafka: KafkaFixture, _ cluster: RdKafkaCluster, _ topic: String) throws {
        let id = uniqueName("fenced")
        let older = try cluster.makeTransactionalProducer(transactionalId: id, clientId: "test")
        defer { older.destroy() }
        try older.initialise(timeout: KafkaFixture.patience)
        try older.begin()
        for partition in 0..<Partition(8) { try older.produce("a", to: topic, partition: partition) }
        // Once partitions belong to the transaction, records for them go out without a question to the coordinator.
        let reader = try kafka.consumer(isolation: .readUncommitted)
        defer { reader.close() }
        let isThere = try wait {
            try reader.watermarks(of: TopicPartition(topic, 7), timeout: .seconds(5)).high > Offset(0)
        }
        #expect(isThere)
        try kafka.producer(id).destroy()
        // What comes now is refused, one batch after the other; the first answer ends the loop.
        let text = incompressibleText(count: 500)
        #expect(throws: TransactionError.self) {
            for number in 0..<Int32(1_000_000) {
                try older.produce(text, to: topic, partition: Partition(number % 8))
            }
        }
    }
}
