import Foundation
import Postgres
import RecordLog
import SQLite
import Sinks
import TestSupport
import Testing

/// What Documentation/Consuming.md says of tables of timelines is so in the tables that the sinks make.
@Suite("The tables of the page about consuming")
struct TablesPageTests {
    private typealias Contract = TimelineSinkContract

    private let page: String

    init() throws {
        page = try String(
            contentsOf: PackageRoot.url.appending(path: "Documentation/Consuming.md"), encoding: .utf8)
    }

    /// The columns that the page names for a table, in their order.
    private func columns(of table: String) throws -> [String] {
        let section = try #require(page.components(separatedBy: "\n## Tables\n").last)
        let row = try #require(section.split(separator: "\n").first { $0.hasPrefix("| `\(table)` | ") })
        let cell = row.split(separator: "|").dropFirst(2).joined().components(separatedBy: ". ")[0]
        return cell.matches(of: /`([a-z_]+)`/).map { String($0.1) }
    }

    /// The query for what is on a screen.
    ///
    /// - Parameter word: tells the query of this database from that of the other.
    private func onScreen(_ word: String) throws -> String {
        let queries = page.components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        return try #require(queries.first { $0.contains("FROM timelines") && $0.contains(word) })
    }

    private static let record = Contract.record(
        "van", Contract.timeline("van", revision: 1).replacing(#""recipient":"r""#, with: #""recipient":"ana""#),
        offset: 0)

    @Test("SQLite", arguments: ["timelines", "entries", "reloads", "reload_configurations"])
    func sqlite(table: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/t.db"
        let sink = try SQLiteSink(file: path)
        #expect(try sink.write(Self.record) == .written)
        try sink.keep([:], of: "timelines")
        let statement = try SQLiteDatabase(path).prepare("SELECT name FROM pragma_table_info('\(table)')")
        var found: [String] = []
        while try statement.step() { found.append(statement.text(0)) }
        let told = try columns(of: table)
        #expect(found == told)
        let line = "SELECT configuration_id || ' ' || phase || ' ' || (value ->> '$.id') FROM"
        let shown = try directory.firstText(of: "\(line) (\(onScreen("date <= unixepoch("))) AS x", in: "t.db")
        #expect(shown == "van tick tick/2026-11-20T06:00:00Z")
    }

    @Test("the example shows of each of a recipient's timelines the last entry that has begun")
    func example() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/t.db"
        let sink = try SQLiteSink(file: path)
        let later = #"{"id":"tick/2026-11-20T07:00:00Z","date":"2026-11-20T07:00:00Z","phase":"tick"}"#
        let board = Contract.timeline("board", revision: 1)
            .replacing(#""recipient":"r""#, with: #""recipient":"ana""#)
            .replacing(#""phase":"tick"}]"#, with: #""phase":"tick","message":"Doors open"},\#(later)]"#)
        let other = Contract.record("other", Contract.timeline("other", revision: 1), offset: 2)
        for record in [Self.record, Contract.record("board", board, offset: 1), other] {
            #expect(try sink.write(record) == .written)
        }
        try sink.keep([:], of: "timelines")
        for (time, lines) in [
            ("05:59:59", ""), ("06:30:00", "board Demo tick Doors open\nvan Demo tick \n"),
            ("07:00:00", "board Demo tick \nvan Demo tick \n"),
        ] {
            let shown = try await ProcessRunner.run(
                URL(filePath: "/usr/bin/python3"),
                ["Examples/consumers/on_screen.py", path, "ana", "2026-11-20T\(time)Z"])
            #expect(shown.succeeded && shown.standardOutput == lines, "\(shown.standardOutput)\(shown.standardError)")
        }
    }

    @Test("PostgreSQL", arguments: ["timelines", "entries", "reloads", "reload_configurations"])
    func postgres(table: String) async throws {
        let stage = try await PostgresStage()
        let sink = try stage.sink()
        #expect(try sink.write(Self.record) == .written)
        try sink.keep([:], of: "timelines")
        let found = try stage.text(
            """
            SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM information_schema.columns
            WHERE table_name = '\(table)'
            """)
        let told = try columns(of: table)
        #expect(found?.split(separator: " ").map(String.init) == told)
        let line = "SELECT configuration_id || ' ' || phase || ' ' || (value ->> 'id') FROM"
        let shown = try stage.text("\(line) (\(onScreen("date <= '"))) AS x")
        #expect(shown == "van tick tick/2026-11-20T06:00:00Z")
    }
}
