import Foundation
import RecordLog
import SQLite
import TestSupport
import Testing

extension AcceptanceTests {
    /// Reloads as rows of a database, which a sink of timelines writes to at the same time.
    @Suite struct ReloadTablesTests {
        @Test("SQLite: the sink is killed -9 again and again, and the table has each reload of the topic once")
        func sqlite() async throws {
            let application = try await Application("reload-rows")
            let path = application.directory.appending(path: "timelines.db").path
            try await application.run("sink", "--reloads", "sqlite:\(path)", "--until-caught-up")
            let database = try SQLiteDatabase(path)
            // The database itself notes what is written to it, in the transaction that writes it.
            try database.execute(
                """
                CREATE TABLE written(partition INTEGER, "offset" INTEGER);
                CREATE TRIGGER inserted AFTER INSERT ON reloads
                BEGIN INSERT INTO written VALUES(new.source_partition, new.source_offset); END;
                """)
            let table = Table(target: "sqlite:\(path)") { query in
                var lines: [String] = []
                let statement = try database.prepare(query)
                while try statement.step() { lines.append(statement.text(0)) }
                return lines
            }
            try await killed(application, table)
        }

        @Test("PostgreSQL: the sink is killed -9 again and again, and the table has each reload of the topic once")
        func postgres() async throws {
            let server = try await PostgresServer.shared()
            let name = try await server.makeDatabase()
            let application = try await Application("reload-rows-postgres")
            try await application.run("sink", "--reloads", server.url(name), "--until-caught-up")
            try await server.psql(
                name,
                """
                CREATE TABLE written(partition integer, "offset" bigint);
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO written VALUES(new.source_partition, new.source_offset); RETURN NULL; END $$;
                CREATE TRIGGER noted AFTER INSERT ON reloads FOR EACH ROW EXECUTE FUNCTION note();
                """)
            let table = Table(target: server.url(name)) { query in
                try await server.psql(name, query).split(separator: "\n").map { String($0) }
            }
            try await killed(application, table)
        }

