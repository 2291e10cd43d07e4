import RecordLog
import Simulation
import Testing

@Suite("Transactions")
struct TransactionTests {
    let clock = ManualClock()
    let cluster: MemoryCluster
    let place = TopicPartition("t", 0)

    init() {
        cluster = MemoryCluster(clock: clock, transactionTimeout: .seconds(10))
        cluster.createTopic("t", partitions: 2)
    }

    @Test("read_committed stops at the last stable offset and leaves out what was aborted")
    func isolation() throws {
        let first = try cluster.producer("first")
        let second = try cluster.producer("second")
        try first.begin()
        try first.produce("t", 0, "open")
        try second.begin()
        try second.produce("t", 0, "aborted")
        try second.abort()
        cluster.append("t", 0, key: "k", value: "plain")
        let committed = try cluster.reader()
        let uncommitted = try cluster.reader(.readUncommitted)
        try committed.assign("t", 0)
        try uncommitted.assign("t", 0)
        #expect(committed.poll() == Polled(records: [], ends: ["0/0"], failures: [], rebalanced: false))
        #expect(uncommitted.poll().records == ["0/0=open", "0/1=aborted", "0/3=plain"])
        #expect(try committed.watermarks(of: place, timeout: .zero).high == Offset(0))
        #expect(try uncommitted.watermarks(of: place, timeout: .zero).high == Offset(4))
        try first.commit()
        #expect(
            committed.poll()
                == Polled(
                    records: ["0/0=open", "0/3=plain"], ends: ["0/5"], failures: [], rebalanced: false))
        #expect(cluster.contents("t") == ["0/0=open", "0/3=plain"])
        #expect(cluster.counters.transactionsCommitted == 1)
        #expect(cluster.counters.transactionsAborted == 1)
    }

    @Test("initialise aborts what the same id left open and fences its older producer for ever")
    func fencing() throws {
        let old = try cluster.producer("id")
        try old.begin()
        try old.produce("t", 0, "lost")
        let new = try cluster.producer("id")
        #expect(cluster.openTransactions == [])
        #expect(outcome { try old.produce("t", 0, "late") } == "fenced _FENCED")
        #expect(outcome { try old.commit() } == "fenced _FENCED")
        #expect(outcome { try old.abort() } == "fenced _FENCED")
        #expect(outcome { try old.begin() } == "fenced _FENCED")
        old.destroy()
        try new.begin()
        try new.produce("t", 0, "kept")
        try new.commit()
        #expect(cluster.contents("t") == ["0/2=kept"])
        #expect(cluster.counters.fencedCalls == 1, "the others did not ask the coordinator any more")
    }

    @Test("a producer that was destroyed leaves its transaction open until its id initialises")
    func crash() throws {
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.produce("t", 0, "lost")
        producer.destroy()
        #expect(cluster.openTransactions == ["id"])
        _ = try cluster.producer("another")
        #expect(cluster.openTransactions == ["id"])
        _ = try cluster.producer("id")
        #expect(cluster.openTransactions == [])
        #expect(cluster.contents("t") == [])
    }

    @Test("a transaction that lasts too long is aborted by the coordinator, and its producer fenced")
    func timeout() throws {
        let slow = try cluster.producer("slow")
        try slow.begin()
        clock.advance(by: .seconds(60))
        try slow.produce("t", 0, "lost")
        clock.advance(by: .seconds(10))
        #expect(cluster.openTransactions == ["slow"], "its time begins with its first record")
        clock.advance(by: .milliseconds(1))
        #expect(cluster.openTransactions == [])
        #expect(outcome { try slow.commit() } == "fenced _FENCED")
        #expect(cluster.contents("t") == [])
        #expect(cluster.counters.transactionsTimedOut == 1)
    }

    @Test("an empty transaction ends without the coordinator, even of a fenced producer")
    func emptyTransaction() throws {
        let old = try cluster.producer("id")
        try old.begin()
        _ = try cluster.producer("id")
        #expect(outcome { try old.commit() } == "done")
        #expect(cluster.counters.transactionsCommitted == 0)
    }

    @Test("a record that the broker refuses leaves only abort")
    func refusedRecords() throws {
        cluster.createTopic("small", partitions: 1, settings: [.init("max.message.bytes", "10")])
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.produce("small", 0, key: "12345", "67890")
        #expect(outcome { try producer.produce("small", 0, key: "12345", "678901") } == "abortable MSG_SIZE_TOO_LARGE")
        #expect(outcome { try producer.produce("t", 0, "fits") } == "abortable MSG_SIZE_TOO_LARGE")
        #expect(outcome { try producer.commit() } == "abortable MSG_SIZE_TOO_LARGE")
        try producer.abort()
        try producer.begin()
        #expect(outcome { try producer.produce("none", 0, "x") } == "abortable UNKNOWN_TOPIC_OR_PART")
        try producer.abort()
        #expect(cluster.contents("small") == [])
    }

    @Test("markers that come late keep the end stable where it was until they are there")
    func delayedMarkers() throws {
        cluster.delaysMarkers = true
        let producer = try cluster.producer("id")
        try producer.begin()
        try producer.produce("t", 0, "a")
        try producer.commit()
        let admin = try cluster.makeAdmin()
        func end(_ isolation: IsolationLevel) throws -> Offset? {
            try admin.endOffsets(of: [place], isolation: isolation, timeout: .zero)[place]
        }
        #expect(try end(.readCommitted) == Offset(0), "committed, and not to be seen")
        #expect(try end(.readUncommitted) == Offset(1))
        clock.advance(by: .seconds(60))
        #expect(cluster.contents("t") == [], "what is decided does not time out")
        try producer.begin()
        try producer.produce("t", 0, "b")
        #expect(cluster.contents("t") == ["0/0=a"], "the same id waits for its own markers")
        try producer.commit()
        cluster.delaysMarkers = false
        #expect(cluster.contents("t") == ["0/0=a", "0/2=b"])
        #expect(try end(.readCommitted) == Offset(4))
    }

    @Test("keys decide by Java's murmur2 in every producer")
    func partitioner() throws {
        cluster.createTopic("wide", partitions: 16)
        let producer = try cluster.producer("id")
        try producer.begin()
        let placed = cluster.appendKeyed("wide", key: "vehicle-7", value: "plain")
        try producer.produce("wide", nil, key: "vehicle-7", "transactional")
        try producer.commit()
        let expected = Murmur2.partition(of: "vehicle-7", partitions: 16)
        #expect(placed.partition == expected && placed.offset == Offset(0))
        #expect(cluster.records("wide").map(\.partition) == [expected, expected])
    }
}
