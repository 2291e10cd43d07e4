import Foundation
import RecordLog
import SQLite
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
        _ sink: any TimelineSink, of topic: String = "timelines", removesAbsent: Bool = false, batch: Int = 2,
        agrees: @escaping (AbsentTimelines) -> Bool = { _ in true }, stop: @escaping () -> Bool = { false },
        notice: @escaping (SinkNotice) -> Void = { _ in }
    ) throws -> SinkSummary {
        var settings = SinkSettings(topic: topic)
        settings.reading.untilCaughtUp = true
        settings.reading.batchMaximum = batch
        settings.removesAbsent = removesAbsent
        return try SinkRunner(
            cluster: cluster, sink: sink, settings: settings, clock: SteppingClock(), agreesToRemove: agrees,
            shouldStop: stop, notice: notice
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
        #expect(try held(kind) == ["a", "b", "c", "d"])
        // What was only noted is not passed over: the next run finds it.
        #expect(try run(open(kind)).removed == 1)
        #expect(try held(kind) == ["a", "c", "d"])
    }

    @Test("a topic whose values are no timelines is refused, and nothing is removed", arguments: ["files", "sqlite"])
    func garbage(kind: String) throws {
        try run(open(kind))
        cluster.recreateTopic("timelines")
        for id in ["x", "y"] { cluster.appendKeyed("timelines", key: id, value: "no timeline") }
        #expect {
            try run(open(kind), removesAbsent: true)
        } throws: {
            "\($0)".contains("it has no timeline for the sink")
        }
        #expect(try held(kind) == ["a", "b", "c", "d"])
    }

    @Test(
        "a target that another topic has filled is refused before anything is written", arguments: ["files", "sqlite"])
    func otherTopic(kind: String) throws {
        try run(open(kind))
        cluster.createTopic("staging.timelines", partitions: 1)
        let value = TimelineSinkContract.timeline("e", revision: 1, minute: 1)
        cluster.appendKeyed("staging.timelines", key: "e", value: value)
        #expect {
            try run(open(kind), of: "staging.timelines", removesAbsent: true)
        } throws: {
            "\($0)".contains("the target holds timelines, and none was read from this topic")
        }
        #expect(try held(kind) == ["a", "b", "c", "d"])
        // An empty one may be filled by such a run.
        let other = try FilesSink(directory: directory.path + "/other")
        #expect(try run(other, of: "staging.timelines", removesAbsent: true).written == 1)
    }

    @Test("nothing is removed unless somebody agrees, who is told how much", arguments: ["files", "sqlite"])
    func consent(kind: String) throws {
        try run(open(kind))
        cluster.recreateTopic("timelines")
        append("c", 2)
        append("b", 2)
        cluster.appendKeyed("timelines", key: "b", value: nil)
        var asked: [String] = []
        #expect {
            try run(
                open(kind), removesAbsent: true, batch: 100,
                agrees: {
                    asked.append("\($0)")
                    return false
                })
        } throws: {
            "\($0)".contains("nobody agrees to remove 3 of 4 timelines that timelines does not have")
        }
        #expect(asked == ["3 of 4 timelines that timelines does not have"])
        #expect(try held(kind) == ["a", "b", "c", "d"])
        // A tombstone is not lost by that.
        #expect(try run(open(kind)).removed == 1)
        #expect(try held(kind) == ["a", "c", "d"])
        // Where nothing is to be removed nobody is asked.
        for id in ["a", "d"] { append(id, 2) }
        asked = []
        try run(
            open(kind), removesAbsent: true, batch: 100,
            agrees: {
                asked.append("\($0)")
                return false
            })
        #expect(asked.isEmpty)
    }

    @Test(
        "after partitions were added, what is in any partition stays, and no reader misses it meanwhile",
        arguments: ["files", "sqlite"], [Partition(0), Partition(1)])
    func twoPartitions(kind: String, living: Partition) throws {
        try run(open(kind))
        cluster.recreateTopic("timelines", partitions: 2)
        let value = TimelineSinkContract.timeline("c", revision: 2, minute: 2)
        // In the partition of its own a later tombstone counts.
        cluster.append("timelines", living, key: "c", value: nil)
        cluster.append("timelines", living, key: "c", value: value)
        cluster.append("timelines", living == 0 ? 1 : 0, key: "c", value: nil)
        let deleted = TimelineSinkContract.timeline("d", revision: 2, minute: 2)
        cluster.append("timelines", living, key: "d", value: deleted)
        cluster.append("timelines", living, key: "d", value: nil)
        var before: [String]?
        let summary = try run(
            open(kind), removesAbsent: true,
            agrees: { count in
                #expect(count.absent == 3 && count.held == 4)
                // A second look at the target: files and the database are read beside the sink.
                before = names(kind)
                return true
            })
        #expect(before == ["a", "b", "c", "d"])
        #expect(summary.removed == 3)
        #expect(try held(kind) == ["c"])
        #expect(try run(open(kind)).records == 0)
    }

    private func names(_ kind: String) -> [String]? {
        if kind == "files" {
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path + "/files")
            return names?.filter { !$0.hasPrefix(".") }.map { $0.replacing(".json", with: "") }.sorted()
        }
        let sql = "SELECT group_concat(configuration_id) FROM (SELECT * FROM timelines ORDER BY configuration_id)"
        return try? directory.firstText(of: sql, in: "timelines.db")?.split(separator: ",").map { String($0) }
    }

    @Test("a removal that the target refuses is no dead letter: it is told, and ends the run")
    func refused() throws {
        try run(open("sqlite"))
        try SQLiteDatabase(directory.path + "/timelines.db").execute(
            """
            CREATE TRIGGER own BEFORE DELETE ON timelines WHEN OLD.configuration_id = 'b'
            BEGIN SELECT RAISE(ABORT, 'somebody needs it'); END
            """)
        cluster.recreateTopic("timelines")
        append("c", 2)
        var told: [String] = []
        #expect {
            try run(open("sqlite"), removesAbsent: true, notice: { told.append("\($0)") })
        } throws: {
            "\($0)".contains("the target refuses to remove 1 of them")
        }
        #expect(told.filter { $0.hasPrefix("cannot remove b: ") }.count == 1, "\(told)")
        #expect(!told.contains { $0.contains("cannot be written") }, "\(told)")
        #expect(try held("sqlite") == ["b", "c"])
    }

    @Test("a look at many files sees that the run is to stop, and removes nothing")
    func stoppedLook() throws {
        try run(open("files"))
        cluster.recreateTopic("timelines")
        append("c", 2)
        let sink = LookingSink(try FilesSink(directory: directory.path + "/files"))
        let summary = try run(sink, removesAbsent: true, stop: { sink.isLookedAt })
        #expect(sink.isLookedAt && summary.wasStopped && summary.removed == 0)
    }

    @Test(
        "somebody's own folder stays, though its name might be a timeline's",
        arguments: [FilesLayout.flat, .byRecipient])
    func ownFolder(layout: FilesLayout) throws {
        func sink() throws -> FilesSink { try FilesSink(directory: directory.path + "/files", layout: layout) }
        try run(sink())
        let folder = directory.path + (layout == .flat ? "/files/x.json" : "/files/r/x.json")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        cluster.recreateTopic("timelines")
        append("c", 2)
        cluster.appendKeyed("timelines", key: "x", value: nil)
        #expect(try run(sink(), removesAbsent: true).removed == 3)
        #expect(try sink().configurations() == ["c"])
        // Nor does a tombstone mean it.
        cluster.appendKeyed("timelines", key: "x", value: nil)
        #expect(try run(sink()).unchanged == 1)
        #expect(FileManager.default.fileExists(atPath: folder))
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
            "\($0)".contains("the target does not say what it holds")
        }
    }
}

/// Files that are told to stop as soon as they are looked at.
private final class LookingSink: TimelineSink {
    private let files: FilesSink
    var isLookedAt = false

    init(_ files: FilesSink) { self.files = files }

    var name: String { files.name }

    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition] {
        try files.positions(of: topic)
    }

    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome { try files.write(record) }
    func flush() throws(SinkError) { try files.flush() }

    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError) {
        try files.keep(positions, of: topic)
    }

    func configurations(while goesOn: () -> Bool) throws(SinkError) -> [String]? {
        isLookedAt = true
        return try files.configurations(while: goesOn)
    }

    func close() { files.close() }
}
