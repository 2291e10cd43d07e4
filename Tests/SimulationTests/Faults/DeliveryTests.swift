import RecordLog
import Simulation
import Testing

@Suite("Records that are on their way")
struct DeliveryTests {
    let stage = Stage()
    var cluster: MemoryCluster { stage.cluster }
    var clock: ManualClock { stage.clock }

    @Test("a late record and those behind it are written in order when its time is over")
    func late() throws {
        let producer = try stage.open()
        cluster.plan(.order(.lateDelivery, .seconds(2)))
        try producer.produce("t", 0, "a")
        try producer.produce("t", 1, "b")
        #expect(cluster.requestsUnderWay == 2)
        #expect(cluster.openTransactions == [], "the coordinator knows of nothing")
        clock.advance(by: .milliseconds(1_999))
        #expect(cluster.contents("t", .readUncommitted) == [])
        clock.advance(by: .milliseconds(1))
        #expect(cluster.contents("t", .readUncommitted) == ["0/0=a", "1/0=b"])
        try producer.commit()
        #expect(cluster.contents("t") == ["0/0=a", "1/0=b"])
    }

    @Test("a commit flushes: it waits for late records, and after its time-out the same call goes on waiting")
    func flush() throws {
        let producer = try stage.open()
        cluster.plan(.order(.lateDelivery, .seconds(3)))
        try producer.produce("t", 0, "a")
        #expect(cluster.timed { try producer.commit() } == "retriable _TIMED_OUT after 1000 ms")
        #expect(outcome { try producer.commit() } == "retriable _TIMED_OUT")
        #expect(outcome { try producer.commit() } == "done")
        #expect(cluster.contents("t") == ["0/0=a"])
    }

    @Test(
        "a record that is refused later fails the transaction at the next call, whichever it is",
        arguments: ["produce", "sendOffsets", "commit"])
    func refused(call: String) throws {
        let member = try Member(cluster, "m")
        member.consumer.poll()
        let producer = try stage.open()
        cluster.plan(.order(.failedDelivery, .seconds(1)))
        try producer.produce("t", 0, "a")
        try producer.produce("t", 0, "b")
        clock.advance(by: .seconds(1))
        let result = outcome {
            switch call {
            case "produce": try producer.produce("t", 0, "c")
            case "sendOffsets": try producer.sendOffset(stage.place, 1, member.consumer.groupMetadata())
            default: try producer.commit()
            }
        }
        #expect(result == "abortable INVALID_RECORD")
        #expect(outcome { try producer.commit() } == "abortable INVALID_RECORD")
        try producer.abort()
        try producer.begin()
        try producer.produce("t", 0, "again")
        try producer.commit()
        #expect(cluster.contents("t").map { $0.split(separator: "=")[1] } == ["again"])
    }

    @Test("a record that is refused before the next call is noticed in the commit's flush as well")
    func refusedInFlush() throws {
        let producer = try stage.open()
        cluster.plan(.order(.failedDelivery, .milliseconds(500)))
        try producer.produce("t", 0, "a")
        #expect(cluster.timed { try producer.commit() } == "abortable INVALID_RECORD after 500 ms")
    }

    @Test("a record that the client gives up is told by the commit alone")
    func expired() throws {
        let producer = try stage.open()
        cluster.plan(.order(.expiredDelivery, .milliseconds(500)))
        try producer.produce("t", 0, "a")
        clock.advance(by: .seconds(1))
        try producer.produce("t", 0, "b")
        #expect(outcome { try producer.commit() } == "abortable _MSG_TIMED_OUT")
        try producer.abort()
        #expect(cluster.contents("t") == [])
        #expect(cluster.openTransactions == [])
    }

    @Test("an abort purges what is on its way")
    func purge() throws {
        let producer = try stage.open()
        cluster.plan(.order(.lateDelivery, .seconds(2)))
        try producer.produce("t", 0, "a")
        try producer.abort()
        #expect(cluster.requestsUnderWay == 0)
        clock.advance(by: .seconds(5))
        #expect(cluster.contents("t", .readUncommitted) == [])
        #expect(cluster.counters.transactionsAborted == 0, "the coordinator never knew of it")
    }

    @Test("a late record of a fenced producer is not written, and its commit says why")
    func fenced() throws {
        let producer = try stage.open()
        cluster.plan(.order(.lateDelivery, .milliseconds(500)))
        try producer.produce("t", 0, "a")
        _ = try cluster.producer("id")
        #expect(outcome { try producer.commit() } == "fenced _FENCED")
        #expect(cluster.contents("t", .readUncommitted) == [])
    }

    @Test("a transaction that timed out after its records had arrived late does not commit")
    func timedOut() throws {
        let producer = try stage.open()
        cluster.plan(.order(.lateDelivery, .seconds(1)))
        try producer.produce("t", 0, "a")
        clock.advance(by: .seconds(11))
        #expect(cluster.openTransactions == ["id"], "its time begins with the arrival")
        clock.advance(by: .milliseconds(1))
        #expect(outcome { try producer.commit() } == "fenced _FENCED")
        #expect(cluster.contents("t") == [])
        #expect(cluster.count(.transactionTimeout) == 1)
    }

    // MARK: - Producers that are gone

    private func destroyedWithRecords(_ survival: Plan.Order?) throws -> any TransactionalProducer {
        let producer = try stage.open()
        try producer.produce("t", 0, "first")
        if let survival {
            cluster.plan(.order(.lateDelivery, .seconds(1)), survival)
        } else {
            cluster.plan(.order(.lateDelivery, .seconds(1)))
        }
        try producer.produce("t", 0, "second")
        return producer
    }

    @Test("records on their way are dropped with their producer")
    func dropped() throws {
        try destroyedWithRecords(nil).destroy()
        clock.advance(by: .seconds(5))
        #expect(cluster.contents("t", .readUncommitted) == ["0/0=first"])
    }

    @Test("a request that outlives its producer is written into the transaction that it left open")
    func survives() throws {
        try destroyedWithRecords(.order(.survivingRequest, .seconds(2))).destroy()
        clock.advance(by: .seconds(2))
        #expect(cluster.contents("t", .readUncommitted) == ["0/0=first", "0/1=second"])
        #expect(cluster.count(.requestAfterDestroy) == 1)
        _ = try cluster.producer("id")
        #expect(cluster.contents("t") == [])
    }

    @Test("an initialise of its id keeps it out for ever")
    func epoch() throws {
        try destroyedWithRecords(.order(.survivingRequest, .seconds(2))).destroy()
        let heir = try cluster.producer("id")
        try heir.begin()
        try heir.produce("t", 0, "third")
        clock.advance(by: .seconds(2))
        try heir.commit()
        #expect(cluster.contents("t") == ["0/2=third"])
        #expect(cluster.count(.requestAfterEpoch) == 1)
        #expect(cluster.count(.requestAfterDestroy) == 0)
    }

    @Test("of a partition that was not part of the transaction, a dead client only registers it")
    func registered() throws {
        let process = cluster.process("p")
        let producer = try stage.open(in: process)
        cluster.plan(.order(.lateDelivery, .seconds(1)), .order(.survivingRequest, .seconds(2)))
        try producer.produce("t", 0, "a")
        process.die()
        clock.advance(by: .seconds(2))
        #expect(cluster.contents("t", .readUncommitted) == [])
        #expect(cluster.openTransactionDetails.map(\.partitions) == [[stage.place]])
        clock.advance(by: .seconds(11))
        #expect(cluster.openTransactions == [])
    }
}
