import RecordLog
import Simulation
import Sinks
import Testing

@Suite("What a topic does not have is removed from a target where that is asked for")
struct AbsentTests {
    private let cluster = MemoryCluster()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        cluster.createTopic("timelines", partitions: 2)
        for id in ["a", "b", "c", "d"] { append(id, 1) }
    }

    private func append(_ id: String, _ revision: Int, headers: [Header] = []) {
        let value = TimelineSinkContract.timeline(id, revision: revision, minute: revision)
        cluster.appendKeyed("timelines", key: id, value: value, headers: headers)
    }

    private func open(_ kind: String) throws -> any TimelineSink {
        if kind == "files" { return try FilesSink(directory: directory.path + "/files") }
        return try SQLiteSink(file: directory.path + "/timelines.db")
    }

    private func held(_ kind: String) throws -> [String]? { try open(kind).configurations()?.sorted() }

    @discardableResult
    private func run(
        _ sink: any TimelineSink, removesAbsent: Bool = false, stop: @escaping () -> Bool = { false }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        settings.reading.batchMaximum = 2
        settings.removesAbsent = removesAbsent
        return try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: SteppingClock(), shouldStop: stop
        ).run()
    }

    @Test("all of the topic is read, and what it has not, or has for others, goes", arguments: ["files", "sqlite"])
    func removes(kind: String) throws {
        try run(open(kind))
        cluster.recreateTopic("timelines", partitions: 3)
        append("c", 2)
        append("e", 1)
        append("f", 1, headers: [Header("ce_sinks", "elsewhere")])
        // A record that is no timeline says nothing of what was there.
        cluster.appendKeyed("timelines", key: "d", value: "no timeline")
        try run(open(kind))
        #expect(try held(kind) == ["a", "b", "c", "d", "e"])
        let summary = try run(open(kind), removesAbsent: true)
        #expect(summary.records == 4 && summary.removed == 2 && summary.written == 0 && summary.unusable == 1)
        #expect(try held(kind) == ["c", "d", "e"])
        // It has kept how far it is.
        #expect(try run(open(kind)).records == 0)
        #expect(try run(open(kind), removesAbsent: true).removed == 0)
    }

    @Test("a run that is stopped before it has read all removes nothing", arguments: ["files", "sqlite"])
    func stopped(kind: String) throws {
        try run(open(kind))
        cluster.recreateTopic("timelines")
        let present = (10..<30).map { "c\($0)" }
        for id in present { append(id, 1) }
        var rounds = 0
        let summary = try run(
            open(kind), removesAbsent: true,
            stop: {
                rounds += 1
                return rounds > 3
            })
        #expect(summary.wasStopped && summary.removed == 0)
        #expect(try held(kind)?.prefix(3) == ["a", "b", "c"])
        try run(open(kind), removesAbsent: true)
        #expect(try held(kind) == present)
    }

    @Test("a topic without any timeline is refused, and nothing is removed", arguments: ["files", "sqlite"])
    func empty(kind: String) throws {
        try run(open(kind))
        cluster.recreateTopic("timelines")
        for id in [nil, "b"] {
            if let id { cluster.appendKeyed("timelines", key: id, value: nil) }
            #expect {
                try run(open(kind), removesAbsent: true)
            } throws: {
                "\($0)".contains("cannot remove what is absent from timelines: it has no timeline for the sink")
            }
        }
        // A tombstone removes what it names, and that alone.
        #expect(try held(kind) == ["a", "c", "d"])
    }

    @Test("somebody's own file stays, though its name might be a configuration's")
    func ownFiles() throws {
        try run(open("files"))
        try directory.write(#"{"note":"mine"}"#, to: "files/notes.json")
        cluster.recreateTopic("timelines")
        append("c", 2)
        #expect(try run(open("files"), removesAbsent: true).removed == 3)
        #expect(try held("files") == ["c"])
        #expect(directory.text("files/notes.json") == #"{"note":"mine"}"#)
    }

    @Test("a target that does not say what it holds is refused")
    func unsaid() throws {
        #expect {
            try run(RecordingSink(), removesAbsent: true)
        } throws: {
            "\($0)".contains("it does not say what it holds")
        }
    }
}
