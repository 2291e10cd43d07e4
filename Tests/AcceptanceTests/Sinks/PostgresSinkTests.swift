import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct PostgresSinkTests {
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

        @Test("a refusal says the lines to paste, with role and database; a plain role writes once they are run")
        func pasted() async throws {
            let server = try await PostgresServer.shared()
            let application = try await Application("postgres-pasted", partitions: 1)
            let database = try await server.makeDatabase()
            let (role, other, missing) = ("\(database)_role", "\(database)_own", PostgresServer.missingRole)
            try await server.psql("postgres", "CREATE ROLE \(role) LOGIN PASSWORD '\(role)'")
            func sink(_ user: String, _ database: String) async throws -> ProcessResult {
                let address = server.url(database, user: user, password: user)
                return try await tideline(["sink", "--to", address, "--until-caught-up"] + application.options)
            }
            func expect(_ result: ProcessResult, _ code: String, _ lines: String...) {
                for text in ["(\(code))"] + lines {
                    #expect(result.status == 70 && result.standardError.contains(text), "\(text): \(result.failure)")
                }
            }
            let newRole = "make it with CREATE ROLE \(missing) LOGIN PASSWORD '…'"
            expect(try await sink(missing, database), "28000", newRole)

            let create = "CREATE DATABASE \(other) OWNER \(role) ENCODING 'UTF8' TEMPLATE template0"
            expect(try await sink(role, other), "3D000", create)
            try await server.psql("postgres", create)
            let own = try await sink(role, other)
            #expect(own.succeeded, "\(own.failure)")

            let grants = [
                "GRANT CREATE, USAGE ON SCHEMA public TO \(role);",
                "GRANT TEMPORARY ON DATABASE \(database) TO \(role);",
            ]
            expect(try await sink(role, database), "42501", grants[0], grants[1])
            try await server.psql(database, grants[0], grants[1])
            let granted = try await sink(role, database)
            #expect(granted.succeeded, "\(granted.failure)")
        }

        @Test("the commands of the page make a role and a database that the sink writes to")
        func page() async throws {
            let server = try await PostgresServer.shared()
            let application = try await Application("postgres-page", partitions: 1)
            let file = PackageRoot.url.appending(path: "Documentation/Consuming.md")
            let page = try String(contentsOf: file, encoding: .utf8)
            let commands = page.split(separator: "\n")
                .filter { $0.hasPrefix("createuser ") || $0.hasPrefix("createdb ") }
            try #require(commands.count == 2)
            let database = uniqueName("p").replacing("-", with: "_")
            let role = "\(database)_role"
            for command in commands {
                // The password is asked for at a terminal.
                let names = ["tideline": role, "timelines": database]
                let parts = command.split(separator: " ").map { String($0) }.filter { $0 != "-P" }
                let words = parts.map { names[$0] ?? $0 }
                let result = try await server.client(words[0], Array(words.dropFirst()))
                try #require(result.succeeded, "\(result.failure)")
            }
            try await server.psql("postgres", "ALTER ROLE \(role) PASSWORD '\(role)'")
            #expect(page.contains("--to 'postgres://tideline@db.example/timelines?"))
            let address = server.url(database, user: role, password: role)
            let sink = try await tideline(["sink", "--to", address, "--until-caught-up"] + application.options)
            #expect(sink.succeeded, "\(sink.failure)")
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
            // In the first half hour of a day its beginning comes behind that of the lead.
            let isShown = await eventually { listener.output.contains(/^c K (preEvent|day) Briefing\n---\n$/) }
            #expect(isShown, "Scripts/setup test installs what it needs. \(listener.output)\(listener.errorOutput)")
            try await application.publish(configurations: configuration(#", "signedIn": false"#))
            _ = try await application.process(clock: (now + 1).formatted(.iso8601))
            let last = "---\nc K signedOut Sign in to see this widget.\n---\n"
            let isAnew = await eventually { listener.output.hasSuffix(last) }
            #expect(isAnew, "\(listener.output)")
            show("listen.py: a screen of the tables of PostgreSQL, anew when the sink changed it")
        }
    }
}
