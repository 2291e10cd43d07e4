import Foundation
import RecordLog
import Simulation
import Sinks
import Testing

@Suite("The sink's runner")
struct SinkRunnerTests {
    private let cluster = MemoryCluster()
    private let topic = "timelines"

    @Test("writes the last timeline of each configuration and removes what has a tombstone")
    func writes() throws {
        let directory = try TemporaryDirectory()
        cluster.createTopic(topic, partitions: 3)
        for revision in 1...4 { append("a", revision) }
        append("b", 1)
        append("c", 1)
        cluster.appendKeyed(topic, key: "c", value: nil)
        let summary = try run(directory)
        #expect(directory.files == ["a.json", "b.json"])
        #expect(directory.text("a.json") == timeline("a", 4))
        #expect(summary.records == 7)
        #expect(summary.written == 2)
        #expect(summary.records == summary.superseded + summary.written + summary.removed + summary.unchanged)
        #expect(!summary.wasStopped)
    }

    @Test("goes on where it left off, and a second run changes nothing")
    func resumes() throws {
        let directory = try TemporaryDirectory()
        cluster.createTopic(topic, partitions: 2)
        append("a", 1)
        append("b", 1)
        _ = try run(directory)
        let before = try directory.identity("a.json")
        #expect(try run(directory).records == 0)
        append("b", 2)
        let summary = try run(directory)
        #expect(summary.records == 1 && summary.written == 1)
        #expect(try directory.identity("a.json") == before)
        try FileManager.default.removeItem(atPath: directory.path + "/.tideline-offsets.json")
        let anew = try run(directory)
        #expect(anew.records == 3 && anew.written == 0)
        #expect(try directory.identity("a.json") == before)
        for file in directory.files { try FileManager.default.removeItem(atPath: "\(directory.path)/\(file)") }
        #expect(try run(directory).written == 2)
        #expect(directory.text("b.json") == timeline("b", 2))
    }

    @Test("reads committed records only, and waits for open transactions that began before it")
    func committedOnly() throws {
        let directory = try TemporaryDirectory()
        cluster.createTopic(topic, partitions: 1)
        let producer = try cluster.makeTransactionalProducer(transactionalId: "t", clientId: "t")
        try producer.initialise(timeout: .seconds(1))
        try produce(producer, "aborted", 1)
        try producer.abort(timeout: .seconds(1))
        try produce(producer, "open", 1)
        var polls = 0
        let summary = try run(
            directory,
            stop: {
                polls += 1
                if polls <= 5 { #expect(directory.files.isEmpty, "nothing is committed yet") }
                if polls == 5 { try? producer.commit(timeout: .seconds(1)) }
                return polls > 100
            })
        #expect(polls >= 5 && !summary.wasStopped)
        #expect(directory.files == ["open.json"])
    }

    @Test("an interrupted batch is read again as a whole, so that no older timeline shows in between")
    func interruptedBatch() throws {
        let sink = RecordingSink()
        cluster.createTopic(topic, partitions: 1)
        for revision in 1...6 { append("a", revision) }
        append("z", 1)
        sink.failures = [.refused(SinkFault(place: "there", operation: "write", reason: "killed"))]
        sink.failsAfterWrites = 1
        #expect(throws: SinkRunError.self) { try run(sink, batch: 100) }
        #expect(sink.writes == [timeline("a", 6)])
        #expect(sink.kept["timelines"]?[0] == SinkPosition(next: Offset(0), begun: Offset(7), cluster: "memory"))
        sink.writes = []
        _ = try run(sink, batch: 2)
        #expect(sink.writes == [timeline("a", 6), timeline("z", 1)])
        let kept = try #require(sink.kept["timelines"]?[0])
        #expect(kept.next == Offset(7) && kept.begun == Offset(7) && kept.before?.offset == Offset(6))
    }

    @Test("holds its position while the sink is unavailable, tries again ever slower, and loses nothing")
    func unavailable() throws {
        let sink = RecordingSink()
        cluster.createTopic(topic, partitions: 1)
        append("a", 1)
        append("b", 1)
        let fault = SinkFault(place: "disk", operation: "write", reason: "No space left on device")
        sink.failures = [.unavailable(fault), .unavailable(fault), .unavailable(fault)]
        var delays: [Duration] = []
        var times: [Duration] = []
        let summary = try run(
            sink,
            notice: { notice in
                switch notice {
                case .holding(_, let delay): delays.append(delay)
                case .resumed(let time): times.append(time)
                default: break
                }
            })
        #expect(times == [.milliseconds(1750)])
        #expect(delays == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        #expect(sink.writes == [timeline("a", 1), timeline("b", 1)])
        #expect(summary.written == 2)
    }

    @Test("leaves out a record that is no timeline, says so, and goes on")
    func unusable() throws {
        let directory = try TemporaryDirectory()
        cluster.createTopic(topic, partitions: 1)
        cluster.append(topic, 0, key: "bad", value: "not JSON")
        cluster.append(topic, 0, key: nil, value: Array("{}".utf8))
        append("good", 1)
        var notices: [SinkNotice] = []
        let summary = try run(directory, notice: { notices.append($0) })
        #expect(summary.unusable == 2 && summary.written == 1)
        #expect(notices.count == 2)
        #expect(directory.files == ["good.json"])
    }

    @Test("in place of a record that cannot be written the one before it of its configuration is written")
    func predecessor() throws {
        let sink = RecordingSink()
        cluster.createTopic(topic, partitions: 1)
        for revision in 1...3 { append("a", revision) }
        append("b", 1)
        sink.failures = [.unusable(BadRecord("bad"))]
        let summary = try run(sink)
        #expect(sink.writes == [timeline("b", 1), timeline("a", 2)])
        #expect(sink.kept[topic]?[0]?.next == Offset(4))
        #expect(summary.written == 2 && summary.unusable == 1 && summary.superseded == 1)
    }

    @Test("stops when it is asked to")
    func stops() throws {
        let directory = try TemporaryDirectory()
        cluster.createTopic(topic, partitions: 1)
        append("a", 1)
        var asked = 0
        let summary = try run(
            directory, untilCaughtUp: false,
            stop: {
                asked += 1
                return asked > 3
            })
        #expect(summary.wasStopped && summary.written == 1)
    }

    @Test("finds partitions that are added while it runs, and reads them from the beginning")
    func newPartitions() throws {
        let directory = try TemporaryDirectory()
        cluster.createTopic(topic, partitions: 1)
        append("a", 1)
        let clock = SteppingClock()
        var asked = 0
        _ = try run(
            directory, untilCaughtUp: false, clock: clock,
            stop: {
                asked += 1
                if asked == 2 {
                    cluster.addPartitions(to: topic, total: 3)
                    cluster.append(topic, 2, key: "late", value: timeline("late", 1))
                    clock.now += .seconds(31)
                }
                return asked > 5
            })
        #expect(directory.files == ["a.json", "late.json"])
    }

    @Test("begins anew when the topic is another one of the same name")
    func anotherTopic() throws {
        let sink = RecordingSink()
        cluster.createTopic(topic, partitions: 1)
        append("a", 1)
        sink.kept["timelines"] = [0: SinkPosition(next: Offset(50))]
        var notices: [SinkNotice] = []
        _ = try run(sink, notice: { notices.append($0) })
        #expect(notices == [.startedOver(TopicPartition(topic, 0), Offset(50), because: .behindEnd)])
        #expect(sink.writes == [timeline("a", 1)])
    }

    @Test("names a topic that is missing")
    func missingTopic() throws {
        #expect {
            try run(RecordingSink())
        } throws: { error in
            if case .log(let error) = error as? SinkRunError {
                error.code == .unknownTopicOrPartition && error.message.contains("timelines")
            } else {
                false
            }
        }
    }

