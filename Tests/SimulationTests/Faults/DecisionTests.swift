import RecordLog
import Simulation
import Testing

@Suite("Decisions and markers that come late")
struct DecisionTests {
    let stage = Stage()
    var cluster: MemoryCluster { stage.cluster }
    var clock: ManualClock { stage.clock }

    private func written(_ id: String = "id", in process: MemoryProcess? = nil) throws -> any TransactionalProducer {
        let producer = try stage.open(id, in: process)
        try producer.produce("t", 0, "a")
        return producer
    }

    // MARK: - Decisions

    @Test("a commit whose decision comes in time takes that time")
    func inTime() throws {
        let producer = try written()
        cluster.plan(.order(.lateDecision, .milliseconds(700)))
        #expect(cluster.timed { try producer.commit() } == "done after 700 ms")
        #expect(cluster.contents("t") == ["0/0=a"])
    }

    @Test("a commit whose decision comes later is unknown, and the same call waits for it")
    func later() throws {
        let producer = try written()
        cluster.plan(.order(.lateDecision, .milliseconds(1_500)))
        #expect(cluster.timed { try producer.commit() } == "retriable _TIMED_OUT after 1000 ms")
        #expect(cluster.contents("t") == [])
        #expect(cluster.timed { try producer.commit() } == "done after 500 ms")
        #expect(cluster.contents("t") == ["0/0=a"])
        try producer.begin()
        try producer.produce("t", 0, "b")
        try producer.commit()
        #expect(cluster.contents("t") == ["0/0=a", "0/2=b"])
    }

    @Test("a late abort is waited for as well")
    func lateAbort() throws {
        let producer = try written()
        cluster.plan(.order(.lateDecision, .milliseconds(1_500), at: .transactional(.abort)))
        #expect(cluster.timed { try producer.abort() } == "retriable _TIMED_OUT after 1000 ms")
        #expect(cluster.openTransactions == ["id"])
        #expect(cluster.timed { try producer.abort() } == "done after 500 ms")
        #expect(cluster.openTransactions == [])
    }

    /// A call that fails after it has sent its decision.
    private func losesAnswer(of call: TransactionalCall, _ producer: any TransactionalProducer) {
        let lost = LogError(.timedOut, name: "LOST", "no answer", isRetriable: true)
        cluster.inject(.retriable(lost), into: call, .afterEffect)
        cluster.plan(.order(.lateDecision, .milliseconds(700), at: .transactional(call)))
        let first = { call == .commit ? try producer.commit() : try producer.abort() }
        #expect(cluster.timed(first) == "retriable LOST after 0 ms")
        #expect(cluster.timed(first) == "done after 700 ms", "the same decision is waited for")
    }

    @Test("a late decision whose call failed is sent once and ends no later transaction", arguments: [true, false])
    func sentOnce(commits: Bool) throws {
        let producer = try written()
        losesAnswer(of: commits ? .commit : .abort, producer)
        try producer.begin()
        try producer.produce("t", 0, "b")
        clock.advance(by: .seconds(2))
        #expect(cluster.openTransactions == ["id"])
        try producer.commit()
        #expect(cluster.contents("t") == (commits ? ["0/0=a", "0/2=b"] : ["0/2=b"]))
    }

    @Test("an abort after a late commit waits for it, and is refused since it took place")
    func abortAfterLateCommit() throws {
        let producer = try written()
        cluster.plan(.order(.lateDecision, .milliseconds(1_500)))
        #expect(outcome { try producer.commit() } == "retriable _TIMED_OUT")
        cluster.inject(.abortable(LogError(.other, name: "TEST", "")), into: .commit)
        #expect(outcome { try producer.commit() } == "abortable TEST")
        #expect(cluster.timed { try producer.abort() } == "fatal INVALID_TXN_STATE after 500 ms")
        #expect(cluster.contents("t") == ["0/0=a"])
    }

