import Foundation
import RecordLog
import SQLite
import Simulation
import Sinks
import Testing

@Suite("The SQLite sink")
struct SQLiteSinkTests {
    private typealias Contract = TimelineSinkContract

    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/timelines.db" }

    init() throws { directory = try TemporaryDirectory() }

    private func text(_ sql: String) throws -> String? { try directory.firstText(of: sql, in: "timelines.db") }

    @Test("keeps the contract of all sinks")
    func contract() throws {
        try TimelineSinkContract(
            reopen: { try SQLiteSink(file: path) },
            content: { try text("SELECT value FROM timelines WHERE configuration_id='\($0)'") }
        ).check()
    }

    @Test("what was not committed with its positions is not there: a killed sink goes on as if it had not been")
    func exactlyOnce() throws {
        do {
            let sink = try SQLiteSink(file: path)
            _ = try sink.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
            try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
            _ = try sink.write(Contract.record("a", Contract.timeline("a", revision: 2, minute: 1), offset: 1))
            _ = try sink.write(Contract.record("b", Contract.timeline("b", revision: 1), offset: 2))
            try sink.flush()
        }
        let sink = try SQLiteSink(file: path)
        #expect(try sink.positions(of: "timelines") == [0: SinkPosition(next: Offset(1))])
        #expect(try text("SELECT group_concat(configuration_id || revision) FROM timelines") == "a1")
        #expect(try text("SELECT count(*) FROM entries") == "1")
    }

