import RecordLog
import Simulation
import Testing

@Suite("Groups and their rebalances")
struct GroupTests {
    let cluster = MemoryCluster()

    init() {
        cluster.createTopic("t", partitions: 4)
    }

    @Test("a join moves only what must move: revoked first, assigned to the new owner in a later poll")
    func join() throws {
        let a = try Member(cluster, "a")
        #expect(a.consumer.poll().rebalanced)
        #expect(a.takeNotes() == ["+0,1,2,3"])
        #expect(!a.consumer.poll().rebalanced)
        let b = try Member(cluster, "b")
        b.consumer.poll()
        #expect(b.takeNotes() == ["+"], "nothing is free yet")
        let generation = cluster.generation(of: "g")
        #expect(a.consumer.poll().rebalanced)
        #expect(a.takeNotes() == ["-2,3"])
        #expect(cluster.generation(of: "g") == generation + 1)
        #expect(b.consumer.poll().rebalanced)
        #expect(b.takeNotes() == ["+2,3"])
        #expect(a.consumer.poll().rebalanced)
        #expect(a.takeNotes() == ["+"], "it learns of the second generation as well")
        #expect(!a.consumer.poll().rebalanced)
        #expect(cluster.members(of: "g").map(\.owned) == cluster.members(of: "g").map(\.target))
    }

    @Test("who leaves is told what is revoked, and the others get it")
    func leave() throws {
        let (a, b) = try pair()
        b.consumer.close()
        #expect(b.takeNotes() == ["-2,3"])
        a.consumer.poll()
        #expect(a.takeNotes() == ["+2,3"])
        a.consumer.close()
        #expect(cluster.members(of: "g") == [])
    }

    @Test("who was expelled is told in its next poll that its partitions are lost, and joins anew")
    func expel() throws {
        let (a, b) = try pair()
        cluster.expel(clientId: "a")
        b.consumer.poll()
        #expect(b.takeNotes() == ["+0,1"], "while the other still believes to own them")
        #expect(a.consumer.groupMetadata() != nil)
        #expect(a.consumer.poll().rebalanced)
        #expect(a.takeNotes() == ["!0,1"])
        #expect(a.consumer.groupMetadata() == nil, "no member of any generation")
        for _ in 0..<3 {
            a.consumer.poll()
            b.consumer.poll()
        }
        #expect(b.takeNotes().filter { $0 != "+" } == ["-2,3"])
        #expect(cluster.members(of: "g").map(\.clientId) == ["b", "a"])
        #expect(cluster.members(of: "g").map(\.owned.count) == [2, 2])
    }

    @Test("what was read may be committed inside revoked, in the new generation")
    func commitInRevoked() throws {
        let a = try Member(cluster, "a")
        a.consumer.poll()
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.produce("t", 0, "x")
        a.whenRevoked = {
            try producer.sendOffset(TopicPartition("t", 3), 1, a.consumer.groupMetadata())
            try producer.commit()
        }
        _ = try Member(cluster, "b")
        a.consumer.poll()
        #expect(cluster.committedOffsets(of: "g").count == 1)
    }

    @Test("a poll with a rebalance loses records of kept partitions for whoever does not seek")
    func droppedRecords() throws {
        let a = try Member(cluster, "a")
        a.consumer.poll()
        _ = try Member(cluster, "b")
        for n in 0..<5 { cluster.append("t", 0, key: "k", value: "\(n)") }
        cluster.append("t", 3, key: "k", value: "of a partition that moves")
        let batch = a.consumer.poll()
        #expect(batch == Polled(records: ["0/3=3", "0/4=4"], ends: [], failures: [], rebalanced: true))
        #expect(cluster.counters.recordsDropped == 3)
        a.consumer.poll()
        #expect(a.consumer.poll().records == [], "its positions are past all of them")
        #expect(try a.consumer.seek([(TopicPartition("t", 0), Offset(0))], timeout: .zero) == [])
        #expect(a.consumer.poll().records == (0..<5).map { "0/\($0)=\($0)" }, "R1 gets them back")
    }

    @Test("partitions assigned by hand beside the group's stay, and lose records as well")
    func addedByHand() throws {
        cluster.createTopic("input", partitions: 1)
        let a = try Member(cluster, "a")
        a.consumer.poll()
        try a.consumer.assign("input", 0)
        for n in 0..<3 { cluster.append("input", 0, key: "k", value: "\(n)") }
        _ = try Member(cluster, "b")
        #expect(a.consumer.poll().records == ["0/2=2"])
        #expect(try a.consumer.seek([(TopicPartition("input", 0), Offset(0))], timeout: .zero) == [])
    }

    @Test("shares differ by one at most, and nobody gives up what it may keep", arguments: 1...7)
    func shares(members count: Int) throws {
        cluster.createTopic("wide", partitions: 11)
        var members: [Member] = []
        for n in 0..<count {
            members.append(try Member(cluster, "m\(n)", group: "w", topic: "wide"))
            for _ in 0..<3 { for member in members { member.consumer.poll() } }
        }
        let owned = cluster.members(of: "w").map(\.owned)
        #expect(owned.map(\.count).max()! - owned.map(\.count).min()! <= (11 % count == 0 ? 0 : 1))
        #expect(Set(owned.joined()).count == 11 && owned.joined().count == 11)
        for member in members {
            let gained = member.takeNotes().filter { $0.hasPrefix("+") && $0 != "+" }
            #expect(gained.count == 1, "with joins alone a member gains once")
        }
    }

    @Test("more partitions, or the topic's creation, rebalance its group")
    func growth() throws {
        let early = try Member(cluster, "e", group: "early", topic: "later")
        early.consumer.poll()
        #expect(early.takeNotes() == ["+"])
        cluster.createTopic("later", partitions: 1)
        early.consumer.poll()
        cluster.addPartitions(to: "later", total: 2)
        early.consumer.poll()
        #expect(early.takeNotes() == ["+0", "+1"])
    }

    /// Two members with two partitions each, at rest.
    private func pair() throws -> (Member, Member) {
        let a = try Member(cluster, "a")
        a.consumer.poll()
        let b = try Member(cluster, "b")
        for _ in 0..<3 {
            a.consumer.poll()
            b.consumer.poll()
        }
        _ = (a.takeNotes(), b.takeNotes())
        return (a, b)
    }
}
