import Foundation
import SQLite
import TestSupport
import Testing

/// A database of SQLite, of timelines or of reloads, which notes by itself what is written to it. Another program can
/// hold its lock.
final class TablesTarget: TargetUnderTest {
    let guarantee: SinkGuarantee
    private let disk: MountedDisk
    private var file: String { disk.folder.appending(path: "timelines.db").path }
    private var database: SQLiteDatabase?
    private var holder: ProcessRunner?

    init(_ guarantee: SinkGuarantee) async throws {
        let disk = try await MountedDisk(at: TemporaryDirectory.make("tables"))
        self.guarantee = guarantee.on(disk)
        self.disk = disk
    }

    var address: String { "sqlite:\(file)" }
    var options: [String] { guarantee.optionsOfTables }
    private var table: String { guarantee.content.table }

    /// Opened when the sink has made it: then it begins to note.
    private func open() throws -> SQLiteDatabase? {
        if let database { return database }
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        let database = try SQLiteDatabase(file)
        guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE name='\(table)'") == 1 else { return nil }
        try database.execute(
            """
            CREATE TABLE written(partition INTEGER, "offset" INTEGER);
            CREATE TRIGGER inserted AFTER INSERT ON \(table)
            BEGIN INSERT INTO written VALUES(new.source_partition, new.source_offset); END;
            CREATE TRIGGER updated AFTER UPDATE ON \(table)
            BEGIN INSERT INTO written VALUES(new.source_partition, new.source_offset); END;
            """)
        self.database = database
        return database
    }

    func progress() throws -> Int { Int(try open()?.integer("SELECT count(*) FROM written") ?? 0) }

    func contents() throws -> [String: Data] {
        guard let database = try open() else { return [:] }
        var rows: [String: Data] = [:]
        let key = table == "timelines" ? "configuration_id" : "recipient || '/' || (value ->> '$.issuedAt')"
        let statement = try database.prepare("SELECT \(key), value FROM \(table)")
        while try statement.step() { rows[statement.text(0)] = Data(statement.text(1).utf8) }
        return rows
    }

    func writtenRecords() throws -> [String] {
        guard let database = try open() else { return [] }
        var records: [String] = []
        let statement = try database.prepare(#"SELECT partition, "offset" FROM written"#)
        while try statement.step() { records.append("\(statement.integer(0))/\(statement.integer(1))") }
        return records
    }

    func takeAway() async throws {
        let runner = try ProcessRunner(
            URL(filePath: "/usr/bin/python3"), ["-c", Self.lockHolder, file], timeout: .seconds(300))
        holder = runner
        let isHeld = await eventually { runner.output.contains("held") || !runner.isRunning }
        try #require(isHeld && runner.isRunning, "\(runner.errorOutput)")
    }

    private static let lockHolder = """
        import sqlite3, sys, time
        connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
        connection.execute('BEGIN IMMEDIATE')
        print('held', flush=True)
        time.sleep(300)
        """

    func bringBack() async {
        holder?.kill()
        _ = await holder?.result()
        holder = nil
    }

    func stall() async throws { try await takeAway() }

    func goOn() async { await bringBack() }

    func fill() async throws { try await disk.fill() }

    func makeRoom() async throws { try await disk.empty() }

    /// The entries are those of the timelines, each at its place and as it is there. Each reload is found by the
    /// configuration that it names.
    func examine() throws {
        let database = try #require(try open())
        guard table == "timelines" else {
            #expect(try database.integer(SinkGuarantee.reloadsNotFound) == 0)
            return
        }
        let wrong = """
            WITH told AS (
                SELECT t.configuration_id, e.key, coalesce(e.value ->> '$.id', ''), coalesce(e.value ->> '$.phase', ''),
                    e.value ->> '$.event.title', e.value
                FROM timelines AS t, json_each(t.value, '$.entries') AS e),
            kept AS (SELECT configuration_id, position, entry_id, phase, title, value FROM entries)
            SELECT (SELECT count(*) FROM (SELECT * FROM told EXCEPT SELECT * FROM kept))
                + (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM told))
            """
        #expect(try database.integer(wrong) == 0)
    }

    func close() async throws {
        await bringBack()
        database = nil
        try await disk.close()
    }
}
