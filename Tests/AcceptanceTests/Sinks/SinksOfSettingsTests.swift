import Foundation
import RecordLog
import SQLite
import TestSupport
import Testing

extension AcceptanceTests {
    @Suite struct SinksOfSettingsTests {
        private static func value(_ id: String, kind: String) -> String {
            #"{"configurationId":"\#(id)","kind":"\#(kind)","family":"systemSmall","recipient":"r-\#(id)","#
                + #""revision":3,"generatedAt":"2026-01-01T00:00:00Z","entries":[]}"#
        }

        private func publish(_ ids: [String], kind: String, sinks: String? = nil, to application: Application)
            async throws
        {
            let records = ids.map { id in
                let headers =
                    [Header("ce_id", "\(id)/3/2026-01-01T00:00:00Z")] + (sinks.map { [Header("ce_sinks", $0)] } ?? [])
                return (key: Optional(id), value: Optional(Array(Self.value(id, kind: kind).utf8)), headers: headers)
            }
            try await application.produce(records, to: "timelines")
        }

        private func names(_ directory: URL) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasPrefix(".") }.sorted()
        }

        private func lines(_ result: ProcessResult) throws -> [[String: Any]] {
            try result.standardOutput.split(separator: "\n").map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }

        @Test(
            "sinks of the settings run side by side; one that cannot go on holds up no other; each says how it is"
        )
        func several() async throws {
            var application = try await Application("sinks")
            let directory = application.directory
            let (phones, cars) = (directory.appending(path: "phones"), directory.appending(path: "cars"))
            let wall = try application.file("wall", "not a directory")
            let sinks = #"""
                {"phones": {"to": "files:\#(phones.path)"},
                 "cars": {"to": "files:\#(cars.path)", "only": ["kind=Car", "recipient=r-*"]},
                 "tables": {"to": "sqlite:\#(directory.path)/t.db", "default": false},
                 "wall": {"to": "files:\#(wall)"}}
                """#
            application.settings += ["--set", "sinks=\(sinks.replacing("\n", with: ""))"]
            try await publish(["a", "b"], kind: "Bus", to: application)
            try await publish(["c"], kind: "Car", to: application)
            try await publish(["d"], kind: "Car", sinks: "tables,cars", to: application)
            try await application.produce(
                [(key: "bad", value: Array("no timeline".utf8), headers: [])], to: "timelines")

            let result = try await tideline(["sink", "--until-caught-up"] + application.options)
            #expect(result.status == 70 && result.standardError.contains("wall"), "\(result.failure)")
            #expect(result.standardError.contains("the other sinks go on"), "\(result.failure)")
            #expect(try lines(result).map { $0["sink"] as? String } == ["phones", "cars", "tables"])
            #expect(try lines(result).map { $0["written"] as? Int } == [3, 2, 1])
            #expect(try names(phones) == ["a.json", "b.json", "c.json"])
            #expect(try names(cars) == ["c.json", "d.json"])

            // Two sinks were asked to write it; each says so by itself.
            let letters = try await application.records(of: "tideline.dead-letters")
            #expect(
                letters.map(\.keyText) == ["bad", "bad"] && letters.allSatisfy { $0.value == Array("no timeline".utf8) }
            )
            let listed = try await application.run("dead-letters", "list")
            #expect(listed.standardOutput.contains("the value is not a timeline"), "\(listed.failure)")

            try await publish(["e", "f"], kind: "Bus", to: application)
            let status = try lines(try await application.run("sink", "--status"))
            try #require(status.map { $0["sink"] as? String } == ["cars", "phones", "tables", "wall"])
            #expect(status.map { $0["state"] as? String } == ["stopped", "stopped", "stopped", "failed"])
            #expect(status.map { $0["lag"] as? Int } == [2, 2, 2, 7])
            let error = try #require(status[3]["lastError"] as? String)
            #expect(error.contains(wall))
            #expect(status[0]["revision"] as? Int == 3)
            let one = try lines(try await application.run("sink", "--status", "phones"))
            #expect(one.count == 1)

            try await application.run("sink", "phones", "--until-caught-up")
            #expect(try names(phones) == ["a.json", "b.json", "c.json", "e.json", "f.json"])
            #expect(try names(cars) == ["c.json", "d.json"])

            // A run that writes nothing keeps in mind what was written last.
            let before = try lines(try await application.run("sink", "--status", "phones"))
            try await application.run("sink", "phones", "--until-caught-up")
            let after = try lines(try await application.run("sink", "--status", "phones"))
            let last = before.first?["configurationId"] as? String
            #expect(last == "e" || last == "f")
            #expect(after.first?["configurationId"] as? String == last && after.first?["revision"] as? Int == 3)
        }

        @Test("a sink that failed begins again by itself once what was wrong is mended; its health says that it failed")
        func again() async throws {
            var application = try await Application("sinks-again", partitions: 1)
            let phones = application.directory.appending(path: "phones")
            let wall = try application.file("wall", "not a directory")
            let sinks = #"{"phones": {"to": "files:\#(phones.path)"}, "wall": {"to": "files:\#(wall)"}}"#
            application.settings += ["--set", "sinks=\(sinks)"]
            try await publish(["a"], kind: "Bus", to: application)
            let sink = try application.start("sink", "--metrics", "127.0.0.1:0")
            defer { sink.kill() }
            let address = try await Monitored.address(of: sink)
            let isTold = try await eventually(within: .seconds(120)) {
                let body = try await Monitored.get("/health/ready", at: address).body
                return body.contains("sink wall: ") && body.contains("it begins again by itself")
            }
            #expect(isTold)
            // A supervisor has nothing to mend by a new start.
            try await Monitored.wait(for: "/health/live", at: address, 200)
            try FileManager.default.removeItem(atPath: wall)
            let isWritten = await eventually(within: .seconds(60)) {
                FileManager.default.fileExists(atPath: wall + "/a.json")
                    && FileManager.default.fileExists(atPath: phones.path + "/a.json")
            }
            #expect(isWritten)
            try await Monitored.wait(for: "/health/ready", at: address, 200)
            let isCounted = try await eventually {
                let metrics = try await Monitored.get("/metrics", at: address).body
                return ["phones", "wall"].allSatisfy { metrics.contains("tideline_sink_revision{sink=\"\($0)\"} 3\n") }
            }
            #expect(isCounted)
            let metrics = try await Monitored.get("/metrics", at: address).body
            let failures = metrics.split(separator: "\n")
                .first { $0.hasPrefix(#"tideline_sink_failures_total{sink="wall"}"#) }
                .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
            #expect(failures.map { $0 >= 1 } == true)
            sink.terminate()
            let result = await sink.result()
            #expect(result.succeeded, "\(result.failure)")
            let told = result.standardError.split(separator: "\n").filter { $0.contains("the other sinks go on") }
            #expect(told.count == 1 && told[0].contains("it begins again in"), "\(result.standardError)")
        }

        @Test(
            "a target that is away holds up no other sink; its own says that it waits, and goes on once it is back",
            arguments: ["redis", "postgres"])
        func away(kind: String) async throws {
            let server = try await MortalServer(kind)
            var application = try await Application("sinks-away-\(kind)", partitions: 1)
            let phones = application.directory.appending(path: "phones")
            let sinks = #"{"phones": {"to": "files:\#(phones.path)"}, "store": {"to": "\#(server.address)"}}"#
            application.settings += ["--set", "sinks=\(sinks)"]
            try await publish(["a"], kind: "Bus", to: application)
            let sink = try application.start("sink")
            defer { sink.kill() }
            func hold(_ ids: String...) async throws -> Bool {
                try await eventually(within: .seconds(60)) {
                    let found = try await server.configurations()
                    return found == ids && (try? names(phones)) == ids.map { "\($0).json" }
                }
            }
            #expect(try await hold("a"), "\(sink.errorOutput)")

            await server.kill()
            try await publish(["b"], kind: "Bus", to: application)
            var rows: [[String: Any]] = []
            let isTold = try await eventually(within: .seconds(60), every: .milliseconds(500)) {
                rows = try lines(try await application.run("sink", "--status"))
                let states = rows.map { $0["state"] as? String }
                return states == ["running", "waiting"] && rows.map { $0["lag"] as? Int } == [0, 1]
            }
            #expect(isTold && rows.last?["lastError"] is String, "\(rows) \(sink.errorOutput)")
            // Not only what was read with the other one goes on.
            try await publish(["c"], kind: "Bus", to: application)
            let goesOn = try await eventually(within: .seconds(60)) {
                try names(phones) == ["a.json", "b.json", "c.json"]
            }
            #expect(goesOn, "\(sink.errorOutput)")

            try await server.start()
            #expect(try await hold("a", "b", "c"), "\(sink.errorOutput)")
            let isBack = try await eventually(within: .seconds(60), every: .milliseconds(500)) {
                rows = try lines(try await application.run("sink", "--status"))
                let states = rows.map { $0["state"] as? String }
                return states == ["running", "running"] && rows.map { $0["lag"] as? Int } == [0, 0]
            }
            #expect(isBack, "\(rows) \(sink.errorOutput)")
            sink.terminate()
            let result = await sink.result()
            #expect(result.succeeded, "\(result.failure)")
            await server.kill()
        }

        @Test("a sink that runs is seen to run from outside, and one that was killed is silent after a while")
        func running() async throws {
            let application = try await Application("statuses", partitions: 1)
            try await publish(["a"], kind: "Bus", to: application)
            let sink = try application.start("sink", "--to", "files:\(application.directory.path)/out")
            func state() async throws -> String? {
                let result = try await tideline(["sink", "--status"] + application.options)
                return try result.succeeded ? lines(result).first?["state"] as? String : nil
            }
            let runs = try await eventually(within: .seconds(120), every: .milliseconds(500)) {
                try await state() == "running"
            }
            #expect(runs)
            // What the pipeline writes ends with the marker of a transaction, which is nothing that waits.
            try await application.publish(configurations: #"{"configurationId":"w","kind":"Board"}"# + "\n")
            _ = try await application.process(clock: GeneratedData.clock)
            let isDone = try await eventually(within: .seconds(120), every: .milliseconds(500)) {
                let result = try await tideline(["sink", "--status"] + application.options)
                let row = try result.succeeded ? lines(result).first : nil
                return row?["configurationId"] as? String == "w" && row?["lag"] as? Int == 0
            }
            #expect(isDone)
            sink.kill()
            _ = await sink.result()
            let isSilent = try await eventually(within: .seconds(180), every: .seconds(1)) {
                try await state() == "silent"
            }
            #expect(isSilent)
        }

        @Test("a sink of the settings may keep reloads, in the tables beside those of timelines")
        func reloads() async throws {
            var application = try await Application("sinks-of-reloads")
            let path = application.directory.appending(path: "t.db").path
            let sinks = #"{"log": {"reloads": "sqlite:\#(path)"}, "tables": {"to": "sqlite:\#(path)"}}"#
            // The times are those of the data, long ago by the clock of today.
            application.settings += ["--set", "sinks=\(sinks)", "--set", "reloads.keep=off"]
            let widgets = (0..<3).map { #"{"configurationId":"w\#($0)","kind":"Board","recipient":"r\#($0)"}"# + "\n" }
            try await application.publish(configurations: widgets.joined())
            #expect(try await application.process(clock: GeneratedData.clock).reloads == 3)
            let result = try await application.run("sink", "--until-caught-up")
            #expect(try lines(result).map { $0["sink"] as? String } == ["log", "tables"], "\(result.failure)")
            #expect(try lines(result).map { $0["written"] as? Int } == [3, 3], "\(result.standardOutput)")
            let database = try SQLiteDatabase(path)
            for table in ["timelines", "reloads"] {
                #expect(try database.integer("SELECT count(DISTINCT recipient) FROM \(table)") == 3)
            }
            let status = try lines(try await application.run("sink", "--status"))
            #expect(status.map { $0["sink"] as? String } == ["log", "tables"])
            #expect(status.map { $0["lag"] as? Int } == [0, 0])
        }

        @Test("names and declarations that are wrong are refused, all of them, with what is allowed")
        func wrong() async throws {
            func refused(_ words: String..., sinks: String? = nil) async throws -> String {
                let settings = sinks.map { ["--set", "sinks=\($0)"] } ?? []
                let result = try await tideline(["sink"] + words + settings)
                #expect(result.status == 64, "\(result.failure)")
                return result.standardError
            }
            #expect(try await refused().contains("no sink is named: give '--to files:DIR'"))
            #expect(try await refused("foo").contains("there is no sink 'foo', for the settings name none: give '--to"))
            let target = try await refused("files:out", sinks: #"{"phones": {"to": "files:a"}}"#)
            #expect(target.contains("'files:out'") && target.contains("a target stands behind --to"), "\(target)")
            let unknown = try await refused("phone", sinks: #"{"phones": {"to": "files:a"}}"#)
            #expect(unknown.contains("'phone'") && unknown.contains("phones"))
            let many = try await refused(
                sinks: #"{"a b": {"to": "files:a"}, "c": {"to": "ftp:x", "only": "size=3", "bad": 1}, "d": 7}"#)
            for word in [
                "sinks.a b: must be named by", "sinks.c.to: must be files:DIR", "sinks.d: must be a map",
                "sinks.c.bad: is not known; allowed are to, only, default, secret, secret-file, hosts, batch, reloads",
            ] {
                #expect(many.contains(word), "\(word): \(many)")
            }
            let tables = try await refused(
                sinks: #"{"a": {"reloads": "files:x"}, "b": {"reloads": "sqlite:x", "to": 1}}"#)
            #expect(tables.contains("sinks.a.reloads: must be sqlite:FILE or postgres://USER@HOST/DB"))
            #expect(tables.contains("sinks.b.to: is of timelines, and cannot be beside reloads"))
            let twice = try await refused(sinks: #"{"a": {"to": "files:x"}, "b": {"to": "files:x"}}"#)
            #expect(twice.contains("must be another target than that of a"))
            #expect(try await refused("phones", "--to", "files:x").contains("cannot be given with a target"))
            #expect(try await refused("--status", "--to", "files:x").contains("'--status' shows sinks and runs none"))
        }
    }
}

/// A server of its own, which keeps what it has acknowledged when it is killed.
private struct MortalServer {
    private let redis: RedisProcess?
    private let postgres: PostgresServer?
    /// What a sink is given.
    let address: String
    private let database: String

    init(_ kind: String) async throws {
        guard kind != "redis" else {
            let redis = try RedisProcess(["--save", "", "--appendonly", "yes", "--appendfsync", "always"])
            self.redis = redis
            postgres = nil
            address = redis.address
            database = ""
            return
        }
        let postgres = try await PostgresServer()
        let database = try await postgres.makeDatabase()
        redis = nil
        self.postgres = postgres
        address = postgres.url(database)
        self.database = database
    }

    /// The ids of the configurations that are there, ascending.
    func configurations() async throws -> [String] {
        let prefix = "tideline:timeline:"
        if let redis {
            let keys = try redis.cli("KEYS", "\(prefix)*").split(separator: "\n")
            return keys.map { String($0.dropFirst(prefix.count)) }.sorted()
        }
        guard let postgres else { return [] }
        // The sink may not have made it yet.
        let isThere = try await postgres.psql(database, "SELECT to_regclass('timelines') IS NOT NULL") == "t\n"
        guard isThere else { return [] }
        let text = try await postgres.psql(database, "SELECT configuration_id FROM timelines ORDER BY 1")
        return text.split(separator: "\n").map(String.init)
    }

    func kill() async {
        redis?.kill()
        await postgres?.crash()
    }

    func start() async throws {
        try redis?.start()
        try await postgres?.start()
    }
}
