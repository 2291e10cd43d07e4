import RecordLog
import TestSupport
import Testing

@Suite("A plain producer")
struct PlainProducerTests {
    @Test("the failure of a record is thrown later, once, and the next ones go through")
    func lateFailure() async throws {
        let (error, texts) = try await onBroker { kafka in
            let topic = try kafka.topic(settings: [NewTopic.Setting("max.message.bytes", "1000")])
            let producer = try kafka.cluster.makePlainProducer(clientId: "test")
            try producer.produce(incompressibleText(count: 5000), to: topic)
            var error: LogError?
            do throws(LogError) {
                try producer.flush(timeout: KafkaFixture.patience)
            } catch let failure { error = failure }
            try producer.flush(timeout: KafkaFixture.patience)
            try producer.produce("fits", to: topic)
            try producer.flush(timeout: KafkaFixture.patience)
            producer.close()
            let reader = try kafka.consumer()
            defer { reader.close() }
            return (error, try reader.readAll(of: topic).texts)
        }
        #expect(error?.code == .recordTooLarge)
        #expect(texts == ["fits"])
    }

    @Test("a full queue makes produce wait, and nothing is lost")
    func fullQueue() async throws {
        let end = try await onBroker(["queue.buffering.max.messages": "100"]) { kafka in
            let topic = try kafka.topic()
            try kafka.write((0..<5000).map(String.init), to: topic)
            let reader = try kafka.consumer()
            defer { reader.close() }
            return try reader.watermarks(of: TopicPartition(topic), timeout: .seconds(10)).high
        }
        #expect(end == Offset(5000))
    }
}
