import Foundation
import RecordLog
import TestSupport
import Testing

extension AcceptanceTests {
    /// `reset` and `repartition` on a real broker.
    @Suite struct ResetTests {
        private static let clock = "2026-11-20T06:25:00Z"

        private static func configuration(_ id: Int) -> String {
            #"{"configurationId": "c\#(id)", "kind": "K", "recipient": "r\#(id % 4)", "strategy": "fixedInterval"}"#
                + "\n"
        }

        private static func configurations(_ ids: Range<Int>) -> String { ids.map(configuration).joined() }

        /// The revisions of each configuration's timelines, in their order; tombstones are left out.
        private static func revisions(_ application: Application) async throws -> [String: [Int]] {
            var revisions: [String: [Int]] = [:]
            for record in try await application.records(of: "timelines") where record.value != nil {
                guard let revision = try record.json()["revision"] as? Int else { continue }
                revisions[record.keyText, default: []].append(revision)
            }
            return revisions
        }

        @Test("a reset shows what it touches, does it when told, and revisions rise, of deleted configurations too")
        func revisionsRise() async throws {
            let application = try await Application("reset", partitions: 3)
            try await application.publish(configurations: Self.configurations(0..<20))
            #expect(try await application.process(clock: Self.clock).timelines == 20)
            try await application.produce([(key: "c7", value: nil, headers: [])], to: "widget.configurations")
            _ = try await application.process(clock: Self.clock)

            let shown = try await application.run("reset")
            for text in [
                "nobody is in the group", "\(application.name).exchange: 3 partitions", "\(application.name).state: ",
                "\(application.topic("widget.configurations")): 21 records, read again from its earliest record",
                "revisions: 20 configurations go on above theirs, the highest 1",
                "announced again: 19 timelines to 4 recipients", "no sink that sends has a position",
                "nothing was changed; '--execute' does it",
            ] {
                #expect(shown.standardOutput.contains(text), "\(text): \(shown.standardOutput)")
            }
            let inputs = shown.standardOutput.split(separator: "\n").filter { $0.contains(": 21 records, read again") }
            let size = try #require(inputs.first?.wholeMatch(of: /.*earliest record, some ([0-9,]+) B/)?.output.1)
            let bytes = try #require(Int(size.replacing(",", with: "")))
            // A value has some hundred bytes, and a tombstone its key alone.
            #expect((21 * 50...21 * 200).contains(bytes), "\(size)")
            #expect(try await application.process(clock: Self.clock).records == 0, "nothing was changed")

            let done = try await application.run("reset", "--execute", "--yes")
            #expect(done.standardOutput.contains("\(application.name) starts over"), "\(done.failure)")
            #expect(try await application.committed("widget.configurations", partitions: 3) == [0, 0, 0])
            try await application.publish(configurations: Self.configuration(7))
            let again = try await application.process(clock: Self.clock)
            #expect(again.records == 22 && again.timelines == 20 && again.reloads > 0)
            let revisions = try await Self.revisions(application)
            #expect(revisions.count == 20)
            for (id, versions) in revisions { #expect(versions == [1, 2], "\(id): \(versions)") }
            #expect(try await application.process(clock: Self.clock).records == 0, "and then as ever")
            show("reset --execute: 22 of 22 records are read again, and 20 of 20 revisions rise from 1 to 2")
        }

        @Test("state that has gone: the revisions are taken from timelines, and processes start without state.lost")
        func lostState() async throws {
            let application = try await Application("gone", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<10))
            _ = try await application.process(clock: Self.clock)
            try await application.delete(["state", "exchange"].map { "\(application.name).\($0)" })
            let refused = try await tideline(["process", "--until-caught-up"] + application.options)
            #expect(refused.status == 70, "\(refused.failure)")
            try await application.run("reset", "--execute", "--yes", "--application-only")
            #expect(try await application.process(clock: Self.clock).timelines == 10)
            let revisions = try await Self.revisions(application)
            for (id, versions) in revisions { #expect(versions == [1, 2], "\(id): \(versions)") }
            show("state and exchange deleted: reset takes 10 of 10 revisions from timelines, and they rise")
        }

        @Test("a reset refuses while somebody is alive or cannot be asked, and nothing is changed")
        func refused() async throws {
            let application = try await Application("alive", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<5))
            let process = try application.start("process")
            let isRunning = await eventually(within: .seconds(60)) { process.errorOutput.contains("restoredRecords") }
            try #require(isRunning, "\(process.errorOutput)")
            for words in [["reset", "--execute", "--yes"], ["repartition", "3", "--execute", "--yes"]] {
                let alive = try await tideline(words + application.options)
                #expect(alive.status == 70, "\(alive.failure)")
                #expect(
                    alive.standardError.contains("1 member of the group \(application.name) alive"), "\(alive.failure)")
            }
            process.terminate()
            #expect(await process.result().succeeded)
            let unasked = try await tideline(["reset", "--execute"] + application.options)
            #expect(unasked.status == 64 && unasked.standardError.contains("--yes"), "\(unasked.failure)")
            #expect(try await application.process(clock: Self.clock).records == 0)
            for (words, hint) in [
                (["--application-only", "--sink"], "cannot both be given"),
                (["--application-only", "--running-sinks"], "Allowed is one of both"),
                (["--sink", "--to", "EARLIEST"], "Allowed are '--sink' alone"),
                (["--to", "yesterday"], "EARLIEST, or an instant from 1970 on"),
            ] {
                let result = try await tideline(["reset"] + words + application.options)
                #expect(result.status == 64 && result.standardError.contains(hint), "\(result.failure)")
            }
        }

