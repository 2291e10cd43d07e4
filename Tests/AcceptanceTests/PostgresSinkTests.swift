import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct PostgresSinkTests {
        @Test(
            "a sink of PostgreSQL and its server are killed again and again: each timeline is written once, none lost"
        )
        func killed() async throws {
            let server = try await PostgresServer()
            let database = try await server.makeDatabase()
            let target = server.url(database)
            var data = GeneratedData(steps: 60)
            let application = try await Application("postgres")
            try await data.publish(to: application, telemetry: false)
            let telemetry = try application.file("telemetry.jsonl", data.telemetry())
            try await application.run("sink", "--to", target, "--until-caught-up")
            // The database itself notes what is written to it, in the transaction that writes it.
            try await server.psql(
                database,
                """
                CREATE TABLE written(partition integer, "offset" bigint);
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO written VALUES(new.source_partition, new.source_offset); RETURN NULL; END $$;
                CREATE TRIGGER noted AFTER INSERT OR UPDATE ON timelines FOR EACH ROW EXECUTE FUNCTION note();
                """)

            let process = try application.start("process", "--clock", GeneratedData.clock)
            let producer = try application.start("produce", "telemetry", "--json", telemetry, "--rate", "250")
            var (kills, restarts) = (0, 0)
            var texts = ""
            while producer.isRunning && kills < 8 {
                let before = try await count(server, database)
                let sink = try application.start("sink", "--to", target)
                let hasWritten = try await eventually(within: .seconds(30), every: .milliseconds(5)) {
                    try await count(server, database) > before + 20 || !producer.isRunning
                }
                #expect(hasWritten, "\(sink.errorOutput)")
                if kills % 2 == 1 {
                    await server.crash()
                    try await server.start()
                    restarts += 1
                    let goesOn = await eventually(within: .seconds(30)) {
                        sink.errorOutput.contains("the sink can write again") || !producer.isRunning
                    }
                    #expect(goesOn && sink.isRunning, "\(sink.errorOutput)")
                }
                sink.kill()
                texts += await sink.result().standardError
                kills += 1
            }
            for program in [producer, process] {
                program.terminate()
                let result = await program.result()
                #expect(result.succeeded, "\(result.failure)")
            }
            try await application.run("sink", "--to", target, "--until-caught-up")

            #expect(kills >= 3 && restarts >= 1)
            #expect(!texts.contains("w/ord") && !texts.contains("w%2Ford"), "no password is told")
            let places = #"SELECT count(*) FROM (SELECT DISTINCT partition, "offset" FROM written) AS places"#
            let written = try await count(server, database)
            #expect(try await server.psql(database, places) == "\(written)\n")
            try await expectAll(in: database, of: server, application)
            show(
                "a sink of PostgreSQL, killed -9 \(kills) times, its server crashed \(restarts) times:"
                    + " \(written) timelines written, none of them twice")
            await server.stop()
        }

        @Test("an address that cannot work is refused at the start, with what mends it and without the password")
        func refused() async throws {
            let server = try await PostgresServer.shared()
            let application = try await Application("postgres-refused", partitions: 1)
            let misspelt = try await tideline(["sink", "--to", "postgres://ana:s3cret@db/x?sslmod=require"])
            #expect(misspelt.status == 64 && misspelt.standardError.contains(#"has "sslmod""#), "\(misspelt.failure)")
            let words = ["--until-caught-up"] + application.options
            let missing = try await tideline(["sink", "--to", server.url("nowhere")] + words)
            #expect(missing.status == 70 && missing.standardError.contains("CREATE DATABASE"), "\(missing.failure)")
            let database = try await server.makeDatabase()
            let given = try await tideline(
                ["sink", "--to", server.url(database, password: nil)] + words,
                environment: ["PGPASSWORD": PostgresServer.password])
            #expect(given.succeeded, "\(given.failure)")
            for text in [misspelt, missing, given].map(\.standardError) {
                #expect(!text.contains("cret") && !text.contains("w/ord") && !text.contains("w%2Ford"))
            }
        }

        @Test("the listener of the examples shows a recipient's screens, and anew when the sink has changed them")
        func listener() async throws {
            let server = try await PostgresServer.shared()
            let database = try await server.makeDatabase()
            let application = try await Application("listener", partitions: 2)
            let now = Date()
            func configuration(_ more: String) -> String {
                #"{"configurationId": "c", "kind": "K", "recipient": "ana", "calendarIds": ["crew"]\#(more)}"#
            }
            let event = """
                {"calendarId": "crew", "uid": "brief", "title": "Briefing", "start": \
                "\((now + 600).formatted(.iso8601))", "end": "\((now + 1200).formatted(.iso8601))"}
                """
            try await application.publish(configurations: configuration(""))
            try await application.run("produce", "calendar", "--json", try application.file("events.jsonl", event))
            _ = try await application.process(clock: now.formatted(.iso8601))
            let sink = try application.start("sink", "--to", server.url(database))
            defer { sink.terminate() }
            let isWritten = await eventually {
                (try? await server.psql(database, "SELECT count(*) FROM timelines")) == "1\n"
            }
            try #require(isWritten, "\(sink.errorOutput)")
            let listener = try ProcessRunner(
                URL(filePath: "/usr/bin/python3"),
                [PackageRoot.url.appending(path: "Examples/consumers/listen.py").path, server.url(database), "ana"])
            defer { listener.terminate() }
            let isShown = await eventually { listener.output == "c K preEvent Briefing\n---\n" }
            #expect(isShown, "Scripts/setup test installs what it needs. \(listener.output)\(listener.errorOutput)")
            try await application.publish(configurations: configuration(#", "signedIn": false"#))
            _ = try await application.process(clock: (now + 1).formatted(.iso8601))
            let last = "---\nc K signedOut Sign in to see this widget.\n---\n"
            let isAnew = await eventually { listener.output.hasSuffix(last) }
            #expect(isAnew, "\(listener.output)")
            show("listen.py: a screen of the tables of PostgreSQL, anew when the sink changed it")
        }

        private func count(_ server: PostgresServer, _ database: String) async throws -> Int {
            Int(try await server.psql(database, "SELECT count(*) FROM written").trimmingCharacters(in: .newlines)) ?? 0
        }

        /// The tables say what the topic says, to the byte, and their entries are those of the timelines.
        private func expectAll(
            in database: String, of server: PostgresServer, _ application: Application
        ) async throws {
            let files = try TimelineFiles.read(try await application.sink())
            let text = try await server.psql(
                database,
                "SELECT configuration_id || '.json ' || encode(convert_to(value, 'UTF8'), 'hex') FROM timelines")
            var rows: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: " ")
                rows[String(parts[0])] = String(parts[1])
            }
            #expect(rows == files.mapValues(Self.hex) && files.count == 220)
            let wrong = """
                SELECT count(*) FROM timelines AS t WHERE value::jsonb -> 'entries' IS DISTINCT FROM (
                    SELECT coalesce(jsonb_agg(e.value ORDER BY position), '[]') FROM entries AS e
                    WHERE e.configuration_id = t.configuration_id)
                """
            #expect(try await server.psql(database, wrong) == "0\n")
            #expect(try await server.psql(database, "SELECT count(DISTINCT configuration_id) FROM entries") == "220\n")
        }

        private static func hex(_ data: Data) -> String {
            let digits = Array("0123456789abcdef".utf8)
            return String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }
}
