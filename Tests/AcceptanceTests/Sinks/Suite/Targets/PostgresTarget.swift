import Foundation
import Glibc
import TestSupport
import Testing

/// A PostgreSQL of its own, of timelines or of reloads, which notes by itself what is written to it, and crashes.
final class PostgresTarget: TargetUnderTest {
    let guarantee: SinkGuarantee
    private let server: PostgresServer
    private let database: String
    private var isNoting = false
    /// The disk of its tables.
    private let disk: MountedDisk

    init(_ guarantee: SinkGuarantee) async throws {
        let server = try await PostgresServer()
        let disk = try await MountedDisk(at: server.directory.appending(path: "disk"))
        do {
            try PostgresServer.giveAway([disk.folder])
            try await server.psql("postgres", "CREATE TABLESPACE small LOCATION '\(disk.folder.path)'")
            database = try await server.makeDatabase()
        } catch {
            await server.stop()
            try? await disk.close()
            throw error
        }
        self.guarantee = guarantee.on(disk)
        self.server = server
        self.disk = disk
    }

    var address: String { server.url(database, query: "options=-cdefault_tablespace%3Dsmall") }
    var options: [String] { guarantee.optionsOfTables }
    var secrets: [String] { ["w/ord", "w%2Ford"] }
    private var table: String { guarantee.content.table }

    /// Begins to note as soon as the sink has made its tables.
    private func isReady() async throws -> Bool {
        if isNoting { return true }
        guard try await server.psql(database, "SELECT to_regclass('\(table)') IS NOT NULL") == "t\n" else {
            return false
        }
        try await server.psql(
            database,
            """
            CREATE TABLE written(partition integer, "offset" bigint);
            CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO written VALUES(new.source_partition, new.source_offset); RETURN NULL; END $$;
            CREATE TRIGGER noted AFTER INSERT OR UPDATE ON \(table) FOR EACH ROW EXECUTE FUNCTION note();
            """)
        isNoting = true
        return true
    }

    func progress() async throws -> Int {
        guard try await isReady() else { return 0 }
        let text = try await server.psql(database, "SELECT count(*) FROM written")
        return Int(text.trimmingCharacters(in: .newlines)) ?? 0
    }

    func contents() async throws -> [String: Data] {
        guard try await isReady() else { return [:] }
        let key = table == "timelines" ? "configuration_id" : "recipient || '/' || (value::jsonb ->> 'issuedAt')"
        let text = try await server.psql(
            database, "SELECT \(key) || ' ' || encode(convert_to(value, 'UTF8'), 'base64') FROM \(table)")
        var rows: [String: Data] = [:]
        var id = ""
        // PostgreSQL breaks base64 into lines; those that go on have no space.
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2 { id = String(parts[0]) }
            rows[id, default: Data()] += Data(base64Encoded: String(parts[parts.count - 1])) ?? Data()
        }
        return rows
    }

    func writtenRecords() async throws -> [String] {
        try await server.psql(database, #"SELECT partition || '/' || "offset" FROM written"#)
            .split(separator: "\n").map(String.init)
    }

    func takeAway() async { await server.crash() }

    func bringBack() async throws { try await server.start() }

    func stall() async { await server.signal(SIGSTOP) }

    func goOn() async { await server.signal(SIGCONT) }

    func fill() async throws { try await disk.fill() }

    func makeRoom() async throws { try await disk.empty() }

    /// The entries are those of the timelines, in their order. Each reload is found by the configuration that it names.
    func examine() async throws {
        guard table == "timelines" else {
            #expect(try await server.psql(database, SinkGuarantee.reloadsNotFound) == "0\n")
            return
        }
        let wrong = """
            SELECT count(*) FROM timelines AS t WHERE value::jsonb -> 'entries' IS DISTINCT FROM (
                SELECT coalesce(jsonb_agg(e.value ORDER BY position), '[]') FROM entries AS e
                WHERE e.configuration_id = t.configuration_id)
            """
        #expect(try await server.psql(database, wrong) == "0\n")
    }

    func close() async throws {
        // One that stands still would not end.
        await server.signal(SIGCONT)
        await server.stop()
        try await disk.close()
    }
}
