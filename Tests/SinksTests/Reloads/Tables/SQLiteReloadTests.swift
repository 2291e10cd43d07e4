import Dispatch
import Foundation
import RecordLog
import SQLite
import Sinks
import Synchronization
import Testing

@Suite("The table of reloads in SQLite")
struct SQLiteReloadTests {
    private typealias Contract = ReloadTableContract

    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/timelines.db" }

    init() throws { directory = try TemporaryDirectory() }

    private func text(_ sql: String) throws -> String? { try directory.firstText(of: sql, in: "timelines.db") }

    private func sink() throws -> SQLiteReloadSink {
        try SQLiteReloadSink(file: path, retention: Contract.retention())
    }

    private var contract: ReloadTableContract {
        ReloadTableContract(
            reopen: { try SQLiteReloadSink(file: path, retention: $0) }, text: text,
            instant: { "CAST(round((julianday('\($0)') - 2440587.5) * 86400000) AS INTEGER)" })
    }

    @Test("each record is a row with each documented field") func writesEach() throws { try contract.writesEach() }

    @Test("what was written is not written again") func redelivered() throws { try contract.redelivered() }

    @Test("what is no reload is a dead letter, and the others are written")
    func leavesOut() throws { try contract.leavesOut() }

    @Test("what was not committed with its positions is not there: a killed sink goes on as if it had not been")
    func killedBeforeCommit() throws { try contract.killedBeforeCommit() }

    @Test("a topic that was made again begins anew") func recreated() throws { try contract.recreated() }

    @Test("rows go when they are old") func retains() throws { try contract.retains() }

    @Test("the queries of the page for consumers give what it says")
    func answersThePage() throws { try contract.answersThePage("unixepoch") }

    @Test("recipients, configurations and instants are found by an index")
    func indexes() throws {
        _ = try sink()
        for (sql, index) in contract.queries {
            let statement = try SQLiteDatabase(path).prepare("EXPLAIN QUERY PLAN \(sql)")
            var plan = ""
            while try statement.step() { plan += statement.text(3) + "\n" }
            #expect(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "\(plan)")
            #expect(plan.contains(index.isEmpty ? "SEARCH c USING PRIMARY KEY" : index), "\(plan)")
        }
    }

    @Test("a file has one sink of timelines and one of reloads, side by side")
    func sideBySide() throws {
        let reloads = try sink()
        let timelines = try SQLiteSink(file: path)
        let timeline = TimelineSinkContract.timeline("a", revision: 1)
        for offset in 0..<3 {
            _ = try reloads.write(Contract.record(Contract.json(minute: offset), offset: Int64(offset)))
            try reloads.keep([0: SinkPosition(next: Offset(Int64(offset) + 1))], of: Contract.topic)
            _ = try timelines.write(TimelineSinkContract.record("a", timeline, offset: Int64(offset)))
            try timelines.keep([0: SinkPosition(next: Offset(Int64(offset) + 1))], of: "timelines")
        }
        #expect(try text("SELECT group_concat(topic || next, ' ') FROM positions") == "timeline.reloads3 timelines3")
        for open in [{ _ = try sink() }, { _ = try SQLiteSink(file: path) }] {
            #expect { try open() } throws: { error in
                guard let error = error as? SinkError else { return false }
                return !error.isRetriable && error.description.contains("another sink writes there")
            }
        }
    }

    @Test("both may make the file at once")
    func made() throws {
        for round in 0..<10 {
            let path = "\(path).\(round)"
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                while true {
                    do throws(SinkError) {
                        if number == 0 {
                            _ = try SQLiteSink(file: path)
                        } else {
                            _ = try SQLiteReloadSink(file: path, retention: Contract.retention())
                        }
                        return
                    } catch {
                        guard !error.isRetriable else { continue }
                        return failures.withLock { $0.append("\(error)") }
                    }
                }
            }
            #expect(failures.withLock { $0 } == [])
        }
    }

    @Test("a file of the release before gets the new tables, and keeps its rows; one of a later release is refused")
    func migration() throws {
        try SQLiteDatabase(path).execute(Self.tablesOfVersion1)
        let reloads = try sink()
        _ = try reloads.write(Contract.record(Contract.json(), offset: 0))
        try reloads.keep([:], of: Contract.topic)
        #expect(try text("PRAGMA user_version") == "2")
        #expect(try text("SELECT value FROM timelines") == "kept" && text("SELECT count(*) FROM reloads") == "1")
        #expect(try SQLiteSink(file: path).positions(of: "timelines") == [0: SinkPosition(next: Offset(17))])
        try SQLiteDatabase(path + ".later").execute(Self.tablesOfVersion1 + ";PRAGMA user_version=3")
        #expect { try SQLiteReloadSink(file: path + ".later", retention: Contract.retention()) } throws: {
            "\($0)".contains("of version 3, and this release knows 2 at most")
        }
    }

    @Test("a table of somebody's own that has the name stops the migration, and nothing is changed")
    func taken() throws {
        try SQLiteDatabase(path).execute(Self.tablesOfVersion1 + ";CREATE TABLE reloads(mine)")
        #expect { try SQLiteSink(file: path) } throws: {
            isRefused($0, "table reloads already exists")
        }
        #expect(try text("PRAGMA user_version") == "1")
    }

    private static let tablesOfVersion1 = """
        CREATE TABLE timelines(
            configuration_id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, family TEXT NOT NULL,
            recipient TEXT NOT NULL, revision INTEGER NOT NULL, refresh_count INTEGER NOT NULL,
            generated_at INTEGER, next_update INTEGER, valid_until INTEGER, value TEXT NOT NULL,
            source_partition INTEGER NOT NULL, source_offset INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE entries(
            configuration_id TEXT NOT NULL REFERENCES timelines ON DELETE CASCADE, position INTEGER NOT NULL,
            entry_id TEXT NOT NULL, date INTEGER, phase TEXT NOT NULL, title TEXT, value TEXT NOT NULL,
            PRIMARY KEY(configuration_id, position)) WITHOUT ROWID;
        CREATE TABLE positions(
            topic TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL, begun INTEGER NOT NULL,
            cluster TEXT, before_offset INTEGER, before_timestamp INTEGER, before_hash INTEGER,
            PRIMARY KEY(topic, partition)) WITHOUT ROWID;
        INSERT INTO timelines VALUES('a', 'k', 'f', 'r', 1, 1, NULL, NULL, NULL, 'kept', 0, 0);
        INSERT INTO positions VALUES('timelines', 0, 17, 17, NULL, NULL, NULL, NULL);
        PRAGMA application_id=1416193125;
        PRAGMA user_version=1
        """
}
