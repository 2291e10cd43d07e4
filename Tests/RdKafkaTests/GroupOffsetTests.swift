import Foundation
import RecordLog
import TestSupport
import Testing

@Suite("Offsets of a group in transactions")
struct GroupOffsetTests {
    @Test("metadata are there only of a member with a generation")
    func groupMetadata() async throws {
        let (before, subscribed, member, reader) = try await onBroker { kafka in
            let topic = try kafka.topic()
            let consumer = try kafka.consumer(group: uniqueName("group"))
            let before = consumer.groupMetadata() != nil
            let member = try GroupMember(consumer, subscribedTo: topic)
            // One that finds no broker cannot have joined by the time of the look.
            let lonely = try KafkaFixture(bootstrap: "127.0.0.1:1", properties: [:]).consumer(
                group: uniqueName("group"))
            _ = try GroupMember(lonely, subscribedTo: topic)
            let subscribed = lonely.groupMetadata() != nil
            lonely.close(waiting: .zero)
            let joined = member.waitForAssignment()
            let reader = try kafka.consumer()
            defer { reader.close(); consumer.close() }
            return (before, subscribed, joined && consumer.groupMetadata() != nil, reader.groupMetadata() != nil)
        }
        #expect(!before && !subscribed && !reader)
        #expect(member)
    }

    @Test("offsets and their metadata are committed with the transaction, of topics nobody subscribed to as well")
    func offsetsOfOtherTopics() async throws {
        let (before, after, admin) = try await onBroker { kafka in
            let topic = try kafka.topic("exchange")
            let other = try kafka.topic("input", partitions: 3)
            let group = uniqueName("group")
            let consumer = try kafka.consumer(group: group)
            let member = try GroupMember(consumer, subscribedTo: topic)
            try #require(member.waitForAssignment())
            let producer = try kafka.producer()
            defer { producer.destroy(); consumer.close() }
            let partitions = [TopicPartition(topic), TopicPartition(other, 2), TopicPartition(other, 1)]
            let before = try consumer.committed(partitions, timeout: .seconds(10))

            try producer.begin()
            let metadata = try #require(consumer.groupMetadata())
            try producer.sendOffsets(
                [
                    (partitions[0], CommittedOffset(next: Offset(0), metadata: producer.transactionalId)),
                    (partitions[1], CommittedOffset(next: Offset(42), metadata: "")),
                ],
                group: metadata, timeout: .seconds(10))
            try producer.commit(timeout: .seconds(10))

            let port = try kafka.cluster.makeAdmin()
            defer { port.close() }
            return (
                before,
                try consumer.committed(partitions, timeout: .seconds(10)).mapKeys { $0.partition }
                    .mapValues { $0.metadata == producer.transactionalId ? -1 : $0.next.rawValue },
                try port.committedOffsets(group: group, partitions: partitions, timeout: .seconds(10))
                    .mapKeys { $0.partition }.mapValues(\.next.rawValue)
            )
        }
        #expect(before.isEmpty)
        #expect(after == [0: -1, 2: 42])
        #expect(admin == [0: 0, 2: 42])
    }

    @Test("metadata of an older generation are refused, and the transaction can be aborted")
    func staleMetadata() async throws {
        let (error, next) = try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 2)
            let group = uniqueName("group")
            let first = try GroupMember(try kafka.consumer(group: group), subscribedTo: topic)
            try #require(first.waitForAssignment())
            let stale = try #require(first.consumer.groupMetadata())
            let second = try GroupMember(try kafka.consumer(group: group), subscribedTo: topic)
            let bothOwn = wait {
                first.poll()
                second.poll()
                return first.owned.count == 1 && second.owned.count == 1
            }
            try #require(bothOwn)
            let producer = try kafka.producer()
            defer { producer.destroy(); first.consumer.close(); second.consumer.close() }
            let partition = try #require(first.owned.first)
            let offsets = [(partition, CommittedOffset(next: Offset(1), metadata: ""))]
            try producer.begin()
            var error: TransactionError?
            do throws(TransactionError) {
                try producer.sendOffsets(offsets, group: stale, timeout: .seconds(10))
            } catch let failure { error = failure }
            try producer.abort(timeout: .seconds(10))
            // With those of now it goes on.
            let current = try #require(first.consumer.groupMetadata())
            try producer.begin()
            try producer.sendOffsets(offsets, group: current, timeout: .seconds(10))
            try producer.commit(timeout: .seconds(10))
            return (error, try first.consumer.committed([partition], timeout: .seconds(10))[partition]?.next)
        }
        guard case .abortable(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.name == "ILLEGAL_GENERATION")
        #expect(next == Offset(1))
    }

    @Test("while a transaction holds an offset a stable answer is not given, the last committed one at once")
    func unstableOffsets() async throws {
        let outcome = try await onBroker { kafka in
            let topic = try kafka.topic()
            let group = uniqueName("group")
            let consumer = try kafka.consumer(group: group)
            let member = try GroupMember(consumer, subscribedTo: topic)
            try #require(member.waitForAssignment())
            let producer = try kafka.producer()
            let reader = try kafka.consumer(group: group, isolation: .readCommitted)
            let dirtyReader = try kafka.consumer(group: group, isolation: .readUncommitted)
            let admin = try kafka.cluster.makeAdmin()
            defer {
                producer.destroy()
                [consumer, reader, dirtyReader].forEach { $0.close() }
                admin.close()
            }
            let partition = TopicPartition(topic)
            for (next, commits) in [(Int64(1), true), (2, false)] {
                try producer.begin()
                let metadata = try #require(consumer.groupMetadata())
                let offset = CommittedOffset(next: Offset(next), metadata: "claim-\(next)")
                try producer.sendOffsets([(partition, offset)], group: metadata, timeout: .seconds(10))
                if commits { try producer.commit(timeout: .seconds(10)) }
            }
            var codes: [LogError.Code] = []
            do throws(LogError) {
                _ = try reader.committed([partition], timeout: .milliseconds(300))
            } catch { codes.append(error.code) }
            do throws(LogError) {
                _ = try admin.committedOffsets(group: group, partitions: [partition], timeout: .milliseconds(300))
            } catch { codes.append(error.code) }
            let dirty = try dirtyReader.committed([partition], timeout: .seconds(10))[partition]
            try producer.commit(timeout: .seconds(10))
            return (codes, dirty, try reader.committed([partition], timeout: .seconds(10))[partition])
        }
        #expect(outcome.0.count == 2)
        #expect(outcome.0.allSatisfy { $0 == .timedOut || $0 == .unstableOffsets })
        #expect(outcome.1 == CommittedOffset(next: Offset(1), metadata: "claim-1"))
        #expect(outcome.2 == CommittedOffset(next: Offset(2), metadata: "claim-2"))
    }
}

extension Dictionary {
    fileprivate func mapKeys<Other: Hashable>(_ transform: (Key) -> Other) -> [Other: Value] {
        Dictionary<Other, Value>(uniqueKeysWithValues: map { (transform($0), $1) })
    }
}