        @Test("what no sink of reloads can be is refused with what is allowed, and no password is told")
        func refused() async throws {
            for (target, words) in [
                ("pigeon", "apns, sqlite:FILE or postgres://USER@HOST/DB"), ("sqlite:", "sqlite:FILE or postgres://"),
                ("files:out", "must be an address"), ("postgres://ana:s3cret@db/x?sslmod=require", #"has "sslmod""#),
            ] {
                let result = try await tideline(["sink", "--reloads", target])
                #expect(result.status == 64 && result.standardError.contains("'--reloads'"), "\(result.failure)")
                #expect(result.standardError.contains(words), "\(target): \(result.failure)")
                #expect(!result.standardError.contains("cret"), "\(result.failure)")
            }
            let keep = try await tideline(["sink", "--reloads", "sqlite:x", "--set", "reloads.keep=PT1M"])
            #expect(keep.status == 64 && keep.standardError.contains("or off"), "\(keep.failure)")
        }

        /// A database with the tables, and what a query gives: the first column of each row.
        private struct Table {
            var target: String
            var query: (String) async throws -> [String]

            var count: Int {
                get async throws { Int(try await query("SELECT count(*) FROM written").first ?? "") ?? 0 }
            }
        }

        private func killed(_ application: Application, _ table: Table) async throws {
            var data = GeneratedData(steps: 120)
            try await data.publish(to: application, telemetry: false)
            let telemetry = try application.file("telemetry.jsonl", data.telemetry())
            let process = try application.start(
                "process", "--clock", GeneratedData.clock, "--set", "reload.limit=1000", "--set", "reload.burst=500",
                "--set", "reload.coalesce=PT0S")
            let producer = try application.start("produce", "telemetry", "--json", telemetry, "--rate", "300")
            // The clock is set, so that reloads seem old.
            let words = ["sink", "--reloads", table.target, "--set", "reloads.keep=off"]
            let timelines = try application.start("sink", "--to", table.target)
            var kills = 0
            while producer.isRunning && kills < 8 {
                let before = try await table.count
                let sink = try ProcessRunner(TidelineExecutable.url, words + application.options)
                let hasWritten = try await eventually(within: .seconds(120), every: .milliseconds(5)) {
                    try await table.count > before + 20 || !producer.isRunning
                }
                #expect(hasWritten, "\(sink.errorOutput)")
                sink.kill()
                _ = await sink.result()
                kills += 1
            }
            for program in [producer, process, timelines] {
                program.terminate()
                let result = await program.result()
                #expect(result.succeeded, "\(result.failure)")
            }
            try await application.run(words + ["--until-caught-up"])
            try await application.run("sink", "--to", table.target, "--until-caught-up")
            #expect(kills >= 3)
            try await expectAll(in: table, of: application)
            try await expectStatus(of: table, application)
            try await expectRemoval(from: table, application)
            let name = table.target.prefix { $0 != ":" }
            show("a table of reloads in \(name), killed -9 \(kills) times: \(try await table.count) rows, each once")
        }

        /// The table says what the topic says, to the byte, and each row was written once.
        private func expectAll(in table: Table, of application: Application) async throws {
            let topic = try await application.records(of: "timeline.reloads").map { record in
                "\(record.partition)/\(record.offset) \(String(decoding: record.value ?? [], as: UTF8.self))"
            }
            let rows = try await table.query(
                "SELECT source_partition || '/' || source_offset || ' ' || value FROM reloads")
            #expect(rows.sorted() == topic.sorted() && topic.count > 100, "\(rows.count) of \(topic.count)")
            #expect(try await table.count == topic.count)
            let named = try await table.query("SELECT count(*) FROM reload_configurations")
            let ids = topic.map { $0.split(separator: "]")[0].split(separator: "[")[1].split(separator: ",").count }
            #expect(named == ["\(ids.reduce(0, +))"])
            #expect(try await table.query("SELECT count(*) FROM timelines") == ["220"])
        }

        private func expectStatus(of table: Table, _ application: Application) async throws {
            let status = try await application.run("sink", "--status", "--json")
            let lines = status.standardOutput.split(separator: "\n").filter { $0.contains(#""sink":"reloads-"#) }
            #expect(lines.count == 1, "\(status.standardOutput)")
            let line = lines.first ?? ""
            #expect(line.contains(#""state":"stopped""#) && line.contains(#""lag":0"#), "\(line)")
            #expect(line.contains(application.topic("timeline.reloads")) && !line.contains("w%2Ford"), "\(line)")
        }

        /// With the next batch old rows go, and a record that is no reload is a dead letter.
        private func expectRemoval(from table: Table, _ application: Application) async throws {
            let value = """
                {"recipient": "ana", "kind": "K", "configurationIds": ["c"], "reason": "later", "revision": 1, \
                "issuedAt": "\(Date().formatted(.iso8601))", "budget": \
                {"limit": 48, "remaining": 6, "resetsAt": "2026-11-21T11:40:12Z"}}
                """
            try await application.produce(
                [
                    (key: "ana", value: Array("no reload".utf8), headers: []),
                    (key: "ana", value: Array(value.utf8), []),
                ],
                to: "timeline.reloads")
            let result = try await application.run("sink", "--reloads", table.target, "--until-caught-up")
            #expect(result.standardOutput.contains(#""written":1"#), "\(result.failure)")
            #expect(result.standardOutput.contains(#""unusable":1"#), "\(result.failure)")
            #expect(try await table.query("SELECT value FROM reloads") == [value])
            #expect(try await table.query("SELECT configuration_id FROM reload_configurations") == ["c"])
            let letters = try await application.records(of: "tideline.dead-letters")
            #expect(letters.map(\.value) == [Array("no reload".utf8)])
        }
    }
}
