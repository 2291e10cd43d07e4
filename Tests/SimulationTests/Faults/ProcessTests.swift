import RecordLog
import Simulation
import Synchronization
import Testing

@Suite("Processes that die, stop and come back")
struct ProcessTests {
    let stage = Stage()
    var cluster: MemoryCluster { stage.cluster }
    var clock: ManualClock { stage.clock }

    @Test("a process dies in the call that was named, before its effect or after it", arguments: [true, false])
    func inCall(hasEffect: Bool) throws {
        let process = cluster.process("p")
        let producer = try stage.open(in: process)
        #expect(process.calls == 3)
        process.die(afterCalls: 1, hasEffect ? .afterEffect : .beforeEffect)
        try producer.produce("t", 0, "a")
        #expect(outcome { try producer.commit() } == "fatal _DEAD")
        #expect(process.isDead)
        #expect(cluster.contents("t") == (hasEffect ? ["0/0=a"] : []))
        #expect(cluster.openTransactions == (hasEffect ? [] : ["id"]))
        #expect(cluster.count(.processCrashed) == 1)
    }

    @Test("the ports of a dead process are silent, whatever they are called for")
    func silence() throws {
        let process = cluster.process("p")
        let member = try stage.member(process)
        member.consumer.poll()
        let producer = try stage.open(in: process)
        let admin = try process.makeAdmin()
        process.die()
        #expect(member.consumer.poll().failures.map(\.name) == ["_DEAD"])
        #expect(outcome { _ = try admin.describeTopics(["t"], timeout: .zero) } == "_DEAD")
        #expect(outcome { try producer.abort() } == "fatal _DEAD")
        #expect(outcome { _ = try process.makeAdmin() } == "_DEAD")
        producer.destroy()
        member.consumer.close()
        #expect(member.takeNotes() == ["+0,1"])
        #expect(cluster.members(of: "g").map(\.owned.count) == [2], "nobody was told")
        clock.advance(by: .milliseconds(10_001))
        #expect(cluster.members(of: "g") == [])
        #expect(cluster.count(.sessionTimeout) == 1)
    }

    @Test("a process that dies inside a rebalance does nothing of what it would have done")
    func inListener() throws {
        let process = cluster.process("a")
        let listener = Helpless()
        let consumer = try process.makeConsumer(group: "g", isolation: .readCommitted, clientId: "a")
        listener.consumer = consumer
        try consumer.subscribe(to: "t", listener: listener)
        consumer.poll()
        let b = try stage.member(cluster.process("b"))
        // The poll, then the call inside `revoked`.
        process.die(afterCalls: 1, .beforeEffect)
        consumer.poll()
        #expect(listener.said == ["done", "_DEAD"])
        b.consumer.poll()
        #expect(b.takeNotes() == ["+"], "nothing was given up")
        clock.advance(by: .milliseconds(10_001))
        b.consumer.poll()
        #expect(b.takeNotes() == ["+0,1"])
    }

    /// Does what it is told to, and notes what came of it.
    private final class Helpless: RebalanceListener {
        var consumer: (any Consumer)?
        private(set) var said: [String] = []

        func assigned(_ partitions: [TopicPartition]) {
            said.append(outcome { try consumer?.incrementalAssign(partitions.map { ($0, .earliest) }) })
        }

        func revoked(_ partitions: [TopicPartition]) {
            said.append(outcome { try consumer?.incrementalUnassign(partitions) })
        }

        func lost(_ partitions: [TopicPartition]) { revoked(partitions) }
    }

    @Test("who is stopped for less than a session stays a member, and for more becomes a zombie", arguments: [9, 11])
    func stopped(seconds: Int) throws {
        let process = cluster.process("stopped")
        let stopped = try stage.member(process)
        stopped.consumer.poll()
        let producer = try stage.open(in: process)
        try producer.produce("t", 0, "by a zombie")
        let other = try stage.member(cluster.process("other"))
        let isZombie = seconds > 10
        process.stop()
        clock.advance(by: .seconds(seconds))
        other.consumer.poll()
        #expect(other.takeNotes() == (isZombie ? ["+0,1"] : []), "the group waits for a member")
        process.resume()
        #expect(stopped.consumer.groupMetadata() != nil, "it knows of nothing")
        let send = { try producer.sendOffset(stage.place, 1, stopped.consumer.groupMetadata()) }
        #expect(outcome(send) == (isZombie ? "fenced _FENCED" : "done"))
        stopped.consumer.poll()
        #expect(stopped.takeNotes() == (isZombie ? ["+0,1", "!0,1"] : ["+0,1", "-1"]))
        #expect(cluster.count(.zombie) == (isZombie ? 1 : 0))
    }

    @Test("a zombie's offsets are refused although its producer is as good as ever")
    func zombie() throws {
        let stage = Stage { $0.transactionTimeout = .seconds(60) }
        let process = stage.cluster.process("zombie")
        let zombie = try stage.member(process)
        zombie.consumer.poll()
        let producer = try stage.open(in: process)
        try producer.produce("t", 0, "a")
        process.stop()
        stage.clock.advance(by: .seconds(20))
        process.resume()
        let send = { try producer.sendOffset(stage.place, 1, zombie.consumer.groupMetadata()) }
        #expect(outcome(send) == "abortable UNKNOWN_MEMBER_ID")
        #expect(stage.cluster.count(.staleOffsets) == 1)
    }

