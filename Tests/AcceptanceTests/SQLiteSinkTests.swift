import Foundation
import SQLite
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct SQLiteSinkTests {
        @Test("a sink of tables that is killed -9 again and again writes each timeline once, and ends with all of them")
        func killed() async throws {
            var data = GeneratedData(steps: 60)
            let application = try await Application("tables")
            try await data.publish(to: application, telemetry: false)
            let telemetry = try application.file("telemetry.jsonl", data.telemetry())
            let file = application.directory.appending(path: "timelines.db").path
            try await application.run("sink", "--to", "sqlite:\(file)", "--until-caught-up")
            let database = try SQLiteDatabase(file)
            // The database itself notes what is written to it, in the transaction that writes it.
            try database.execute(
                """
                CREATE TABLE written(partition INTEGER, "offset" INTEGER);
                CREATE TRIGGER inserted AFTER INSERT ON timelines
                BEGIN INSERT INTO written VALUES(new.source_partition, new.source_offset); END;
                CREATE TRIGGER updated AFTER UPDATE ON timelines
                BEGIN INSERT INTO written VALUES(new.source_partition, new.source_offset); END;
                """)

            let process = try application.start("process", "--clock", GeneratedData.clock)
            let producer = try application.start("produce", "telemetry", "--json", telemetry, "--rate", "1000")
            var kills = 0
            while producer.isRunning && kills < 8 {
                let before = try count(database)
                let sink = try application.start("sink", "--to", "sqlite:\(file)")
                let hasWritten = try await eventually(within: .seconds(30), every: .milliseconds(5)) {
                    try count(database) > before + 20 || !producer.isRunning
                }
                #expect(hasWritten, "\(sink.errorOutput)")
                sink.kill()
                _ = await sink.result()
                kills += 1
            }
            for program in [producer, process] {
                program.terminate()
                let result = await program.result()
                #expect(result.succeeded, "\(result.failure)")
            }
            try await application.run("sink", "--to", "sqlite:\(file)", "--until-caught-up")

            #expect(kills >= 3)
            let places = #"SELECT count(*) FROM (SELECT DISTINCT partition, "offset" FROM written)"#
            #expect(try database.integer(places) == count(database))
            try await expectAll(in: database, of: application)
            let written = try count(database)
            show("a sink of tables, killed -9 \(kills) times: \(written) timelines written, none of them twice")
        }

        private func count(_ database: SQLiteDatabase) throws -> Int64 {
            try database.integer("SELECT count(*) FROM written") ?? 0
        }

        /// The tables say what files say, to the byte, and their entries are those of the timelines.
        private func expectAll(in database: SQLiteDatabase, of application: Application) async throws {
            let files = try TimelineFiles.read(try await application.sink())
            var rows: [String: Data] = [:]
            let statement = try database.prepare("SELECT configuration_id, value FROM timelines")
            while try statement.step() { rows["\(statement.text(0)).json"] = Data(statement.text(1).utf8) }
            #expect(rows == files && files.count == 220)
            let wrong = """
                SELECT count(*) FROM timelines AS t WHERE json_array_length(value, '$.entries')
                <> (SELECT count(*) FROM entries WHERE configuration_id=t.configuration_id)
                """
            #expect(try database.integer(wrong) == 0)
            #expect(try database.integer("SELECT count(DISTINCT configuration_id) FROM entries") == 220)
        }
    }
}
