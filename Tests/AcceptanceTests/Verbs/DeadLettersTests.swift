import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `dead-letters` on a real broker: what is listed, shown, put back once, and set aside.
    @Suite struct DeadLettersTests {
        private static let token = String(repeating: "c0ffee12", count: 8)
        private static let clock = "2026-11-20T06:30:00Z"

        private static let bad: [(key: String?, value: [UInt8]?, headers: [Header])] = [
            ("v-1", Array(#"{"vehicleId": "v-1", "observedAt""#.utf8), [Header("origin", "depot")]),
            ("v-2", Array(#"{"observedAt": "2026-11-20T06:00:00Z", "speed": 3}"#.utf8), []),
            ("v-3", Array(#"{"vehicleId": "v-3", "observedAt": "2026-11-20T06:00:00Z", "speed": -3}"#.utf8), []),
        ]

        private func world(_ name: String) async throws -> Application {
            let application = try await Application(name)
            try await application.produce(Self.bad, to: "vehicle.telemetry")
            let configuration = #"{"configurationId": "c", "push": {"token": "\#(Self.token)""#
            try await application.produce([("c", Array(configuration.utf8), [])], to: "widget.configurations")
            _ = try await application.process(clock: Self.clock)
            return application
        }

        private func lines(_ result: ProcessResult) throws -> [[String: Any]] {
            try result.standardOutput.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            }
        }

        private func ids(_ application: Application, _ words: String...) async throws -> [String] {
            let result = try await tideline(["dead-letters", "list"] + words + application.options)
            try #require(result.succeeded, "\(result.failure)")
            return try lines(result).compactMap { $0["id"] as? String }
        }

        @Test("list has a line for each with its reason and origin, counts by reason, and conditions")
        func lists() async throws {
            let application = try await world("letters")
            let all = try await application.run("dead-letters", "list")
            let rows = try lines(all)
            #expect(rows.count == 4 && rows.allSatisfy { $0["state"] as? String == "waiting" })
            #expect(Set(rows.compactMap { $0["reason"] as? String }) == ["unreadable", "missing", "notAllowed"])
            #expect(all.standardError.contains("4 dead letters: 2 unreadable, 1 missing, 1 notAllowed"))
            let counts = try lines(try await application.run("dead-letters", "list", "--counts"))
            #expect(counts.reduce(0) { $0 + ($1["waiting"] as? Int ?? 0) } == 4 && counts.count == 4)
            #expect(try await ids(application, "--reason", "missing").count == 1)
            #expect(try await ids(application, "--reason", "speed", "--since", "PT1H").count == 1)
            #expect(try await ids(application, "--since", "2100-01-01T00:00:00Z").isEmpty)
            let none = try await application.run("dead-letters", "list", "--reason", "unreadble")
            #expect(none.standardError.contains("the topic holds 2 unreadable"), "\(none.standardError)")
            let noCounts = try await application.run("dead-letters", "list", "--counts", "--reason", "unreadble")
            #expect(noCounts.standardOutput.isEmpty)
            let told = "no dead letter to count: the topic holds 2 unreadable"
            #expect(noCounts.standardError.contains(told), "\(noCounts.standardError)")
            let table = try await application.run("dead-letters", "list", "--table")
            #expect(table.standardOutput.contains("4 dead letters: 2 unreadable"))
            show("dead letters: \(rows.count) listed with reason and origin, counts by reason")
        }

        @Test("show has the value and the headers as they came, without the push token; an unknown one, what is near")
        func shows() async throws {
            let application = try await world("letter")
            let rows = try lines(try await application.run("dead-letters", "list"))
            let id = try #require(rows.first { $0["key"] as? String == "v-1" }?["id"] as? String)
            let shown = try #require(try lines(try await application.run("dead-letters", "show", id)).first)
            #expect(shown["valueText"] as? String == #"{"vehicleId": "v-1", "observedAt""#)
            #expect((shown["headers"] as? [[String: Any]])?.first?["value"] as? String == "depot")
            let secret = try #require(rows.first { $0["key"] as? String == "c" }?["id"] as? String)
            for form in ["--json", "--table"] {
                let result = try await application.run("dead-letters", "show", secret, form)
                #expect(!result.standardOutput.contains(Self.token) && result.standardOutput.contains("masked"))
            }
            let partition = id.prefix { $0 != "/" }
            let unknown = try await tideline(["dead-letters", "show", "\(partition)/99"] + application.options)
            #expect(unknown.status == 64 && unknown.standardError.contains("near it"), "\(unknown.failure)")
            let nonsense = try await tideline(["dead-letters", "show", "seven"] + application.options)
            #expect(nonsense.status == 64 && nonsense.standardError.contains("PARTITION/OFFSET"), "\(nonsense.failure)")
        }

        @Test("replay puts a record back where it came from, once, with its headers and the name of the dead letter")
        func replaysOnce() async throws {
            let application = try await world("replayed")
            let row = try #require(
                try lines(try await application.run("dead-letters", "list")).first { $0["key"] as? String == "v-1" })
            let id = try #require(row["id"] as? String)
            let refused = try await tideline(["dead-letters", "replay", id] + application.options)
            #expect(refused.status == 64 && refused.standardError.contains("--yes"), "\(refused.failure)")
            #expect(try await application.records(of: "vehicle.telemetry").count == 3)

            // Two at the same time, and one behind them.
            let both = [
                try application.start("dead-letters", "replay", id, "--yes"),
                try application.start("dead-letters", "replay", id, "--yes"),
            ]
            for run in both { _ = await run.result() }
            let third = try await application.run("dead-letters", "replay", id, "--yes")
            let why = try lines(third).first?["why"] as? String
            #expect(why?.hasPrefix("was replayed at ") == true, "\(third.standardOutput) \(third.standardError)")

            let records = try await application.records(of: "vehicle.telemetry")
            let back = records.filter { $0.header("tideline_replay") != nil }
            try #require(records.count == 4 && back.count == 1)
            #expect(back[0].header("tideline_replay") == id && back[0].value == Self.bad[0].value)
            #expect(back[0].header("origin") == "depot" && back[0].headers.count == 2)
            #expect(
                row["from"] as? String == "\(application.topic("vehicle.telemetry"))[\(back[0].partition)]@"
                    + "\(records.first { $0.keyText == "v-1" }?.offset.rawValue ?? -1)")
            #expect(try await ids(application).count == 3)
            #expect(try await ids(application, "--done").count == 4)

            // It is as bad as before, so it is another dead letter.
            _ = try await application.process(clock: Self.clock)
            #expect(try await ids(application).count == 4)
            show("replay: three runs, two at once, put one record back")
        }

        @Test(
            "a record that two sinks refused goes back once, by one run or by two; set aside again, it goes once more",
            arguments: [true, false])
        func refusedTwice(isOneRun: Bool) async throws {
            var application = try await Application("refused-twice")
            let directory = application.directory.path
            let sinks = #"{"a": {"to": "files:\#(directory)/a"}, "b": {"to": "files:\#(directory)/b"}}"#
            application.settings += ["--set", "sinks=\(sinks)"]
            try await application.produce([("bad", Array("no timeline".utf8), [])], to: "timelines")
            for round in 1...2 {
                _ = try await tideline(["sink", "--until-caught-up"] + application.options)
                let waiting = try await ids(application)
                try #require(waiting.count == 2, "\(waiting)")
                if isOneRun {
                    let both = try await application.run("dead-letters", "replay", "--all", "--yes")
                    let rows = try lines(both)
                    #expect(rows.compactMap { $0["outcome"] as? String } == ["replayed", "replayed"])
                    #expect(rows.count { $0["to"] != nil } == 1, "\(both.standardOutput)")
                    let why = rows.compactMap { $0["why"] as? String }
                    #expect(why == ["its record went back as that of \(waiting[0])"], "\(both.standardOutput)")
                } else {
                    for (number, id) in waiting.enumerated() {
                        // The record that went back is a newer one of its key.
                        let words = ["dead-letters", "replay", id, "--yes", "--over-newer"]
                        let result = try await application.run(words)
                        let row = try #require(try lines(result).first, "\(result.failure)")
                        #expect(row["outcome"] as? String == (number == 0 ? "replayed" : "left out"))
                        let isTold = (row["why"] as? String)?.hasPrefix("was replayed at ") == true
                        #expect(isTold == (number == 1), "\(result.standardOutput)")
                    }
                }
                #expect(try await ids(application).isEmpty)
                #expect(try await application.records(of: "timelines").count == 1 + round)
            }
            show("replay of two dead letters of one record, in \(isOneRun ? "one run" : "two runs"): it came back once")
        }

        @Test("a mark that cannot be read stops replay and drop, which name it and the verb that takes it away")
        func unreadableMark() async throws {
            let application = try await world("marked")
            let id = try #require(try await ids(application, "--reason", "missing").first)
            try await application.run("dead-letters", "replay", id, "--yes")
            let mark = try #require(try await application.records(of: "operations").first)
            try await application.produce([(mark.keyText, Array("{".utf8), [])], to: "operations")
            let before = try await application.records(of: "vehicle.telemetry").count
            let warned = try await application.run("dead-letters", "list")
            #expect(warned.standardError.contains("cannot be read"), "\(warned.standardError)")
            let words = ["dead-letters", "forget-mark", mark.keyText]
            for verb in ["replay", "drop"] {
                let refused = try await tideline(["dead-letters", verb, "--all", "--yes"] + application.options)
                #expect(refused.status == 65 && refused.standardOutput.isEmpty, "\(refused.failure)")
                let place = "\(application.topic("operations"))[0]@\(mark.offset.rawValue + 2)"
                #expect(refused.standardError.contains(place), "\(refused.failure)")
                let remedy = "'tideline \(words.joined(separator: " "))'"
                #expect(refused.standardError.contains(remedy), "\(refused.failure)")
            }
            #expect(try await application.records(of: "vehicle.telemetry").count == before)
            let unknown = try await tideline(
                ["dead-letters", "forget-mark", "dead-letter/x/0/0"] + application.options)
            #expect(unknown.status == 64 && unknown.standardError.contains("no mark"), "\(unknown.failure)")
            let unasked = try await tideline(words + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            #expect(unasked.standardError.contains("\(mark.keyText): cannot be read"), "\(unasked.failure)")
            let forgotten = try lines(try await application.run(words + ["--yes"]))
            #expect(forgotten.map { $0["was"] as? String } == ["cannot be read"], "\(forgotten)")
            let marks = try await application.records(of: "operations")
            #expect(marks.last?.keyText == mark.keyText && marks.last?.value == nil)
            let healed = try await application.run("dead-letters", "list")
            #expect(!healed.standardError.contains("cannot be read"), "\(healed.standardError)")
            #expect(try await ids(application, "--reason", "missing") == [id])
        }

        @Test(
            "a replay that is killed in the middle goes on where it was: every record comes back once",
            arguments: [1, 2, 3])
        func killed(seed: Int) async throws {
            let application = try await Application("killed")
            let count = 3_000
            try await application.produce(
                (0..<count).map { (key: "v-\($0)", value: Array("{".utf8), headers: []) }, to: "vehicle.telemetry")
            #expect(try await application.process(clock: Self.clock).deadLetters == count)
            let pipe = try NarrowPipe()
            let first = try ResourceWorld.start(
                ["dead-letters", "replay", "--all", "--yes"] + application.options, after: "exec > '\(pipe.path)'")
            // Each transaction is of 500 records, and is told after its commit: it is in the next one now, or behind
            // that commit, where it waits, for nobody reads on.
            try await pipe.read(from: first, lines: seed * 500)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...30)))
            first.kill()
            let ended = await first.result()
            let rest = try await application.run("dead-letters", "replay", "--all", "--yes")
            let records = try await application.records(of: "vehicle.telemetry")
            let names = records.compactMap { $0.header("tideline_replay") }
            #expect(names.count == count && Set(names).count == count)
            let marked = count - (try lines(rest).count { $0["outcome"] as? String == "replayed" })
            #expect(ended.isSignalled && marked >= seed * 500 && marked < count, "\(marked) before, \(ended.status)")
            #expect(rest.standardError.contains("\(marked) were replayed or dropped before"), "\(rest.standardError)")
            show("replay killed after \(marked) of \(count): each came back once")
        }

        @Test("a replay that is told to end in the middle says all that it did", arguments: [SIGINT, SIGTERM])
        func interrupted(signal: Int32) async throws {
            let application = try await Application("interrupted")
            let count = 3_000
            try await application.produce(
                (0..<count).map { (key: "v-\($0)", value: Array("{".utf8), headers: []) }, to: "vehicle.telemetry")
            #expect(try await application.process(clock: Self.clock).deadLetters == count)
            let pipe = try NarrowPipe()
            let first = try ResourceWorld.start(
                ["dead-letters", "replay", "--all", "--yes"] + application.options, after: "exec > '\(pipe.path)'")
            try await pipe.read(from: first, lines: 500)
            first.signal(signal)
            try await pipe.read(from: first, lines: .max)
            let ended = await first.result()
            #expect(ended.status == 70 && ended.standardError.contains("not all was done"), "\(ended.failure)")
            let said = pipe.text.count { $0 == "\n" }
            let back = try await application.records(of: "vehicle.telemetry").count - count
            #expect(said == back && said < count, "\(said) are said, \(back) were put back")
            #expect(ended.standardError.contains("replayed \(back) of \(count) chosen"), "\(ended.standardError)")
            let rest = try await application.run("dead-letters", "replay", "--all", "--yes")
            #expect(try lines(rest).count == count - back, "\(rest.standardError)")
            show("replay ended by a signal: \(back) of \(count) were put back, and all of them are said")
        }

        @Test("drop takes dead letters off the list; a dropped one goes back only by its name")
        func drops() async throws {
            let application = try await world("dropped")
            let wrong = try await application.run("dead-letters", "drop", "--reason", "missng", "--yes")
            let near = "no dead letter has the reason 'missng'; near it is 'missing'; the topic holds 2 unreadable, 1"
            #expect(wrong.standardError.contains(near) && wrong.standardOutput.isEmpty, "\(wrong.standardError)")
            let right = try await application.run("dead-letters", "drop", "--reason", "unreadable", "--yes")
            #expect(!right.standardError.contains("no dead letter has"), "\(right.standardError)")
            let dropped = try lines(right)
            try #require(dropped.count == 2)
            #expect(dropped.allSatisfy { $0["outcome"] as? String == "dropped" })
            #expect(try await ids(application).count == 2)
            let all = try await application.run("dead-letters", "replay", "--all", "--yes")
            let outcomes = try lines(all).compactMap { $0["outcome"] as? String }.sorted()
            #expect(outcomes == ["replayed", "replayed"], "\(all.standardOutput)")
            let id = try #require(dropped[0]["id"] as? String)
            let named = try lines(try await application.run("dead-letters", "replay", id, "--yes", "--over-newer"))
            #expect(named.first?["outcome"] as? String == "replayed")
            let nothing = try await tideline(["dead-letters", "replay", "--yes"] + application.options)
            #expect(nothing.status == 64 && nothing.standardError.contains("--all"), "\(nothing.failure)")
        }

        @Test("what a newer record of its key has replaced does not go back to a compacted topic, unless it is wished")
        func newer() async throws {
            let application = try await world("newer")
            try await application.publish(configurations: #"{"configurationId": "c", "kind": "Bus"}"# + "\n")
            let row = try #require(
                try lines(try await application.run("dead-letters", "list")).first { $0["key"] as? String == "c" })
            let id = try #require(row["id"] as? String)
            let refused = try await tideline(["dead-letters", "replay", id, "--yes"] + application.options)
            #expect(refused.status == 65 && refused.standardOutput.contains("a newer record of its key is "))
            #expect(try await application.records(of: "widget.configurations").count == 2)
            try await application.run("dead-letters", "replay", id, "--yes", "--over-newer")
            #expect(try await application.records(of: "widget.configurations").count == 3)
        }
    }
}
