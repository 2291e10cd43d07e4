import RecordLog
import Simulation
import Testing

@Suite("Coordinators that move")
struct CoordinatorTests {
    let stage = Stage()
    var cluster: MemoryCluster { stage.cluster }
    var clock: ManualClock { stage.clock }

    @Test("while the transaction coordinator moves, calls wait for it, and records of known partitions go on")
    func transactions() throws {
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        cluster.plan(.order(.transactionCoordinatorMove, .milliseconds(1_500)))
        try producer.produce("t", 0, "b")
        #expect(cluster.contents("t", .readUncommitted) == ["0/0=a", "0/1=b"])
        try producer.produce("t", 1, "c")
        #expect(cluster.requestsUnderWay == 1, "the partition has to be registered first")
        let other = try cluster.makeTransactionalProducer(transactionalId: "other", clientId: "other")
        let initialise = { try other.initialise(timeout: .seconds(1)) }
        #expect(cluster.timed(initialise) == "retriable NOT_COORDINATOR after 1000 ms")
        #expect(cluster.timed { try producer.commit() } == "done after 500 ms")
        #expect(cluster.timed(initialise) == "done after 0 ms")
        #expect(cluster.contents("t") == ["0/0=a", "0/1=b", "1/0=c"])
    }

    @Test("a coordinator that is away ends no transaction; when it is back, it does at once")
    func timeouts() throws {
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        cluster.plan(.order(.transactionCoordinatorMove, .seconds(15)))
        try producer.produce("t", 0, "b")
        clock.advance(by: .milliseconds(14_999))
        #expect(cluster.openTransactions == ["id"])
        clock.advance(by: .milliseconds(1))
        #expect(cluster.openTransactions == [])
    }

    @Test("while the group coordinator moves, offsets can be neither read nor sent, and polls go on")
    func groups() throws {
        cluster.append("t", 0, key: "k", value: "a")
        let member = try stage.member(cluster.process("p"))
        member.consumer.poll()
        let producer = try stage.open()
        cluster.plan(.order(.groupCoordinatorMove, .milliseconds(2_500)))
        #expect(member.consumer.poll().records == ["0/0=a"])
        cluster.append("t", 0, key: "k", value: "b")
        #expect(member.consumer.poll().records == ["0/1=b"])
        let send = { try producer.sendOffset(stage.place, 1, member.consumer.groupMetadata()) }
        let ask = { _ = try member.consumer.committed([stage.place], timeout: .seconds(1)) }
        #expect(cluster.timed(send) == "retriable NOT_COORDINATOR after 1000 ms")
        #expect(cluster.timed(ask) == "NOT_COORDINATOR after 1000 ms")
        #expect(cluster.timed(send) == "done after 500 ms")
        #expect(cluster.timed(ask) == "_TIMED_OUT after 1000 ms", "the offset is of an open transaction now")
        #expect(member.takeNotes() == ["+0,1"], "the member is one as before")
    }

    @Test("a new group coordinator gives every member a whole session")
    func sessions() throws {
        let (living, dead) = (cluster.process("living"), cluster.process("dead"))
        let member = try stage.member(living)
        _ = try stage.member(dead)
        dead.die()
        clock.advance(by: .seconds(9))
        cluster.plan(.order(.groupCoordinatorMove, .seconds(2)))
        member.consumer.poll()
        clock.advance(by: .seconds(12))
        #expect(cluster.members(of: "g").map(\.clientId) == ["living", "dead"])
        clock.advance(by: .milliseconds(1))
        #expect(cluster.members(of: "g").map(\.clientId) == ["living"])
    }

    @Test("who dies while its JoinGroup waits for others is struck off a session after all have joined")
    func parked() throws {
        let processes = ["slow", "early", "late"].map { cluster.process($0) }
        let members = try processes.map { try stage.member($0) }
        for _ in 0..<4 { for member in members { member.consumer.poll() } }
        cluster.plan(.order(.rebalance))
        members[1].consumer.poll()
        members[2].consumer.poll()
        processes[1].die()
        clock.advance(by: .seconds(12))
        let names = { cluster.members(of: "g").map(\.clientId) }
        #expect(names() == ["slow", "early", "late"], "the group waits for the slow one")
        members[0].consumer.poll()
        processes[2].die()
        clock.advance(by: .seconds(9))
        #expect(names() == ["slow", "early", "late"])
        clock.advance(by: .milliseconds(1_001))
        members[0].consumer.poll()
        #expect(names() == ["slow"])
    }

    @Test("a group coordinator that has forgotten its members tells each that all is lost")
    func forgotten() throws {
        let (a, b) = (try stage.member(cluster.process("a")), try stage.member(cluster.process("b")))
        for _ in 0..<3 {
            a.consumer.poll()
            b.consumer.poll()
        }
        _ = (a.takeNotes(), b.takeNotes())
        cluster.plan(.order(.groupForgotten))
        a.consumer.poll()
        b.consumer.poll()
        #expect(a.takeNotes() == ["!0"])
        #expect(b.takeNotes() == ["!1"])
        for _ in 0..<4 {
            a.consumer.poll()
            b.consumer.poll()
        }
        #expect(cluster.members(of: "g").map(\.owned.count) == [1, 1])
        #expect(cluster.count(.zombie) == 2)
    }

    @Test("a rebalance at any point refuses the offsets of the generation before, once all have joined")
    func rebalance() throws {
        let member = try stage.member(cluster.process("p"))
        member.consumer.poll()
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        let generation = cluster.generation(of: "g")
        cluster.plan(.order(.rebalanceAgain, at: .log(.watermarks)))
        _ = try member.consumer.watermarks(of: stage.place, timeout: .seconds(1))
        #expect(cluster.generation(of: "g") == generation + 2)
        let before = member.consumer.groupMetadata()
        let send = { try producer.sendOffset(stage.place, 1, before) }
        #expect(outcome(send) == "done", "nobody has joined, so the generation lasts")
        #expect(member.consumer.poll().rebalanced)
        #expect(outcome(send) == "abortable ILLEGAL_GENERATION")
        #expect(member.takeNotes() == ["+0,1", "+"], "nothing has moved")
    }

    @Test("a rebalance inside a callback is learned of in the next poll")
    func rebalanceInside() throws {
        let process = cluster.process("a")
        let a = try stage.member(process)
        a.consumer.poll()
        _ = try Member(cluster, "b")
        a.whenRevoked = { [cluster] in
            cluster.rebalance("g", times: 2)
            _ = try a.consumer.watermarks(of: TopicPartition("t", 0), timeout: .zero)
        }
        a.consumer.poll()
        #expect(a.takeNotes() == ["+0,1", "-1"])
        #expect(a.consumer.poll().rebalanced)
        #expect(!a.consumer.poll().rebalanced)
        #expect(cluster.count(.rebalanceAgain) == 1)
    }
}