    @Test("a decision that is lost never comes, and the coordinator's time-out ends the transaction")
    func lost() throws {
        let producer = try written()
        cluster.plan(.order(.lostDecision))
        for _ in 0..<11 { #expect(cluster.timed { try producer.commit() } == "retriable _TIMED_OUT after 1000 ms") }
        #expect(cluster.openTransactions == [])
        #expect(cluster.contents("t") == [])
        producer.destroy()
        try written().commit()
        #expect(cluster.contents("t").count == 1)
    }

    @Test("a commit that is on its way when its producer is destroyed takes effect", arguments: [true, false])
    func afterDestroy(initialises: Bool) throws {
        let producer = try written()
        cluster.plan(.order(.lateDecision, .seconds(2)))
        #expect(outcome { try producer.commit() } == "retriable _TIMED_OUT")
        producer.destroy()
        if initialises { _ = try cluster.producer("id") }
        clock.advance(by: .seconds(1))
        #expect(cluster.contents("t") == (initialises ? [] : ["0/0=a"]), "unless a newer epoch is there before it")
        #expect(cluster.count(.requestAfterDestroy) == (initialises ? 0 : 1))
        #expect(cluster.count(.requestAfterEpoch) == (initialises ? 1 : 0))
        _ = try cluster.producer("id")
        #expect(cluster.contents("t") == (initialises ? [] : ["0/0=a"]))
    }

    @Test("a commit that is on its way when its process dies takes effect, too")
    func afterDeath() throws {
        let process = cluster.process("p")
        let producer = try written(in: process)
        cluster.plan(.order(.lateDecision, .seconds(2)))
        process.die(afterCalls: 0, .afterEffect)
        #expect(cluster.timed { try producer.commit() } == "fatal _DEAD after 1000 ms")
        clock.advance(by: .seconds(1))
        #expect(cluster.contents("t") == ["0/0=a"])
    }

    // MARK: - Markers

    @Test("between decision and markers nobody sees the transaction, and its offsets are unstable")
    func lateMarkers() throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        let producer = try written()
        try producer.sendOffset(stage.place, 7, member.consumer.groupMetadata())
        cluster.plan(.order(.lateMarkers, .seconds(2)))
        #expect(cluster.timed { try producer.commit() } == "done after 0 ms")
        #expect(cluster.contents("t") == [])
        #expect(cluster.openTransactionDetails.map(\.isDecided) == [true])
        let committed = { _ = try member.consumer.committed([stage.place], timeout: .zero) }
        #expect(outcome(committed) == "_TIMED_OUT")
        clock.advance(by: .seconds(2))
        #expect(cluster.contents("t") == ["0/0=a"])
        #expect(outcome(committed) == "done")
    }

    @Test("the next transaction's records wait in the client until the markers of the last one are written")
    func concurrentProduce() throws {
        let producer = try written()
        cluster.plan(.order(.lateMarkers, .milliseconds(400)))
        try producer.commit()
        try producer.begin()
        try producer.produce("t", 0, "b")
        #expect(cluster.contents("t", .readUncommitted) == ["0/0=a"])
        #expect(cluster.count(.concurrentTransactions) == 1)
        #expect(cluster.timed { try producer.commit() } == "done after 400 ms")
        #expect(cluster.contents("t") == ["0/0=a", "0/2=b"])
    }

    @Test("offsets without records wait for the markers within their call, and may be repeated")
    func concurrentOffsets() throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        let producer = try written()
        cluster.plan(.order(.lateMarkers, .milliseconds(1_400)))
        try producer.commit()
        try producer.begin()
        let send = { try producer.sendOffset(stage.place, 7, member.consumer.groupMetadata()) }
        #expect(cluster.timed(send) == "retriable CONCURRENT_TRANSACTIONS after 1000 ms")
        #expect(cluster.timed(send) == "done after 400 ms")
    }

    @Test("an initialise waits for the markers of what it aborts or finds decided", arguments: [true, false])
    func concurrentInitialise(commits: Bool) throws {
        let producer = try written()
        cluster.plan(.order(.lateMarkers, .milliseconds(1_400)))
        if commits { try producer.commit() }
        let heir = try cluster.makeTransactionalProducer(transactionalId: "id", clientId: "heir")
        let initialise = { try heir.initialise(timeout: .seconds(1)) }
        #expect(cluster.timed(initialise) == "retriable CONCURRENT_TRANSACTIONS after 1000 ms")
        #expect(cluster.timed(initialise) == "done after 400 ms")
        #expect(cluster.contents("t") == (commits ? ["0/0=a"] : []))
        try heir.begin()
        try heir.produce("t", 0, "b")
        try heir.commit()
        #expect(cluster.contents("t") == (commits ? ["0/0=a", "0/2=b"] : ["0/2=b"]))
    }

    @Test("an initialise that is not finished fences the older producer already")
    func fencesAtOnce() throws {
        let producer = try written()
        cluster.plan(.order(.lateMarkers, .seconds(5)))
        let heir = try cluster.makeTransactionalProducer(transactionalId: "id", clientId: "heir")
        #expect(outcome { try heir.initialise(timeout: .seconds(1)) } == "retriable CONCURRENT_TRANSACTIONS")
        #expect(outcome { try producer.commit() } == "fenced _FENCED")
    }

    @Test("a cluster whose calls do not wait says at once what they would wait for")
    func atOnce() throws {
        let stage = Stage(callsWait: false)
        let producer = try stage.open()
        try producer.produce("t", 0, "a")
        stage.cluster.plan(.order(.lateMarkers, .seconds(1)))
        try producer.commit()
        let heir = try stage.cluster.makeTransactionalProducer(transactionalId: "id", clientId: "heir")
        let initialise = { try heir.initialise(timeout: .seconds(1)) }
        #expect(stage.cluster.timed(initialise) == "retriable CONCURRENT_TRANSACTIONS after 0 ms")
        stage.clock.advance(by: .seconds(1))
        #expect(stage.cluster.timed(initialise) == "done after 0 ms")
    }
}