        @Test("a sink that runs keeps its positions, unless --running-sinks takes them: then it ends and says why")
        func runningSink() async throws {
            let application = try await Application("sinkalive", partitions: 2)
            try await application.produce([(key: "v", value: Array("{".utf8), headers: [])], to: "vehicle.telemetry")
            _ = try await application.process(clock: Self.clock)
            // A reload without a value is passed over: the sink has a position then, and needs no target.
            func passOver() async throws {
                try await application.produce([(key: "r", value: nil, headers: [])], to: "timeline.reloads")
            }
            try await passOver()
            let sink = try ProcessRunner(
                TidelineExecutable.url, ["sink", "--reloads", "http://127.0.0.1:9/"] + application.options,
                environment: ["TIDELINE_WEBHOOK_SECRET": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="])
            defer { sink.kill() }
            let isShown = try await eventually(within: .seconds(60)) {
                let shown = try await application.run("reset", "--sink")
                return shown.standardOutput.contains("the sink webhook-")
                    && shown.standardOutput.contains(" is running: it ends, or begins again beside others")
            }
            try #require(isShown, "\(sink.errorOutput)")
            let before = try await application.ends()
            for words in [["reset", "--execute", "--yes"], ["reset", "--sink", "--execute", "--yes"]] {
                let refused = try await tideline(words + application.options)
                #expect(refused.status == 70, "\(refused.failure)")
                #expect(refused.standardError.contains("'--running-sinks'"), "\(refused.failure)")
                #expect(refused.standardError.contains("nothing was changed: 1 sink alive"), "\(refused.failure)")
            }
            #expect(try await application.ends() == before)
            #expect(try await application.process(clock: Self.clock).records == 0, "nothing was changed")
            let done = try await application.run("reset", "--sink", "--execute", "--yes", "--running-sinks")
            #expect(done.standardOutput.contains("ends with its next commit"), "\(done.failure)")
            try await passOver()
            let end = await sink.result()
            #expect(end.status == 70 && end.standardError.contains("were taken away"), "\(end.failure)")
        }

        @Test("an application that is misspelt: what would be done to it is said with the one that is near it")
        func misspelt() async throws {
            let application = try await Application("misspelt", partitions: 2)
            _ = try await application.process(clock: Self.clock)
            let options = ["--bootstrap", application.bootstrap, "--topic-prefix", application.prefix]
            let other = application.name + "x"
            let verbs = [["reset"], ["repartition", "3"], ["dead-letters", "replay", "--all", "--yes"]]
            for words in verbs + [["dead-letters", "drop", "--all", "--yes"]] {
                let result = try await tideline(words + options + ["--application", other])
                let warning = "warning: the application '\(other)' has no topic here"
                #expect(result.standardError.contains(warning), "\(words): \(result.failure)")
                #expect(result.standardError.contains("'\(application.name)'"), "\(words): \(result.failure)")
                let right = try await application.run(words)
                #expect(!right.standardError.contains("warning"), "\(words): \(right.failure)")
            }
            // These have nothing to show or to ask for, whichever application it is.
            for words in [
                ["sink", "--status"], ["reload", "--kind", "Board", "--yes"], ["doctor", "--seconds", "1"],
            ] {
                func said(_ options: [String]) async throws -> String {
                    let result = try await tideline(words + options)
                    return result.standardOutput + result.standardError
                }
                let wrong = try await said(options + ["--application", other])
                #expect(wrong.contains("the application '\(other)' has no topic here"), "\(words): \(wrong)")
                #expect(wrong.contains("'\(application.name)'"), "\(words): \(wrong)")
                let right = try await said(application.options)
                #expect(!right.contains("has no topic here"), "\(words): \(right)")
            }
        }

        @Test("--to INSTANT: telemetry is read from there on, all other inputs from their earliest record")
        func fromInstant() async throws {
            let application = try await Application("instant", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<5))
            func telemetry(_ range: Range<Int>) async throws {
                let lines = range.map { #"{"vehicleId": "v\#($0)", "observedAt": "2026-11-20T06:00:00Z"}"# }
                let file = try application.file("telemetry.jsonl", lines.joined(separator: "\n") + "\n")
                try await application.run("produce", "telemetry", "--json", file)
            }
            try await telemetry(0..<30)
            let first = try #require(try await application.records(of: "vehicle.telemetry").map(\.timestamp).max())
            // Records of the second half have a later millisecond.
            let isLater = await eventually {
                Int64(Date().timeIntervalSince1970 * 1000) > first.milliseconds + 1
            }
            try #require(isLater)
            let instant = Instant(milliseconds: first.milliseconds + 1)
            try await telemetry(30..<42)
            _ = try await application.process(clock: Self.clock)
            let shown = try await application.run("reset", "--to", instant.rfc3339, "--execute", "--yes")
            let text = "\(application.topic("vehicle.telemetry")): 12 records, read again from \(instant.rfc3339)"
            #expect(shown.standardOutput.contains(text), "\(shown.standardOutput)")
            #expect(try await application.process(clock: Self.clock).records == 5 + 12)
            show("reset --to INSTANT: 12 of 42 telemetry records and 5 of 5 configurations are read again")
        }

        @Test("repartition carries an application to another number of tasks, and revisions rise")
        func repartition() async throws {
            let application = try await Application("tasks", partitions: 2)
            try await application.publish(configurations: Self.configurations(0..<40))
            #expect(try await application.process(clock: Self.clock).timelines == 40)
            let same = try await application.run("repartition", "2", "--execute", "--yes")
            #expect(same.standardOutput.contains("has 2 tasks already; nothing was changed"), "\(same.failure)")
            let shown = try await application.run("repartition", "5")
            #expect(shown.standardOutput.contains("removed and made anew with 5 partitions"), "\(shown.failure)")
            #expect(try await application.process(clock: Self.clock).records == 0)
            try await application.run("repartition", "5", "--execute", "--yes")
            let again = try await application.process(clock: Self.clock)
            #expect(again.records == 40 && again.timelines == 40)
            for (id, versions) in try await Self.revisions(application) {
                #expect(versions == [1, 2], "\(id): \(versions)")
            }
            let state = try await application.doctor("--seconds", "1").findings.filter { $0.check == "state" }
            #expect(state.first?.text.contains("in 5 tasks") == true, "\(state)")
            let bad = try await tideline(["repartition", "0"] + application.options)
            #expect(bad.status == 64 && bad.standardError.contains("from 1 to 10000"), "\(bad.failure)")
            show("repartition 5: 40 of 40 configurations move from 2 tasks to 5, and their revisions rise")
        }
    }
}
