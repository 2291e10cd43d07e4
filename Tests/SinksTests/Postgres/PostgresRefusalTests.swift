import Foundation
import Postgres
import RecordLog
import Sinks
import TestSupport
import Testing

@Suite("What PostgreSQL refuses")
struct PostgresRefusalTests {
    private typealias Contract = TimelineSinkContract
    private let stage: PostgresStage

    init() async throws { stage = try await PostgresStage() }

    @Test(
        "a value in the middle of a batch is left out by itself, and configuration, field and answer are told",
        arguments: [
            (#""phase":"tick""#, #""phase":"tick","event":{"title":"a\u0000b"}"#, "entries[0].event.title", "22P05"),
            (#""kind":"Demo""#, #""kind":"De\u0000mo""#, "kind", "22P05"),
            (#""date":"2026"#, #""date":"0000"#, "entries[0].date", "22008"),
            (#""generatedAt":"2026-11-20"#, #""generatedAt":"2026-13-45"#, "generatedAt", "22008"),
        ])
    func oneValue(part: String, replacement: String, field: String, code: String) throws {
        let sink = try stage.sink()
        let records = (0..<50).map { number in
            PostgresStage.record("c\(number)", revision: 1, offset: Int64(number)) { text in
                number == 23 ? text.replacing(part, with: replacement) : text
            }
        }
        let answers = try sink.write(records)
        try sink.keep([0: SinkPosition(next: Offset(50))], of: "timelines")
        for (number, answer) in answers.enumerated() where number != 23 { #expect(answer == .done(.written)) }
        guard case .leftOut(let bad) = answers[23] else {
            Issue.record("\(answers[23])")
            return
        }
        #expect(bad.field == field && bad.reason.hasPrefix("PostgreSQL refuses it: "), "\(bad)")
        #expect(bad.reason.contains("(\(code))"), "\(bad)")
        #expect(try stage.text("SELECT count(*) FROM timelines") == "49")
        #expect(try stage.text("SELECT count(*) FROM entries") == "49")
        #expect(try stage.text("SELECT next FROM positions") == "50")
    }

    @Test("a host whose name cannot be found is waited for, and said in other words than one that does not answer")
    func unknownHost() throws {
        for (address, isUnknown) in [("no-such-host.invalid", true), ("127.0.0.1:1", false)] {
            #expect {
                try PostgresSink(PostgresAddress("postgres://\(address)/timelines")).positions(of: "timelines")
            } throws: {
                guard let error = $0 as? SinkError, error.isRetriable else { return false }
                // Where there is no name server, nobody can say whether there is such a host.
                if "\(error)".contains("Temporary failure") { return true }
                return error.isUnknownHost == isUnknown
                    && "\(error)".contains("the name of the host cannot be found") == isUnknown
            }
        }
    }

    @Test("ids that no text or no index can hold are left out; the value of one that was there stays")
    func ids() throws {
        let sink = try stage.sink()
        // What cannot be compressed to a third of a page.
        var random = SplitMix64(seed: 7)
        let long = String((0..<6000).map { _ in Character(Unicode.Scalar(UInt8(33 + random.next() % 90))) })
            .replacing("\\", with: "-").replacing("\"", with: "-")
        let answers = try sink.write([
            PostgresStage.record("a", revision: 1, offset: 0), Contract.record("a\u{0}b", nil, offset: 1),
            PostgresStage.record("a\u{0}c", revision: 1, offset: 2), PostgresStage.record(long, revision: 1, offset: 3),
            PostgresStage.record("r", revision: 1, offset: 4) {
                $0.replacing(#""recipient":"r""#, with: #""recipient":"\#(long)""#)
            },
            Contract.record("ä😀'\"\\\t\n", Contract.timeline("x", revision: 1), offset: 5),
        ])
        try sink.keep([:], of: "timelines")
        #expect(answers[0] == .done(.written) && answers[5] == .done(.written))
        for index in [1, 2] {
            #expect("\(answers[index])".contains("field configurationId: PostgreSQL takes no"), "\(answers[index])")
        }
        #expect("\(answers[3])".contains("field configurationId: PostgreSQL refuses it: index row"), "\(answers[3])")
        #expect("\(answers[4])".contains("field recipient: "), "\(answers[4])")
        #expect(
            try stage.text("SELECT string_agg(configuration_id, '+' ORDER BY source_offset) FROM timelines")
                == "a+ä😀'\"\\\t\n")
    }

    @Test("a value that is refused does not take the timeline that is there, and a later one replaces it")
    func keepsTheOld() throws {
        let sink = try stage.sink()
        _ = try sink.write([PostgresStage.record("a", revision: 1, offset: 0)])
        try sink.keep([:], of: "timelines")
        let bad = PostgresStage.record("a", revision: 2, offset: 1) { $0.replacing("Demo", with: #"D\u0000"#) }
        #expect { try sink.write(bad) } throws: { error in
            if case .unusable(let bad) = error as? SinkError { bad.field == "kind" } else { false }
        }
        try sink.keep([:], of: "timelines")
        #expect(try stage.text("SELECT revision FROM timelines") == "1")
        #expect(try sink.write([PostgresStage.record("a", revision: 3, offset: 2)]) == [.done(.written)])
        try sink.keep([:], of: "timelines")
        #expect(try stage.text("SELECT revision FROM timelines") == "3")
    }

    @Test("in place of a value that is refused the one before it is written in the same transaction")
    func takesTheOneBefore() throws {
        let sink = try stage.sink()
        let bad = PostgresStage.record("a", revision: 2, offset: 1) { $0.replacing("Demo", with: #"D\u0000"#) }
        let answers = try sink.write([bad, PostgresStage.record("b", revision: 1, offset: 2)])
        guard case .leftOut = answers[0] else {
            Issue.record("\(answers[0])")
            return
        }
        #expect(try sink.write([PostgresStage.record("a", revision: 1, offset: 0)]) == [.done(.written)])
        try sink.keep([:], of: "timelines")
        let sql = "SELECT string_agg(configuration_id || revision, '+' ORDER BY configuration_id) FROM timelines"
        #expect(try stage.text(sql) == "a1+b1")
    }

    @Test("tables that are not a sink's, or of a later release, are refused and left alone")
    func foreign() throws {
        try stage.execute("CREATE TABLE entries(x int)")
        #expect { try stage.sink().positions(of: "timelines") } throws: {
            isRefused($0, "the tables entries of schema public are not a sink's")
        }
        #expect(try stage.text("SELECT count(*) FROM entries") == "0")
        try stage.execute("CREATE SCHEMA other")
        #expect(try stage.sink("options=-csearch_path%3Dother").positions(of: "timelines").isEmpty)
        #expect(try stage.text("SELECT version FROM other.tideline_schema") == "2")
        try stage.execute("UPDATE other.tideline_schema SET version = 99")
        #expect { try stage.sink("options=-csearch_path%3Dother").positions(of: "timelines") } throws: {
            isRefused($0, "of version 99, and this release knows 2 at most")
        }
        #expect { try stage.sink("options=-csearch_path%3Dnone").positions(of: "timelines") } throws: {
            isRefused($0, "no schema of its search_path is there: CREATE SCHEMA")
        }
    }

    @Test("tables of an earlier version are brought to this one")
    func migration() throws {
        try stage.execute("CREATE TABLE tideline_schema AS SELECT 0::bigint AS version, 0::bigint AS sinks")
        _ = try stage.sink().write([PostgresStage.record("a", revision: 1, offset: 0)])
        #expect(try stage.text("SELECT version FROM tideline_schema") == "2")
        #expect(try stage.text("SELECT count(*) FROM timelines") == "0")
    }

    @Test("a database that is missing, a wrong password, and rights that are missing are named, with what mends it")
    func places() async throws {
        let wrong = try PostgresAddress(stage.server.url(stage.database, password: "another secret"))
        #expect { try PostgresSink(wrong).positions(of: "timelines") } throws: { error in
            isRefused(error, "PGPASSWORD") && !"\(error)".contains("another secret")
        }
        let none = try PostgresAddress(stage.server.url("nowhere"))
        #expect { try PostgresSink(none).positions(of: "timelines") } throws: {
            isRefused($0, #"database "nowhere" does not exist (3D000)"#) && isRefused($0, "CREATE DATABASE")
        }
        let capital = try PostgresAddress(stage.server.url("Nowhere"))
        #expect { try PostgresSink(capital).positions(of: "timelines") } throws: {
            isRefused($0, #"make it with CREATE DATABASE "Nowhere" OWNER tideline"#)
        }
        let latin = try await PostgresStage(options: "ENCODING 'LATIN1' TEMPLATE template0")
        #expect { try latin.sink().positions(of: "timelines") } throws: { isRefused($0, "its encoding is LATIN1") }
        try stage.execute("CREATE ROLE \(stage.database) LOGIN PASSWORD 'guest'")
        let guest = "postgres://\(stage.database):guest@127.0.0.1:\(stage.server.port)/\(stage.database)"
        #expect { try PostgresSink(PostgresAddress(guest)).positions(of: "timelines") } throws: {
            isRefused($0, "permission denied for schema public (42501); the role needs GRANT CREATE")
                && isRefused($0, "USAGE ON SCHEMA public TO \(stage.database);")
        }
    }

    @Test("what is shown of an address, and of its failures, has no password")
    func credentials() async throws {
        for text in [
            "postgres://ana:s3cret%40x@db.example:5433,other/timelines?sslmode=require",
            "host=db.example,other port=5433,5432 dbname=timelines user=ana password=s3cret@x",
        ] {
            let address = try PostgresAddress(text)
            #expect("\(address)".contains("postgres://db.example:5433,other:") && "\(address)".hasSuffix("/timelines"))
            #expect(!"\(address)".contains("s3cret"))
        }
        for (text, words) in [
            ("postgres://ana:s3%cret@h/d", "written as %XX"), ("password=s3cret and more", "is no address"),
            ("postgres://ana:s3cret@h/d?sslmod=require", #"has "sslmod""#), ("", "is no address"),
            ("timelines", "is no address"),
            ("dbname=postgres://a:s3cret@h/d", "the name of a database"),
            ("postgres://ana:s3cret@h:port", "is no address"),
            ("postgres://ana:s3/cret@db/x", "is no address"), ("postgres://ana:s3cret/w@db/x", "is no address"),
        ] {
            #expect { _ = try PostgresAddress(text.isEmpty ? "x" : text) } throws: {
                "\($0)".contains(words) && !"\($0)".contains("cret")
            }
        }
    }
}
