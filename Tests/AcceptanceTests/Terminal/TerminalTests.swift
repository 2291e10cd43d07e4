import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// The output on a terminal, in the foreground and in the background: `Scripts/terminal` makes one.
    @Suite struct TerminalTests {
        @Test("the demo draws a board, and leaves the terminal as it was with its summary")
        func board() async throws {
            let output = TemporaryDirectory.make("board")
            let result = try await terminal(["demo", "--output", output.path], size: "100x30", seconds: 12)
            #expect(result.succeeded, "\(result.failure)")
            let parts = result.standardOutput.split(separator: "\u{1b}[?1049h", omittingEmptySubsequences: false)
            try #require(parts.count == 2, "\(parts.count) times")
            let after = try #require(parts[1].range(of: "\u{1b}[?25h\u{1b}[?1049l"))
            let board = parts[1][..<after.lowerBound]
            for text in ["╭─ ", "AgendaWidget", "status-vehicle-", "Reloads", "next ", "in 0:"] {
                #expect(board.contains(text), "no '\(text)'")
            }
            let summary = parts[1][after.upperBound...]
            #expect(summary.contains("Done: ") && summary.contains("One file per configuration"))
            #expect(!summary.contains("\u{1b}["), "\(summary)")
            show("demo on a terminal: a board of \(board.count) characters in 12 s, the summary after it")
        }

        @Test("SIGTERM while a board is shown, and one too many, leave the second screen", arguments: [1, 2])
        func ended(signals: Int) async throws {
            let output = TemporaryDirectory.make("ended")
            let demo = try runner(["demo", "--output", output.path], size: "80x24")
            let isShown = await eventually { demo.output.contains("╭─ ") }
            try #require(isShown, "\(demo.output)")
            let pid = try #require(try Self.process(of: output.path))
            kill(pid, SIGTERM)
            // Two of one number that wait to be delivered would be one.
            if signals > 1 { kill(pid, SIGINT) }
            let result = await demo.result()
            let wanted = signals == 1 ? [0] : [128 + SIGINT, 128 + SIGTERM]
            #expect(wanted.contains(result.status), "\(result.failure)")
            let left = try #require(result.standardOutput.range(of: "\u{1b}[?1049l"))
            #expect(!result.standardOutput[left.upperBound...].contains("\u{1b}"))
        }

        @Test("a job in the background writes lines alone: no bar, no board, no carriage return")
        func background() async throws {
            let output = TemporaryDirectory.make("background")
            let demo = try await terminal(
                ["demo", "--seconds", "10", "--output", output.path], size: "80x24", background: true)
            Self.expectPlain(demo)
            #expect(demo.standardOutput.contains("  timeline  "))
            let application = try await Application("background")
            let telemetry = try await terminal(
                ["produce", "telemetry", "--fleet", "5", "--speedup", "20", "--limit", "40"] + application.options,
                size: "80x24", background: true)
            Self.expectPlain(telemetry)
            #expect(telemetry.standardOutput.contains("publishing telemetry: 40 records"))
        }

        @Test("on a terminal the status line of process fits it, and goes at the end", arguments: [40, 79, 200])
        func statusLine(columns: Int) async throws {
            let application = try await Application("statusline", partitions: 2)
            let result = try await terminal(
                ["process"] + application.options, size: "\(columns)x24", typed: ["after=tasks 2 running:^C"])
            #expect(result.succeeded, "\(result.failure)")
            // A status or a line of the log stands between two erasures, or between an erasure and a line end.
            let pieces = result.standardOutput.components(separatedBy: "\r\u{1b}[K").dropFirst()
            let statuses = pieces.map { $0.split(separator: "\r\n").last.map(String.init) ?? "" }
                .filter { $0.hasPrefix("tasks ") || $0.hasPrefix("no tasks") }
            #expect(statuses.contains { $0.hasPrefix("tasks 2 running") }, "\(result.standardOutput)")
            #expect(statuses.allSatisfy { $0.count < columns }, "\(statuses)")
            #expect(!result.standardOutput.contains("info     tasks 2 running"))
        }

        @Test("NO_COLOR and a terminal that can do nothing are heeded")
        func colours() async throws {
            let output = TemporaryDirectory.make("plain")
            let words = ["demo", "--seconds", "8", "--output", output.path]
            let dumb = try await terminal(words, size: "80x24", environment: ["TERM": "dumb"])
            Self.expectPlain(dumb)
            let plain = try await terminal(words, size: "80x24", environment: ["NO_COLOR": "1"])
            #expect(plain.standardOutput.contains("╭─ "))
            #expect(!plain.standardOutput.contains(/\u{1b}\[[0-9;]*m/))
        }

        // MARK: - Running on a terminal, whose colours are off: `swift test` says so in a log, and not on a terminal

        func runner(
            _ words: [String], size: String, seconds: Int? = nil, typed: [String] = [], background: Bool = false,
            environment: [String: String] = [:]
        ) throws -> ProcessRunner {
            var arguments = ["run", "--size", size]
            if let seconds { arguments += ["--seconds", String(seconds)] }
            arguments += typed.flatMap { ["--type", $0] }
            if background { arguments.append("--background") }
            return try ProcessRunner(
                PackageRoot.url.appending(path: "Scripts/terminal"),
                arguments + ["--", TidelineExecutable.url.path] + words,
                environment: ["TERM": "xterm", "NO_COLOR": "1"].merging(environment) { $1 }, timeout: .seconds(90))
        }

        private func terminal(
            _ words: [String], size: String, seconds: Int? = nil, typed: [String] = [], background: Bool = false,
            environment: [String: String] = [:]
        ) async throws -> ProcessResult {
            try await runner(
                words, size: size, seconds: seconds, typed: typed, background: background, environment: environment
            ).result()
        }

        /// The program that names `path` among its words, by /proc.
        static func process(of path: String) throws -> pid_t? {
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
                guard let pid = pid_t(name), let data = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
                else { continue }
                let words = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                if words.first == TidelineExecutable.url.path, words.contains(path) { return pid }
            }
            return nil
        }

        private static func expectPlain(
            _ result: ProcessResult, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(result.succeeded, "\(result.failure)", sourceLocation: sourceLocation)
            // The terminal itself puts a carriage return before each line end.
            let text = result.standardOutput.replacingOccurrences(of: "\r\n", with: "\n")
            #expect(!text.isEmpty && !text.contains("\r"), "\(text)", sourceLocation: sourceLocation)
            #expect(!text.contains("\u{1b}"), "\(text)", sourceLocation: sourceLocation)
        }
    }
}
