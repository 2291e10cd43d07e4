import Foundation
import RecordLog
import TestSupport
import Testing

/// Verbs on a terminal that wait for somebody: at a question, and while they follow a timeline.
extension AcceptanceTests.TerminalTests {
    private static let clock = "2026-11-20T06:30:00Z"

    /// A shell's script that runs the program between two looks at the terminal's modes, and tells its status.
    private static func script(_ words: [String], _ application: Application) -> String {
        let line = ([TidelineExecutable.url.path] + words + application.options).map { "'\($0)'" }
        return "stty -a; \(line.joined(separator: " ")); echo \"status:$?\"; stty -a"
    }

    @Test("Ctrl-C at a question changes nothing, gives status 130, and leaves the terminal as it was")
    func interrupted() async throws {
        let application = try await Application("question", partitions: 2)
        let bad: (key: String?, value: [UInt8]?, headers: [Header]) = ("v", Array("{".utf8), [])
        try await application.produce([bad], to: "vehicle.telemetry")
        try await application.publish(
            configurations: #"{"configurationId": "c", "kind": "K", "strategy": "fixedInterval"}"# + "\n")
        _ = try await application.process(clock: Self.clock)
        let ends = try await application.ends()
        let verbs = [
            ["dead-letters", "replay", "--all"], ["dead-letters", "drop", "--all"], ["reset", "--execute"],
            ["repartition", "3", "--execute"], ["reload", "--kind", "K"],
        ]
        for words in verbs {
            let result = try await shell(Self.script(words, application), typed: ["after=[y/N]:^C"])
            #expect(result.standardOutput.contains("status:130"), "\(words): \(result.failure)")
            #expect(result.standardOutput.contains("tideline: nothing was changed"), "\(words): \(result.failure)")
            let modes = Self.modes(result)
            #expect(modes.count == 2 && Set(modes).count == 1, "\(words): \(modes)")
            #expect(try await application.ends() == ends, "\(words)")
        }
        show("Ctrl-C at the questions of \(verbs.count) verbs: nothing was changed, status 130, the terminal as before")
    }

    @Test(
        "a no or Ctrl-C at the second question of reset says that the application was reset, and what stays",
        arguments: [("n\n", 70), ("^C", 130)])
    func second(answer: String, status: Int) async throws {
        let application = try await Application("second", partitions: 2)
        try await application.produce([(key: "v", value: Array("{".utf8), headers: [])], to: "vehicle.telemetry")
        _ = try await application.process(clock: Self.clock)
        // A reload without a value is passed over: the sink has a position then, and needs no target.
        try await application.produce([(key: "r", value: nil, headers: [])], to: "timeline.reloads")
        let sink = try await tideline(
            ["sink", "--reloads", "http://127.0.0.1:9/", "--until-caught-up"] + application.options,
            environment: ["TIDELINE_WEBHOOK_SECRET": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="])
        try #require(sink.succeeded, "\(sink.failure)")
        let result = try await shell(
            Self.script(["reset", "--execute"], application),
            typed: ["after=[y/N]:y\n", "after=[y/N]:\(answer)"])
        #expect(result.standardOutput.contains("status:\(status)"), "\(result.failure)")
        let told = "tideline: \(application.name) was reset; the positions of webhook-"
        #expect(result.standardOutput.contains(told), "\(result.failure)")
        #expect(!result.standardOutput.contains("nothing was changed"), "\(result.failure)")
        #expect(try await application.committed("vehicle.telemetry", partitions: 2) == [0, 0])
        let left = try await application.run("reset", "--sink")
        #expect(left.standardOutput.contains(" of webhook-"), "\(left.standardOutput)")
        let alone = try await shell(
            Self.script(["reset", "--execute", "--sink"], application), typed: ["after=[y/N]:\(answer)"])
        #expect(alone.standardOutput.contains("tideline: nothing was changed"), "\(alone.failure)")
    }

    @Test("dead-letters replay puts back what it was asked to after a yes at its question, and nothing before it")
    func replayed() async throws {
        let application = try await Application("asked", partitions: 2)
        let bad: [(key: String?, value: [UInt8]?, headers: [Header])] = [
            ("v", Array("{".utf8), []), ("w", Array("[".utf8), []),
        ]
        try await application.produce(bad, to: "vehicle.telemetry")
        _ = try await application.process(clock: Self.clock)
        let words = ["dead-letters", "replay", "--all"]
        let result = try await shell(Self.script(words, application), typed: ["after=[y/N]:y\n"])
        #expect(result.standardOutput.contains("Replay 2 dead letters (2 unreadable)? [y/N] "), "\(result.failure)")
        #expect(result.standardOutput.contains("status:0"), "\(result.failure)")
        let records = try await application.records(of: "vehicle.telemetry")
        let back = records.filter { $0.header("tideline_replay") != nil }
        #expect(records.count == 4 && Set(back.compactMap(\.value)) == Set(bad.compactMap(\.value)))
        let rest = try await application.run("dead-letters", "list")
        #expect(rest.standardOutput.isEmpty, "\(rest.standardOutput)")
    }

    @Test("show --watch redraws its card when the timeline changes; Ctrl-C ends it and gives the terminal back")
    func watched() async throws {
        let application = try await Application("watched", partitions: 2)
        try await application.publish(
            configurations: #"{"configurationId": "my-van", "kind": "Bus", "vehicleId": "v-1"}"# + "\n")
        func report(_ ignition: Bool, _ speed: Int, at instant: String) async throws {
            let line =
                #"{"vehicleId": "v-1", "observedAt": "\#(instant)", "ignition": \#(ignition), "speed": \#(speed)}"#
            try await application.run("produce", "telemetry", "--json", try application.file("t.jsonl", line + "\n"))
            _ = try await application.process(clock: instant)
        }
        try await report(true, 40, at: "2026-11-20T06:30:00Z")
        let runner = try shellRunner(
            Self.script(["show", "my-van", "--watch"], application), typed: ["after=IgnitionOff:^C"])
        let isShown = await eventually { runner.output.contains("v-1, Moving") }
        try #require(isShown, "\(runner.output)")
        #expect(runner.output.contains("\u{1b}[?1049h") && runner.output.contains("my-van"))
        try await report(false, 0, at: "2026-11-20T06:31:00Z")
        let result = await runner.result()
        let parts = result.standardOutput.components(separatedBy: "\u{1b}[?1049l")
        try #require(parts.count == 2, "\(result.standardOutput.debugDescription)")
        #expect(parts[0].contains("v-1, IgnitionOff") && !parts[1].contains("\u{1b}"))
        #expect(parts[1].contains("status:0"), "\(parts[1])")
        let modes = Self.modes(result)
        #expect(modes.count == 2 && Set(modes).count == 1 && modes[0].contains(" icanon "), "\(modes)")
        show("show --watch on a terminal: a van that moves becomes one whose ignition is off; Ctrl-C ends it")
    }
}