    @Test("a pause in a call lets time pass without heartbeats, before the effect or after it")
    func pauseInCall() throws {
        for moment in [FaultMoment.beforeEffect, .afterEffect] {
            let stage = Stage { $0.transactionTimeout = .seconds(60) }
            let process = stage.cluster.process("p")
            let member = try stage.member(process)
            member.consumer.poll()
            let producer = try stage.open(in: process)
            try producer.produce("t", 0, "a")
            stage.cluster.plan(.order(.pause, .seconds(11), at: .transactional(.sendOffsets), moment, of: "p"))
            let send = { try producer.sendOffset(stage.place, 1, member.consumer.groupMetadata()) }
            let expected = moment == .beforeEffect ? "abortable UNKNOWN_MEMBER_ID" : "done"
            #expect(stage.cluster.timed(send) == "\(expected) after 11000 ms")
            #expect(stage.cluster.members(of: "g") == [])
            #expect(!process.isStopped)
        }
    }

    @Test("a plan kills a process in a call")
    func planned() throws {
        let process = cluster.process("p")
        let producer = try stage.open(in: process)
        try producer.produce("t", 0, "a")
        cluster.plan(.order(.crash, at: .transactional(.commit), .afterEffect))
        #expect(outcome { try producer.commit() } == "fatal _DEAD")
        #expect(cluster.contents("t") == ["0/0=a"])
        #expect(cluster.count(.crash) == 1)
    }

    @Test("who is not polled for max.poll.interval.ms leaves, and is told in its next poll")
    func pollInterval() throws {
        let member = try stage.member(cluster.process("slow"))
        member.consumer.poll()
        clock.advance(by: .seconds(300))
        #expect(cluster.members(of: "g").count == 1, "its heartbeats go on")
        clock.advance(by: .milliseconds(1))
        #expect(cluster.members(of: "g") == [])
        let batch = member.consumer.poll()
        #expect(batch.failures.map(\.name) == ["_MAX_POLL_EXCEEDED"])
        #expect(member.takeNotes() == ["+0,1", "!0,1"])
        #expect(cluster.count(.pollIntervalExceeded) == 1)
        member.consumer.poll()
        #expect(member.takeNotes() == ["+0,1"])
    }

    @Test("each process has a clock of its own, whose monotonic time never jumps")
    func clocks() {
        let (right, wrong) = (cluster.process("right"), cluster.process("wrong"))
        wrong.clock.skew(by: .seconds(-90))
        let monotonic = wrong.clock.monotonic()
        #expect(wrong.clock.wall() == right.clock.wall() - .seconds(90))
        wrong.clock.jump(by: .seconds(3_600))
        #expect(wrong.clock.wall() == right.clock.wall() + .seconds(3_510))
        #expect(wrong.clock.monotonic() == monotonic)
        right.clock.tick = .milliseconds(2)
        #expect(right.clock.monotonic() - right.clock.monotonic() == .milliseconds(-2))
        #expect(cluster.happened.map { $0.kind } == [.clockJump, .clockSkew])
    }

    @Test("work in the background is done at once, or by a later poll, in order, and never by a dead process")
    func background() throws {
        let process = cluster.process("p")
        let background = process.makeBackground()
        let done = Mutex<[Int]>([])
        func ask(_ number: Int) { background.run(isUrgent: false) { done.withLock { $0.append(number) } } }
        ask(1)
        cluster.plan(.order(.lateInquiry, .seconds(1)), .order(.lateInquiry, .seconds(9)))
        ask(2)
        #expect(done.withLock { $0 } == [1])
        let member = try stage.member(process)
        member.consumer.poll()
        #expect(done.withLock { $0 } == [1])
        clock.advance(by: .seconds(1))
        member.consumer.poll()
        #expect(done.withLock { $0 } == [1, 2])
        ask(3)
        ask(4)
        #expect(done.withLock { $0 } == [1, 2], "none overtakes another")
        process.die()
        clock.advance(by: .seconds(9))
        member.consumer.poll()
        background.close { done.withLock { $0.append(5) } }
        #expect(done.withLock { $0 } == [1, 2])
    }

    @Test("the instance of a name gets its partitions back at once, and its predecessor is fenced")
    func instances() throws {
        func join(_ name: String) throws -> Member {
            let consumer = try cluster.process(name).makeMember(of: "g", instance: "i", clientId: name)
            return try Member(consumer)
        }
        let first = try join("first")
        let other = try stage.member(cluster.process("other"))
        for _ in 0..<3 {
            first.consumer.poll()
            other.consumer.poll()
        }
        let generation = cluster.generation(of: "g")
        let second = try join("second")
        second.consumer.poll()
        #expect(second.takeNotes() == ["+0"])
        #expect(cluster.generation(of: "g") == generation)
        #expect(first.consumer.poll().failures.map(\.name) == ["FENCED_INSTANCE_ID"])
        second.consumer.close()
        #expect(second.takeNotes() == ["-0"])
        clock.advance(by: .seconds(10))
        other.consumer.poll()
        #expect(other.takeNotes().last == "+1", "its place is kept")
        let third = try join("third")
        third.consumer.poll()
        #expect(third.takeNotes() == ["+0"])
        third.consumer.close()
        clock.advance(by: .milliseconds(10_001))
        other.consumer.poll()
        #expect(other.takeNotes() == ["+0"])
    }
}
