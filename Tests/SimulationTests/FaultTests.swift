import RecordLog
import Simulation
import Testing

@Suite("Faults that a test orders")
struct FaultTests {
    let cluster = MemoryCluster()

    init() {
        cluster.createTopic("t", partitions: 1)
    }

    @Test("a commit whose answer is lost has happened, and the same call again says so")
    func lostAnswer() throws {
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.produce("t", 0, "a")
        let fault = cluster.inject(.retriable(timedOut), into: .commit, .afterEffect)
        #expect(outcome { try producer.commit() } == "retriable _TIMED_OUT")
        #expect(cluster.contents("t") == ["0/0=a"])
        #expect(outcome { try producer.commit() } == "done")
        #expect(cluster.counters.transactionsCommitted == 1)
        #expect(cluster.timesFired(fault) == 1)
    }

    @Test("a commit whose request is lost has not happened, and the next initialise aborts it")
    func lostRequest() throws {
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.produce("t", 0, "a")
        cluster.inject(.retriable(timedOut), into: .commit, times: 2)
        #expect(outcome { try producer.commit() } == "retriable _TIMED_OUT")
        #expect(outcome { try producer.commit() } == "retriable _TIMED_OUT")
        producer.destroy()
        _ = try cluster.producer("id")
        #expect(cluster.contents("t") == [])
        #expect(cluster.pendingFaults == [])
    }

    @Test("every transactional call fails as ordered", arguments: [FaultMoment.beforeEffect, .afterEffect])
    func transactionalCalls(moment: FaultMoment) throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        let error = LogError(.other, name: "ORDERED", "as ordered")
        let producer = try cluster.makeTransactionalProducer(transactionalId: "id", clientId: "c")
        func fails(_ call: TransactionalCall, _ failure: TransactionError, _ body: () throws -> Void) -> String {
            let fault = cluster.inject(failure, into: call, moment)
            defer { #expect(cluster.timesFired(fault) == 1) }
            return outcome(body)
        }
        let initialise = { try producer.initialise(timeout: .zero) }
        #expect(fails(.initialise, .retriable(error), initialise) == "retriable ORDERED")
        try initialise()
        try producer.begin()
        #expect(fails(.produce, .retriable(error)) { try producer.produce("t", 0, "a") } == "retriable ORDERED")
        #expect(cluster.contents("t", .readUncommitted).count == (moment == .afterEffect ? 1 : 0))
        let place = TopicPartition("t", 0)
        let send = { try producer.sendOffset(place, 1, member.consumer.groupMetadata()) }
        #expect(fails(.sendOffsets, .abortable(error), send) == "abortable ORDERED")
        #expect(outcome { try producer.commit() } == "abortable ORDERED")
        #expect(fails(.abort, .retriable(error)) { try producer.abort() } == "retriable ORDERED")
        try producer.abort()
        try producer.begin()
        try producer.produce("t", 0, "b")
        #expect(fails(.commit, .fatal(error)) { try producer.commit() } == "fatal ORDERED")
        #expect(outcome { try producer.begin() } == "fatal ORDERED", "for ever")
        #expect(cluster.contents("t").count == (moment == .afterEffect ? 1 : 0))
        #expect(cluster.committedOffsets(of: "g") == [:])
    }

    @Test("a poll that fails before its effect leaves all as it was; after it, the records are there as well")
    func polls() throws {
        cluster.append("t", 0, key: "k", value: "a")
        let reader = try cluster.reader()
        try reader.assign("t", 0)
        cluster.inject(timedOut, into: .poll)
        #expect(reader.poll() == Polled(records: [], ends: [], failures: [timedOut], rebalanced: false))
        cluster.inject(timedOut, into: .poll, .afterEffect)
        #expect(reader.poll() == Polled(records: ["0/0=a"], ends: ["0/1"], failures: [timedOut], rebalanced: false))
    }

    @Test("only the client that was named fails, as often as ordered, until the order is taken back")
    func clients() throws {
        let member = try Member(cluster, "named")
        let other = try Member(cluster, "other")
        let place = TopicPartition("t", 0)
        let fault = cluster.inject(timedOut, into: .committed, times: 3, client: "named")
        for _ in 0..<2 {
            #expect(outcome { _ = try member.consumer.committed([place], timeout: .zero) } == "_TIMED_OUT")
            #expect(outcome { _ = try other.consumer.committed([place], timeout: .zero) } == "done")
        }
        #expect(cluster.timesFired(fault) == 2)
        #expect(cluster.pendingFaults == [fault])
        cluster.cancelFaults()
        #expect(outcome { _ = try member.consumer.committed([place], timeout: .zero) } == "done")
        #expect(cluster.pendingFaults == [])
    }

    @Test("the other ports fail as ordered, too")
    func otherPorts() throws {
        let place = TopicPartition("t", 0)
        let admin = try cluster.makeAdmin()
        let reader = try cluster.reader()
        let plain = try cluster.makePlainProducer(clientId: "p")
        try reader.assign("t", 0)
        reader.poll()
        let new = NewTopic(name: "new", partitions: 1)
        let calls: [(LogCall, () throws -> Void)] = [
            (.watermarks, { _ = try reader.watermarks(of: place, timeout: .zero) }),
            (.seek, { _ = try reader.seek([(place, Offset(0))], timeout: .zero) }),
            (.plainProduce, { try plain.produce(topic: "t", partition: 0, key: nil, value: nil, headers: []) }),
            (.connect, { try admin.connect(timeout: .zero) }),
            (.describeTopics, { _ = try admin.describeTopics(["t"], timeout: .zero) }),
            (.createTopic, { try admin.createTopic(new, timeout: .zero) }),
            (.deleteRecords, { try admin.deleteRecords(before: [(place, Offset(0))], timeout: .zero) }),
            (.endOffsets, { _ = try admin.endOffsets(of: [place], isolation: .readCommitted, timeout: .zero) }),
            (.committedOffsets, { _ = try admin.committedOffsets(group: "g", partitions: [place], timeout: .zero) }),
        ]
        for (call, body) in calls {
            cluster.inject(timedOut, into: call)
            #expect(outcome(body) == "_TIMED_OUT", "\(call)")
            #expect(outcome(body) == "done", "\(call)")
        }
    }
}
