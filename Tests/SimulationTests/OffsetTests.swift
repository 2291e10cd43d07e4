import RecordLog
import Simulation
import Testing

@Suite("Offsets in transactions")
struct OffsetTests {
    let clock = ManualClock()
    let cluster: MemoryCluster
    let member: Member
    let place = TopicPartition("t", 0)
    let input = TopicPartition("input", 3)

    init() throws {
        cluster = MemoryCluster(clock: clock)
        cluster.createTopic("t", partitions: 1)
        cluster.createTopic("input", partitions: 4)
        member = try Member(cluster, "a")
    }

    @Test("there is no group metadata before the first assignment")
    func noMetadata() {
        #expect(member.consumer.groupMetadata() == nil)
        member.consumer.poll()
        #expect(member.consumer.groupMetadata() != nil)
    }

    @Test("offsets are committed with their transaction, and not where it is aborted")
    func commitAndAbort() throws {
        member.consumer.poll()
        let producer = try cluster.producer("id")
        for (next, commits) in [(Offset(5), true), (9, false)] {
            try producer.begin()
            try producer.sendOffset(place, next, member.consumer.groupMetadata())
            if commits { try producer.commit() } else { try producer.abort() }
        }
        let expected = [place: CommittedOffset(next: Offset(5), metadata: "id")]
        #expect(try member.consumer.committed([place, input], timeout: .zero) == expected)
        #expect(try cluster.makeAdmin().committedOffsets(group: "g", partitions: [place], timeout: .zero) == expected)
        #expect(cluster.committedOffsets(of: "g") == expected)
    }

    @Test("offsets of an open transaction are unstable, and only the partitions that it holds")
    func unstable() throws {
        member.consumer.poll()
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.sendOffset(place, 5, member.consumer.groupMetadata())
        try producer.commit()
        try producer.begin()
        try producer.sendOffset(place, 6, member.consumer.groupMetadata())
        producer.destroy()
        let committed = { _ = try member.consumer.committed([place], timeout: .zero) }
        #expect(outcome(committed) == "_TIMED_OUT")
        #expect(outcome(committed) == "UNSTABLE_OFFSET_COMMIT", "as librdkafka: a time-out first, then no offset")
        #expect(try member.consumer.committed([input], timeout: .zero) == [:])
        let bystander = try cluster.makeConsumer(group: "g", isolation: .readUncommitted, clientId: "b")
        let claim = CommittedOffset(next: Offset(5), metadata: "id")
        #expect(try bystander.committed([place], timeout: .zero) == [place: claim], "whose metadata names the dead one")
        _ = try cluster.producer(claim.metadata)
        #expect(try member.consumer.committed([place], timeout: .zero) == [place: claim])
    }

    @Test("offsets of a member that is not one any more are refused, and one unchanged offset is enough for that")
    func zombie() throws {
        member.consumer.poll()
        let zombie = try cluster.producer("zombie")
        try zombie.begin()
        try zombie.produce("input", 0, "twice")
        cluster.expel(member.consumer)
        let refused = outcome { try zombie.sendOffset(place, 0, member.consumer.groupMetadata()) }
        #expect(refused == "abortable UNKNOWN_MEMBER_ID")
        #expect(outcome { try zombie.commit() } == "abortable UNKNOWN_MEMBER_ID")
        try zombie.abort()
        #expect(cluster.contents("input") == [])
        #expect(cluster.counters.staleOffsets == 1)
        #expect(cluster.openTransactions == [])
    }

    @Test("a transaction without offsets commits, even a zombie's")
    func unfencedZombie() throws {
        member.consumer.poll()
        let zombie = try cluster.producer("zombie")
        try zombie.begin()
        try zombie.produce("input", 0, "twice")
        cluster.expel(member.consumer)
        try zombie.commit()
        #expect(cluster.contents("input") == ["0/0=twice"])
    }

    @Test("metadata of an older generation is refused; in the background a member is always of the newest")
    func generations() throws {
        member.consumer.poll()
        let producer = try cluster.producer("id")
        let old = member.consumer.groupMetadata()
        _ = try Member(cluster, "b")
        try producer.begin()
        #expect(outcome { try producer.sendOffset(place, 1, old) } == "abortable ILLEGAL_GENERATION")
        try producer.abort()
        try producer.begin()
        let unpolled = outcome { try producer.sendOffset(place, 1, member.consumer.groupMetadata()) }
        #expect(unpolled == "abortable ILLEGAL_GENERATION", "it has not polled since")
        try producer.abort()
        cluster.rejoin = .inBackground
        try producer.begin()
        #expect(outcome { try producer.sendOffset(place, 1, member.consumer.groupMetadata()) } == "done")
        try producer.commit()
        cluster.rejoin = .inPoll
        member.consumer.poll()
        try producer.begin()
        #expect(outcome { try producer.sendOffset(place, 2, member.consumer.groupMetadata()) } == "done")
    }

    @Test("expiry takes the offsets of topics that a live group is not subscribed to, and all of an empty one")
    func expiry() throws {
        member.consumer.poll()
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.sendOffset(place, 5, member.consumer.groupMetadata())
        try producer.sendOffset(input, 7, member.consumer.groupMetadata())
        try producer.commit()
        cluster.expireOffsets("g")
        #expect(Array(cluster.committedOffsets(of: "g").keys) == [place])
        member.consumer.close()
        cluster.expireOffsets("g")
        #expect(cluster.committedOffsets(of: "g") == [:])
    }
}
