import Foundation
import RecordLog
import TestSupport
import Testing

@Suite("A transactional producer")
struct TransactionTests {
    @Test("what is committed is seen, what is aborted is not, and the end lies past the markers")
    func visibility() async throws {
        let (committed, uncommitted) = try await onBroker { kafka in
            let topic = try kafka.topic()
            let producer = try kafka.producer()
            try producer.write(["a", "b"], to: topic)
            let reader = try kafka.consumer(isolation: .readCommitted)
            let dirtyReader = try kafka.consumer(isolation: .readUncommitted)
            defer { reader.close(); dirtyReader.close() }
            try producer.begin()
            try producer.produce("x", to: topic)
            // Else abort would take it from the queue before the broker has seen it.
            let isThere = try wait {
                try dirtyReader.watermarks(of: TopicPartition(topic), timeout: .seconds(5)).high == Offset(4)
            }
            #expect(isThere)
            try producer.abort(timeout: KafkaFixture.patience)
            try producer.write(["c"], to: topic)
            producer.destroy()
            return (try reader.readAll(of: topic), try dirtyReader.readAll(of: topic))
        }
        #expect(committed.texts == ["a", "b", "c"])
        #expect(uncommitted.texts == ["a", "b", "x", "c"])
        // Four records and three markers.
        #expect(committed.end == 7)
        #expect(uncommitted.end == 7)
    }

    @Test("an open transaction holds the last stable offset, not the high watermark")
    func stableEnd() async throws {
        let (stable, high) = try await onBroker { kafka in
            let topic = try kafka.topic()
            let producer = try kafka.producer()
            defer { producer.destroy() }
            try producer.write(["a"], to: topic)
            try producer.begin()
            try producer.produce("b", to: topic)
            let reader = try kafka.consumer(isolation: .readCommitted)
            let dirtyReader = try kafka.consumer(isolation: .readUncommitted)
            defer { reader.close(); dirtyReader.close() }
            let partition = TopicPartition(topic)
            _ = try wait { try dirtyReader.watermarks(of: partition, timeout: .seconds(5)).high == Offset(3) }
            return (
                try reader.watermarks(of: partition, timeout: .seconds(5)),
                try dirtyReader.watermarks(of: partition, timeout: .seconds(5))
            )
        }
        #expect(stable == Watermarks(low: Offset(0), high: Offset(2)))
        #expect(high == Watermarks(low: Offset(0), high: Offset(3)))
    }

    @Test("a newer producer of the same id fences the older one")
    func fencing() async throws {
        let errors = try await onBroker { kafka in
            let topic = try kafka.topic()
            let id = uniqueName("fenced")
            let older = try kafka.producer(id)
            try older.write(["a"], to: topic)
            try older.begin()
            try older.produce("b", to: topic)
            let newer = try kafka.producer(id)
            var errors: [TransactionError] = []
            do throws(TransactionError) {
                try older.commit(timeout: KafkaFixture.patience)
            } catch { errors.append(error) }
            // Once fenced, every call says so.
            do throws(TransactionError) {
                try older.begin()
            } catch { errors.append(error) }
            older.destroy()
            try newer.write(["c"], to: topic)
            newer.destroy()
            let reader = try kafka.consumer()
            defer { reader.close() }
            #expect(try reader.readAll(of: topic).texts == ["a", "c"])
            return errors
        }
        #expect(errors.count == 2)
        for error in errors {
            guard case .fenced = error else {
                Issue.record("\(error)")
                continue
            }
        }
    }

    @Test("a record that the broker refuses makes the transaction abortable, and names itself")
    func refusedRecord() async throws {
        let (error, texts) = try await onBroker { kafka in
            let topic = try kafka.topic(settings: [NewTopic.Setting("max.message.bytes", "1000")])
            let producer = try kafka.producer()
            defer { producer.destroy() }
            var error: TransactionError?
            do {
                try producer.write([incompressibleText(count: 5000)], to: topic)
            } catch let failure as TransactionError {
                error = failure
            }
            try producer.abort(timeout: KafkaFixture.patience)
            // librdkafka 2.0.2 counts on from the refused record's sequence number, which the broker refuses once more.
            do {
                try producer.write(["fits"], to: topic)
            } catch TransactionError.abortable(let cause) {
                #expect(cause.name == "OUT_OF_ORDER_SEQUENCE_NUMBER")
                try producer.abort(timeout: KafkaFixture.patience)
                try producer.write(["fits"], to: topic)
            }
            let reader = try kafka.consumer()
            defer { reader.close() }
            return (error, try reader.readAll(of: topic).texts)
        }
        guard case .abortable(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.code == .recordTooLarge)
        #expect(cause.message.contains("topic"))
        #expect(texts == ["fits"])
    }

    @Test("a record larger than the client allows, or for a partition that is not there, is refused at once")
    func refusedByClient() async throws {
        let codes = try await onBroker { kafka in
            let topic = try kafka.topic()
            let producer = try kafka.producer()
            defer { producer.destroy() }
            try producer.write(["a"], to: topic)
            var codes: [LogError.Code] = []
            for (text, partition) in [(String(repeating: "x", count: 2_000_000), Partition(0)), ("b", 9)] {
                try producer.begin()
                do {
                    try producer.produce(text, to: topic, partition: partition)
                } catch TransactionError.abortable(let cause) {
                    codes.append(cause.code)
                }
                try producer.abort(timeout: KafkaFixture.patience)
            }
            return codes
        }
        #expect(codes == [.recordTooLarge, .unknownTopicOrPartition])
    }

    @Test("keys land where Java's producers put them")
    func partitioning() async throws {
        let records = try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 5)
            let producer = try kafka.producer()
            defer { producer.destroy() }
            try producer.begin()
            for number in 0..<50 {
                try Array("vehicle-\(number)".utf8).withUnsafeBytes {
                    try producer.produce(topic: topic, partition: nil, key: $0, value: nil, headers: [])
                }
            }
            try producer.commit(timeout: KafkaFixture.patience)
            let reader = try kafka.consumer()
            defer { reader.close() }
            try reader.incrementalAssign((0..<5).map { (TopicPartition(topic, $0), .earliest) })
            return reader.readToEnds(of: 5).records
        }
        #expect(records.count == 50)
        for record in records {
            let key = String(decoding: record.key ?? [], as: UTF8.self)
            #expect(record.partition == Murmur2.partition(of: key, partitions: 5))
        }
    }
}
