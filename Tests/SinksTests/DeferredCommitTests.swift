import RecordLog
import Simulation
import SplitMix
import Sinks
import Testing

@Suite("A sink that takes the answer to a commit while the next batch is read")
struct DeferredCommitTests {
    private let cluster = MemoryCluster()
    private let clock = SteppingClock()
    private let sink = DeferringSink()

    init() { cluster.createTopic("timelines", partitions: 1) }

    private func append(_ id: String, _ revision: Int) {
        cluster.appendKeyed("timelines", key: id, value: TimelineSinkContract.timeline(id, revision: revision))
    }

    @discardableResult
    private func run(
        untilCaughtUp: Bool = true, batch: Int = 2, stop: @escaping () -> Bool = { false },
        progress: @escaping (SinkProgress<SinkSummary>) -> Void = { _ in },
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.reading.batchMaximum = batch
        return try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: clock, shouldStop: stop, progress: progress,
            notice: notice
        ).run()
    }

    @Test("the answer to a batch comes when the next one is prepared, and that to the last when nothing more is read")
    func answers() throws {
        for number in 0..<5 { append("c\(number)", 1) }
        let summary = try run()
        #expect(sink.calls == ["commit 2", "answer", "commit 4", "answer", "commit 5", "answer"])
        #expect(summary.written == 5 && sink.positions[0]?.next == Offset(5))
    }

    @Test("nothing is told of a batch before its commit is answered, and an idle source leaves none unanswered")
    func told() throws {
        append("a", 1)
        var rounds = 0
        var progress: [SinkProgress<SinkSummary>] = []
        try run(
            untilCaughtUp: false,
            stop: {
                rounds += 1
                clock.now += .seconds(1)
                if rounds == 2 { #expect(sink.calls == ["commit 1"]) }
                if rounds == 3 { #expect(sink.calls == ["commit 1", "answer"]) }
                return rounds == 4
            }, progress: { progress.append($0) })
        #expect(progress[0].written == nil && progress[0].summary.written == 0 && progress[0].unsettled == 1)
        #expect(progress[0].positions[0] == nil)
        #expect(progress[1].written?.configurationId == "a" && progress[1].positions[0]?.next == Offset(1))
        #expect(progress[1].unsettled == 0)
    }

    @Test("an end in order waits for the last answer")
    func stopped() throws {
        append("a", 1)
        let summary = try run(untilCaughtUp: false, stop: { !sink.calls.isEmpty })
        #expect(sink.calls.prefix(2) == ["commit 1", "answer"] && summary.written == 1)
        #expect(sink.positions[0]?.next == Offset(1))
    }

    @Test(
        "a commit without an answer is sent again with what was read after it, and what it did is not done again",
        arguments: [DeferringSink.Loss.before, .after], [3, 2])
    func lost(loss: DeferringSink.Loss, records: Int) throws {
        append("a", 1)
        append("b", 1)
        if records > 2 { append("a", 2) }
        sink.losses = [loss]
        var told: [SinkNotice] = []
        let summary = try run(notice: { told.append($0) })
        let first = loss == .before ? [] : ["a 1", "b 1"]
        let again = (loss == .before ? ["b 1"] : []) + (records > 2 ? ["a 2"] : loss == .before ? ["a 1"] : [])
        #expect(sink.writes.prefix(first.count) == first[...])
        #expect(sink.writes.dropFirst(first.count).sorted() == again.sorted())
        #expect(sink.positions[0]?.next == Offset(Int64(records)))
        #expect(summary.written + summary.unchanged + summary.superseded == records)
        #expect(told.count == 2, "held, resumed: \(told)")
    }

    @Test("positions behind a record that is set aside wait for the commits before it, however often those are lost")
    func lostBeforeASetAside() throws {
        append("a", 1)
        append("b", 1)
        cluster.append("timelines", 0, key: nil, value: "no key")
        sink.losses = [.before, .before, .before]
        var told: [SinkNotice] = []
        let summary = try run(notice: { told.append($0) })
        #expect(sink.writes.sorted() == ["a 1", "b 1"] && sink.positions[0]?.next == Offset(3))
        #expect(summary.written == 2 && summary.unusable == 1)
        let resumed = told.filter { if case .resumed = $0 { true } else { false } }
        #expect(resumed.count == 1, "it is there again when it has answered, not when it was sent something: \(told)")
    }

    @Test("a target that was set back when a commit should be answered is read from its positions")
    func setBack() throws {
        for number in 0..<4 { append("c\(number)", 1) }
        sink.losses = [nil, .setBack]
        let summary = try run()
        #expect(sink.writes == ["c0 1", "c1 1", "c2 1", "c3 1"])
        #expect(sink.positions[0]?.next == Offset(4) && summary.records == 6)
    }

    @Test("a record that cannot be written is a dead letter once, whatever becomes of its batch")
    func unusable() throws {
        append("a", 1)
        append("bad", 1)
        append("c", 1)
        sink.losses = [.before]
        let summary = try run()
        #expect(sink.writes.sorted() == ["a 1", "c 1"] && summary.unusable == 1 && summary.written == 2)
    }

    @Test(
        "the timeline before one that cannot be written is not lost with its commit, in one batch or in two",
        arguments: [1, 2])
    func predecessor(batch: Int) throws {
        append("a", 1)
        append("a", 2)
        append("b", 1)
        sink.refused = [Offset(1)]
        sink.losses = [.before]
        let summary = try run(batch: batch)
        #expect(sink.writes.sorted() == ["a 1", "b 1"] && sink.positions[0]?.next == Offset(3))
        #expect(summary.written == 2 && summary.unusable == 1 && summary.superseded == 0)
    }

    @Test("a topic that is made again while a commit has no answer begins anew")
    func recreated() throws {
        for number in 0..<4 { append("c\(number)", 1) }
        var isRemade = false
        try run(
            untilCaughtUp: false,
            stop: {
                if sink.calls.last == "commit 4", !isRemade {
                    isRemade = true
                    cluster.deleteTopic("timelines")
                    cluster.createTopic("timelines", partitions: 1)
                    append("d", 1)
                }
                clock.now += .milliseconds(100)
                return isRemade && sink.writes.contains("d 1") || clock.now > .seconds(600)
            })
        #expect(sink.writes == ["c0 1", "c1 1", "c2 1", "c3 1", "d 1"])
        #expect(sink.positions[0]?.next == Offset(1))
    }

    @Test("whatever is lost and whenever it stops, each record is there once and in its order", arguments: 0..<40)
    func chance(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var revision = 0
        for _ in 0..<8 {
            sink.forget()
            sink.losses = (0..<6).map { _ in
                [nil, nil, .before, .after, .setBack].randomElement(using: &random) ?? nil
            }
            var rounds = Int.random(in: 2..<25, using: &random)
            try run(
                untilCaughtUp: false,
                stop: {
                    rounds -= 1
                    for _ in 0..<Int.random(in: 0..<3, using: &random) {
                        revision += 1
                        append("c\(Int.random(in: 0..<5, using: &random))", revision)
                    }
                    return rounds < 0
                })
        }
        sink.forget()
        sink.losses = []
        try run()
        #expect(Set(sink.writes).count == sink.writes.count, "some are there twice")
        var newest: [String: String] = [:]
        for record in cluster.records("timelines") {
            newest[String(decoding: record.key ?? [], as: UTF8.self)] = String(
                decoding: record.value ?? [], as: UTF8.self)
        }
        #expect(sink.values == newest)
        for id in newest.keys {
            let revisions = sink.writes.filter { $0.hasPrefix(id + " ") }.compactMap { Int($0.dropFirst(id.count + 1)) }
            #expect(revisions == revisions.sorted(), "an older one came after a newer one")
        }
    }
}

/// A sink in memory whose commits are answered late, or never.
final class DeferringSink: DeferredCommitSink {
    enum Loss: Sendable {
        /// The commit was not done.
        case before
        /// It was done, and the answer did not come.
        case after
        case setBack
    }

    let name = "deferring"
    private(set) var values: [String: String] = [:]
    /// `CONFIGURATION REVISION` of each write that was committed.
    private(set) var writes: [String] = []
    private(set) var positions: [Partition: SinkPosition] = [:]
    private(set) var calls: [String] = []
    /// What it never takes.
    var refused: Set<Offset> = []
    /// What becomes of the answers, one after the other.
    var losses: [Loss?] = []

    private var open: [(id: String, value: String)] = []
    private var unanswered: (writes: [(id: String, value: String)], positions: [Partition: SinkPosition])?
    private var fault: SinkFault { SinkFault(place: "there", operation: "write to", reason: "lost") }

    /// What a sink that ends without an order leaves.
    func forget() { (open, unanswered) = ([], nil) }

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] { positions }

    func prepare(_ records: [SinkRecord]) throws(SinkError) { try settle() }

    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        precondition(unanswered == nil, "the commit before is answered first")
        let id = record.configurationId
        if id == "bad" || refused.contains(record.offset) { throw .unusable(BadRecord("bad")) }
        let value = String(decoding: record.value ?? [], as: UTF8.self)
        if open.last(where: { $0.id == id })?.value ?? values[id] == value { return .unchanged }
        open.append((id, value))
        return .written
    }

    func flush() throws(SinkError) {}

    func rollBack() { forget() }

    func commit(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        precondition(unanswered == nil, "the commit before is answered first")
        calls.append("commit \(positions[0]?.next.rawValue ?? 0)")
        unanswered = (open, positions)
        open = []
    }

    func settle() throws(SinkError) {
        guard let sent = unanswered else { return }
        calls.append("answer")
        let loss = losses.isEmpty ? nil : losses.removeFirst()
        unanswered = nil
        if loss == .setBack { throw .setBack(fault) }
        if loss == .before { throw .unavailable(fault) }
        for (id, value) in sent.writes {
            values[id] = value
            writes.append("\(id) \(value.firstMatch(of: /"revision":([0-9]+)/)?.1 ?? "?")")
        }
        positions = sent.positions
        if loss == .after { throw .unavailable(fault) }
    }
}
