import RecordLog
import Simulation
import Sinks
import Testing

@Suite("A sink that keeps its positions in one transaction with what it writes")
struct TransactionalSinkTests {
    private let cluster = MemoryCluster()
    private let sink = TransactionalSink()
    private let fault = SinkFault(place: "there", operation: "write to", reason: "full")

    init() {
        cluster.createTopic("timelines", partitions: 1)
        for (id, revision) in [("a", 1), ("a", 2), ("b", 1)] { append(id, revision) }
    }

    private func append(_ id: String, _ revision: Int) {
        cluster.appendKeyed("timelines", key: id, value: TimelineSinkContract.timeline(id, revision: revision))
    }

    @discardableResult
    private func run(
        notice: @escaping (SinkNotice) -> Void = { _ in }, stop: @escaping () -> Bool = { false }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        return try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: SteppingClock(), shouldStop: stop,
            notice: notice
        ).run()
    }

    private var committed: [String] { sink.committed.writes.map { "\($0.id)\($0.offset)" } }

    @Test("a batch and its positions are committed together, and no position is kept before")
    func together() throws {
        let summary = try run()
        #expect(committed == ["a1", "b2"] && sink.keeps == 1)
        #expect(sink.committed.positions[0]?.next == Offset(3))
        #expect(summary.written == 2 && summary.superseded == 1)
        #expect(try run().records == 0)
        #expect(committed == ["a1", "b2"])
    }

    @Test("a commit that fails is repeated with the whole batch, and nothing is written twice")
    func commitFails() throws {
        sink.keepFailures = [.unavailable(fault), .unavailable(fault)]
        let summary = try run()
        #expect(committed == ["a1", "b2"] && sink.rollBacks == 2)
        #expect(summary.written == 2 && summary.superseded == 1)
    }

    @Test("a target that comes back with less than it had is told to be there again before it is told to be set back")
    func comesBackEmpty() throws {
        sink.keepFailures = [.unavailable(fault), .setBack(fault)]
        var told: [String] = []
        try run { notice in
            switch notice {
            case .holding: told.append("holding")
            case .resumed: told.append("resumed")
            case .setBack: told.append("set back")
            default: break
            }
        }
        #expect(told == ["holding", "resumed", "set back"])
        #expect(committed == ["a1", "b2"])
    }

    @Test("a write that fails in the middle takes what was written before it along")
    func writeFails() throws {
        sink.writeFailures = ["b": [.unavailable(fault)]]
        let summary = try run()
        #expect(committed == ["a1", "b2"] && sink.rollBacks == 1)
        #expect(summary.written == 2)
    }

    @Test("stopped while it waits, or refused: nothing of the batch is there, and the next run writes it once")
    func interrupted() throws {
        sink.keepFailures = Array(repeating: .unavailable(fault), count: 100)
        let summary = try run(stop: { sink.rollBacks > 0 })
        #expect(summary.wasStopped && summary.written == 0 && committed.isEmpty)
        #expect(sink.committed.positions.isEmpty)
        sink.keepFailures = []
        sink.writeFailures = ["b": [.refused(fault)]]
        #expect(throws: SinkRunError.self) { try run() }
        #expect(committed.isEmpty && sink.committed.positions.isEmpty)
        try run()
        #expect(committed == ["a1", "b2"])
    }

    @Test("a record that cannot be written is left out and told, the others of its batch are written")
    func unusable() throws {
        sink.writeFailures = ["a": [.unusable(BadRecord("bad"))]]
        let summary = try run()
        #expect(committed == ["b2", "a0"] && sink.rollBacks == 0)
        #expect(summary.unusable == 1 && summary.written == 2)
    }

    @Test(
        "in place of records that cannot be written the one before them is committed, with the positions behind all",
        arguments: [0, 2])
    func predecessors(failures: Int) throws {
        append("a", 3)
        append("c", 1)
        append("c", 2)
        sink.refused = ["a1", "a3", "c4", "c5"]
        sink.keepFailures = Array(repeating: .unavailable(fault), count: failures)
        let summary = try run()
        #expect(committed == ["b2", "a0"] && sink.keeps == 1)
        #expect(sink.committed.positions[0]?.next == Offset(6))
        #expect(summary.written == 2 && summary.unusable == 4 && summary.superseded == 0)
    }

    @Test("a record that cannot be written and has a good one behind it gives way to that, as every other")
    func badBeforeGood() throws {
        sink.refused = ["a0"]
        let summary = try run()
        #expect(committed == ["a1", "b2"])
        #expect(summary.written == 2 && summary.unusable == 0 && summary.superseded == 1)
    }
}

/// A sink with transactions, in memory; it fails when it is told to.
private final class TransactionalSink: TimelineSink {
    struct Contents {
        var writes: [(id: String, offset: Offset)] = []
        var positions: [Partition: SinkPosition] = [:]
    }

    let name = "transactional"
    let isTransactional = true
    private(set) var committed = Contents()
    private var open: [(id: String, offset: Offset)] = []
    private(set) var keeps = 0
    private(set) var rollBacks = 0
    var keepFailures: [SinkError] = []
    /// `CONFIGURATION OFFSET`, without the space, of what it never takes.
    var refused: Set<String> = []
    /// By configuration, thrown one after the other.
    var writeFailures: [String: [SinkError]] = [:]

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] { committed.positions }

    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        if var failures = writeFailures[record.configurationId], !failures.isEmpty {
            let failure = failures.removeFirst()
            writeFailures[record.configurationId] = failures
            throw failure
        }
        if refused.contains("\(record.configurationId)\(record.offset)") { throw .unusable(BadRecord("bad")) }
        open.append((record.configurationId, record.offset))
        return .written
    }

    func flush() throws(SinkError) {}

    func rollBack() {
        rollBacks += 1
        open.removeAll()
    }

    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        if !keepFailures.isEmpty { throw keepFailures.removeFirst() }
        keeps += 1
        committed.writes += open
        committed.positions = positions
        open.removeAll()
    }
}