    @Test("SQL says what is on screen at an instant")
    func onScreen() throws {
        let sink = try SQLiteSink(file: path)
        let entries = ["06:00", "06:30", "06:30", "07:00"].enumerated().map { index, time in
            #"{"id":"e\#(index)","date":"2026-11-20T\#(time):00Z","phase":"tick"}"#
        }
        let value = Contract.timeline("a", revision: 1).replacing(
            try Regex(#""entries":\[.*\],"refresh"#), with: #""entries":[\#(entries.joined(separator: ","))],"refresh"#)
        _ = try sink.write(Contract.record("a", value, offset: 0))
        try sink.keep([:], of: "timelines")
        for (time, id) in [("06:29", "e0"), ("06:30", "e2"), ("08:00", "e3")] {
            let at = "unixepoch('2026-11-20T\(time):00Z') * 1000"
            let shown = try text(
                """
                SELECT entry_id FROM timelines JOIN entries USING(configuration_id)
                WHERE recipient='r' AND date<=\(at) ORDER BY date DESC, position DESC LIMIT 1
                """)
            #expect(shown == id, "\(time)")
        }
        #expect(
            try text("SELECT json_extract(value, '$.date') FROM entries WHERE entry_id='e3'") == "2026-11-20T07:00:00Z")
    }

    @Test("an id may hold whatever UTF-8 has: a tombstone removes no other's timeline")
    func zeros() throws {
        let sink = try SQLiteSink(file: path)
        let ids = ["a", "a\u{0}b", "ä😀"]
        for (offset, id) in ids.enumerated() {
            let value = Contract.timeline("x", revision: 1)
            _ = try sink.write(Contract.record(id, value, offset: Int64(offset)))
        }
        #expect(try sink.write(Contract.record("a\u{0}c", nil, offset: 3)) == .unchanged)
        #expect(try sink.write(Contract.record("a\u{0}b", nil, offset: 4)) == .removed)
        try sink.keep([:], of: "timelines")
        #expect(try text("SELECT group_concat(configuration_id) FROM timelines") == "a,ä😀")
    }

    @Test("an entry is kept with whatever a later release says in it")
    func unknownMembers() throws {
        let sink = try SQLiteSink(file: path)
        let value = Contract.timeline("a", revision: 1).replacing(
            #""phase":"tick""#, with: #""phase":"later","new":{"a":[1,2]}"#)
        _ = try sink.write(Contract.record("a", value, offset: 0))
        try sink.keep([:], of: "timelines")
        #expect(try text("SELECT phase FROM entries") == "later")
        #expect(try text("SELECT value ->> '$.new.a[1]' FROM entries") == "2")
    }

    @Test("a file has one sink at a time")
    func exclusive() throws {
        let first = try SQLiteSink(file: path)
        #expect {
            try SQLiteSink(file: path)
        } throws: { error in
            guard let error = error as? SinkError else { return false }
            return !error.isRetriable && error.description.contains("another sink writes there")
        }
        try first.flush()
    }

    @Test("a file that is no sink's, or of a later release, is refused and left alone")
    func foreign() throws {
        try SQLiteDatabase(path).execute("CREATE TABLE mine(x); INSERT INTO mine VALUES(7)")
        #expect {
            try SQLiteSink(file: path)
        } throws: { error in
            "\(error)".contains("its tables are not a sink's: name another file")
        }
        #expect(try text("SELECT x FROM mine") == "7")
        try FileManager.default.removeItem(atPath: path)
        _ = try SQLiteSink(file: path)
        try SQLiteDatabase(path).execute("PRAGMA user_version=99")
        #expect {
            try SQLiteSink(file: path)
        } throws: { error in
            "\(error)".contains("of version 99, and this release knows 2 at most")
        }
    }

    @Test("a directory that is missing, and a file that is no database, are named")
    func places() throws {
        #expect {
            try SQLiteSink(file: directory.path + "/none/timelines.db")
        } throws: { error in
            "\(error)".contains("/none/timelines.db")
        }
        try directory.write("not a database, but long enough to look like one, or so one might think", to: "text.db")
        #expect {
            try SQLiteSink(file: directory.path + "/text.db")
        } throws: { error in
            guard let error = error as? SinkError else { return false }
            return !error.isRetriable && error.description.contains("text.db: file is not a database")
        }
    }

    @Test("while another program has the lock, a batch is waited for and then written as a whole")
    func busy() throws {
        let sink = try SQLiteSink(file: path)
        let other = try SQLiteDatabase(path)
        try other.execute("BEGIN IMMEDIATE")
        #expect {
            try sink.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
        } throws: { error in
            (error as? SinkError)?.isRetriable == true
        }
        sink.rollBack()
        try other.execute("ROLLBACK")
        _ = try sink.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
        try sink.keep([:], of: "timelines")
        #expect(try text("SELECT count(*) FROM timelines") == "1")
    }

    @Test(
        "entries that are no objects make a bad record, and not a sink that cannot go on",
        arguments: ["\"abc\"", "null", "1"])
    func entriesOfOtherTypes(entry: String) throws {
        let sink = try SQLiteSink(file: path)
        let value = #"{"revision":1,"generatedAt":"2026-11-20T06:00:00Z","entries":[\#(entry)]}"#
        #expect {
            try sink.write(Contract.record("a", value, offset: 0))
        } throws: { error in
            if case .unusable = error as? SinkError { true } else { false }
        }
        #expect(try sink.write(Contract.record("b", Contract.timeline("b", revision: 1), offset: 1)) == .written)
        try sink.keep([0: SinkPosition(next: Offset(2))], of: "timelines")
    }

    /// Runs the sink over these timelines in a file that has something of its reader's own beside the tables.
    ///
    /// - Returns: what is told of the dead letters, ascending.
    private func run(
        _ timelines: [(id: String, revision: Int)], beside sql: String
    ) throws -> (summary: SinkSummary, letters: [String]) {
        let cluster = MemoryCluster()
        for topic in ["timelines", "letters"] { cluster.createTopic(topic, partitions: 1) }
        for (id, revision) in timelines {
            let value = Contract.timeline(id, revision: revision, minute: revision)
            cluster.appendKeyed("timelines", key: id, value: value)
        }
        _ = try SQLiteSink(file: path)
        try SQLiteDatabase(path).execute(sql)
        var settings = SinkSettings(topic: "timelines")
        settings.reading.untilCaughtUp = true
        settings.deadLettersTopic = "letters"
        let summary = try SinkRunner(
            cluster: cluster, sink: SQLiteSink(file: path), settings: settings, clock: SteppingClock()
        ).run()
        let letters = cluster.records("letters").map { record in
            let message = record.headers.first { $0.name == "__streams.errors.message" }
            return String(decoding: message?.value ?? [], as: UTF8.self)
        }
        return (summary, letters.sorted())
    }

    @Test(
        "what a trigger refuses is a dead letter, whatever the trigger undoes, and the others of its batch are written",
        arguments: ["ABORT", "FAIL", "ROLLBACK"])
    func trigger(action: String) throws {
        let timelines = [
            (id: "a", revision: 1), (id: "bus", revision: 1), (id: "b", revision: 1), (id: "tram", revision: 1),
            (id: "tram", revision: 13), (id: "bus-2", revision: 1), (id: "c", revision: 1),
        ]
        // That of entries comes when the timeline itself is written.
        let (summary, letters) = try run(
            timelines,
            beside: """
                CREATE TRIGGER no_buses BEFORE INSERT ON entries WHEN NEW.configuration_id LIKE 'bus%'
                BEGIN SELECT RAISE(\(action), 'not here'); END;
                CREATE TRIGGER no_13 BEFORE INSERT ON timelines WHEN NEW.revision = 13
                BEGIN SELECT RAISE(\(action), 'not here'); END
                """)
        #expect(try text("SELECT group_concat(configuration_id || revision) FROM timelines") == "a1,b1,c1,tram1")
        #expect(try text("SELECT group_concat(configuration_id) FROM entries") == "a,b,c,tram")
        #expect(try text("SELECT next FROM positions") == "7")
        #expect(summary.written == 4 && summary.unusable == 3 && summary.superseded == 0)
        #expect(letters == ["bus-2", "bus", "tram"].map { "configuration \($0): SQLite refuses it: not here" })
    }

    @Test("what violates an index of the reader's own is a dead letter with SQLite's words, and its old timeline stays")
    func uniqueIndex() throws {
        let (summary, letters) = try run(
            [(id: "a", revision: 1), (id: "b", revision: 2), (id: "c", revision: 1)],
            beside: "CREATE UNIQUE INDEX own ON timelines(revision)")
        #expect(try text("SELECT group_concat(configuration_id || revision) FROM timelines") == "a1,b2")
        #expect(summary.written == 2 && summary.unusable == 1)
        let reason = "SQLite refuses it: UNIQUE constraint failed: timelines.revision"
        #expect(letters == ["configuration c, field revision: \(reason)"])
        let sink = try SQLiteSink(file: path)
        let second = Contract.record("b", Contract.timeline("b", revision: 1, minute: 9), offset: 3)
        #expect { try sink.write(second) } throws: { error in
            if case .recordRefused = error as? SinkError { true } else { false }
        }
        sink.rollBack()
        #expect { try sink.write(second) } throws: { error in
            if case .unusable = error as? SinkError { true } else { false }
        }
        try sink.keep([:], of: "timelines")
        #expect(try text("SELECT group_concat(configuration_id || revision) FROM timelines") == "a1,b2")
    }

    @Test("an index of the reader's own names the field also where it is over several columns, or over entries")
    func refusedFields() throws {
        for (index, field) in [
            ("timelines(recipient, kind)", "recipient"), ("timelines(refresh_count)", "refreshCount"),
            ("entries(phase)", "entries[].phase"), ("entries(position)", "entries"),
        ] {
            let (_, letters) = try run(
                [(id: "a", revision: 1), (id: "b", revision: 1)],
                beside: "DROP INDEX IF EXISTS own; DELETE FROM entries; DELETE FROM timelines; DELETE FROM positions;"
                    + "CREATE UNIQUE INDEX own ON \(index)")
            let begin = "configuration b, field \(field): SQLite refuses it: UNIQUE constraint failed: "
            #expect(letters.count == 1 && letters.allSatisfy { $0.hasPrefix(begin) }, "\(index): \(letters)")
        }
    }

    @Test("a file that is removed or replaced under the sink is told, and nothing is kept in it")
    func removedFile() throws {
        let sink = try SQLiteSink(file: path)
        _ = try sink.write(Contract.record("a", Contract.timeline("a", revision: 1), offset: 0))
        try FileManager.default.removeItem(atPath: path)
        #expect {
            try sink.keep([0: SinkPosition(next: Offset(1))], of: "timelines")
        } throws: { error in
            if case .refused(let fault) = error as? SinkError { fault.reason.contains("removed") } else { false }
        }
    }

    @Test("a folder that is missing is named, with what makes it")
    func missingFolder() throws {
        #expect {
            _ = try SQLiteSink(file: directory.path + "/none/t.db")
        } throws: { error in
            "\(error)".contains("mkdir -p '\(directory.path)/none'")
        }
    }
}
