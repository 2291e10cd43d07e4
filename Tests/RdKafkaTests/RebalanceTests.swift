import Foundation
import RecordLog
import TestSupport
import Testing

@Suite("A group's rebalances")
struct RebalanceTests {
    @Test("only what moves is revoked, and each batch says that the listener ran")
    func twoMembers() async throws {
        try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 4)
            let group = uniqueName("group")
            let first = try GroupMember(try kafka.consumer(group: group), subscribedTo: topic)
            #expect(first.waitForAssignment())
            #expect(first.told == [.assigned(4)])

            let second = try GroupMember(try kafka.consumer(group: group), subscribedTo: topic)
            let areEven = wait {
                first.poll()
                second.poll()
                return first.owned.count == 2 && second.owned.count == 2
            }
            #expect(areEven)
            #expect(first.told.contains(.revoked(2)))
            #expect(first.owned.isDisjoint(with: second.owned))
            for member in [first, second] {
                #expect(member.rebalancedPolls > 0)
                #expect(member.silentRebalances == 0)
                #expect(member.failures.isEmpty)
            }

            // Who leaves is told so, and the other one takes over without waiting for a session to end.
            second.consumer.close()
            #expect(second.told.last == .revoked(2))
            let hasAll = wait(within: .seconds(30)) {
                first.poll()
                return first.owned.count == 4
            }
            #expect(hasAll)
            first.consumer.close()
            #expect(first.told.last == .revoked(4))
        }
    }

    @Test("a member that does not poll in time fails and loses its partitions")
    func pollInterval() async throws {
        let properties = [
            "session.timeout.ms": "2000", "heartbeat.interval.ms": "200", "max.poll.interval.ms": "2000",
        ]
        try await onBroker(properties) { kafka in
            let topic = try kafka.topic()
            let member = try GroupMember(try kafka.consumer(group: uniqueName("group")), subscribedTo: topic)
            #expect(member.waitForAssignment())
            Thread.sleep(forTimeInterval: 4)
            let isTold = wait {
                member.poll()
                return member.told.contains(.lost(1))
            }
            #expect(isTold)
            #expect(member.failures.contains { $0.name == "_MAX_POLL_EXCEEDED" })
            // It comes back by itself.
            #expect(member.waitForAssignment())
            member.consumer.close()
        }
    }

    @Test("partitions added by hand stay when the group's own move")
    func addedPartitions() async throws {
        try await onBroker { kafka in
            let topic = try kafka.topic(partitions: 2)
            let input = try kafka.topic("input")
            try kafka.write(["a", "b"], to: input)
            let group = uniqueName("group")
            let first = try GroupMember(try kafka.consumer(group: group), subscribedTo: topic)
            #expect(first.waitForAssignment())
            try first.consumer.incrementalAssign([(TopicPartition(input), .earliest)])
            let second = try GroupMember(try kafka.consumer(group: group), subscribedTo: topic)
            let areEven = wait {
                first.poll()
                second.poll()
                return first.owned.count == 1 && second.owned.count == 1
            }
            #expect(areEven)
            try kafka.write(["c"], to: input)
            var texts: [String] = []
            let hasRead = wait {
                second.poll(.zero)
                let batch = first.consumer.poll(maximum: 10, timeout: .milliseconds(100))
                texts += batch.copies(topics: first.consumer.topics).map(\.text)
                return texts.contains("c")
            }
            #expect(hasRead)
            first.consumer.close()
            second.consumer.close()
        }
    }

    @Test("a consumer that is closed while it joins leaves the group, without harm", arguments: 0..<20)
    func closingEarly(round: Int) async throws {
        try await onBroker(["session.timeout.ms": "300000"]) { kafka in
            let topic = try kafka.topic()
            let group = uniqueName("group")
            let consumer = try kafka.consumer(group: group)
            let early = try GroupMember(consumer, subscribedTo: topic)
            for _ in 0..<round where early.owned.isEmpty { early.poll(.milliseconds(1)) }
            let wasAssigned = !early.owned.isEmpty
            consumer.close()
            if !wasAssigned { #expect(early.told.isEmpty) }
            // Long before the session of the first would end.
            let next = try GroupMember(try kafka.consumer(group: group), subscribedTo: topic)
            let hasAll = wait(within: .seconds(200)) {
                next.poll()
                return !next.owned.isEmpty
            }
            #expect(hasAll)
            next.consumer.close()
        }
    }

    @Test("R12: whoever has waited for the first assignment closes without waiting again")
    func closingAtOnce() async throws {
        try await onThread {
            let kafka = KafkaFixture(bootstrap: "127.0.0.1:1", properties: [:])
            let member = try GroupMember(try kafka.consumer(group: "group"), subscribedTo: "topic")
            member.poll()
            let duration = ContinuousClock().measure { member.consumer.close(waiting: .zero) }
            #expect(duration < .seconds(4))
        }
    }

    @Test("a consumer that joins in vain can be closed, or dropped")
    func joiningInVain() async throws {
        try await onThread {
            let kafka = KafkaFixture(bootstrap: "127.0.0.1:1", properties: [:])
            for closes in [true, false] {
                let member = try GroupMember(try kafka.consumer(group: "group"), subscribedTo: "topic")
                member.poll()
                if closes { member.consumer.close() }
                #expect(member.told.isEmpty)
            }
        }
    }
}