    // MARK: - Parts

    private func timeline(_ id: String, _ revision: Int) -> String {
        TimelineSinkContract.timeline(id, revision: revision, minute: revision)
    }

    @Test("while the sink is unavailable it is told how much waits, and how far the topic has gone on")
    func toldWhileHeld() throws {
        let sink = RecordingSink()
        cluster.createTopic(topic, partitions: 1)
        append("a", 1)
        append("b", 1)
        let fault = SinkFault(place: "disk", operation: "write", reason: "No space left on device")
        sink.failures = Array(repeating: .unavailable(fault), count: 3)
        var settings = SinkSettings(topic: topic)
        settings.reading.untilCaughtUp = true
        settings.reading.lagInterval = .milliseconds(100)
        var told: [(lag: Int64?, unsettled: Int, place: SinkReadPlace?)] = []
        var hasGrown = false
        _ = try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: SteppingClock(),
            progress: { told.append(($0.lag, $0.unsettled, $0.places[0])) },
            notice: { notice in
                guard case .holding = notice, !hasGrown else { return }
                hasGrown = true
                append("c", 1)
            }
        ).run()
        let place = SinkReadPlace(end: 3, next: 2, lastTimestamp: cluster.records(topic)[1].timestamp)
        #expect(told.contains { $0.lag == 1 && $0.unsettled == 2 && $0.place == place }, "\(told)")
    }

    private func append(_ id: String, _ revision: Int) {
        cluster.appendKeyed(topic, key: id, value: timeline(id, revision))
    }

    private func produce(_ producer: any TransactionalProducer, _ id: String, _ revision: Int) throws {
        try producer.begin()
        let (key, value) = (Array(id.utf8), Array(timeline(id, revision).utf8))
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                try producer.produce(topic: topic, partition: 0, key: key, value: value, headers: [])
            }
        }
    }

    private func run(
        _ directory: TemporaryDirectory, untilCaughtUp: Bool = true, clock: SteppingClock = SteppingClock(),
        stop: @escaping () -> Bool = { false }, notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        let sink = try FilesSink(directory: directory.path)
        return try run(sink, untilCaughtUp: untilCaughtUp, clock: clock, stop: stop, notice: notice)
    }

    @discardableResult
    private func run(
        _ sink: any TimelineSink, untilCaughtUp: Bool = true, batch: Int = 100,
        clock: SteppingClock = SteppingClock(), stop: @escaping () -> Bool = { false },
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: topic)
        settings.reading.untilCaughtUp = untilCaughtUp
        settings.reading.batchMaximum = batch
        return try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: clock, shouldStop: stop, notice: notice
        ).run()
    }
}

/// A clock that moves only when somebody waits.
final class SteppingClock: BlockingClock {
    var now = Duration.zero

    func wait(for duration: Duration) {
        now += duration
    }
}

/// A sink that writes down what it is told, and fails when it is told to.
final class RecordingSink: TimelineSink {
    let name = "recording"
    var writes: [String] = []
    var kept: [String: [Partition: SinkPosition]] = [:]
    /// Thrown one after the other, once so many writes were good.
    var failures: [SinkError] = []
    var failsAfterWrites = 0
    /// Thrown one after the other where it is asked for its positions.
    var failuresAtStart: [SinkError] = []

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        if !failuresAtStart.isEmpty { throw failuresAtStart.removeFirst() }
        return kept[topic] ?? [:]
    }

    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome {
        if writes.count >= failsAfterWrites, !failures.isEmpty { throw failures.removeFirst() }
        writes.append(record.value.map { String(decoding: $0, as: UTF8.self) } ?? "tombstone")
        return .written
    }

    func flush() throws(SinkError) {}

    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) { kept[topic] = positions }
}
