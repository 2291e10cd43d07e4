import Foundation
import TestSupport
import Testing

/// The effects of keys, stops and faults on a terminal that shows a board.
extension AcceptanceTests.TerminalTests {
    @Test("what is typed at a board is neither shown nor kept, and the terminal is as before once it is left")
    func typed() async throws {
        let output = TemporaryDirectory.make("typed")
        let script = """
            stty -a; \(Self.demo(output, seconds: 5)); read -r -t 0.3 line; echo "kept:[$line]"; stty -a
            """
        let result = try await shell(script, typed: ["after=╭─:qwxz for nobody\n", "3.5:zxq"])
        #expect(result.succeeded, "\(result.failure)")
        #expect(!result.standardOutput.contains("qwxz") && !result.standardOutput.contains("zxq"))
        #expect(result.standardOutput.contains("kept:[]"))
        let modes = Self.modes(result)
        try #require(modes.count == 2, "\(result.standardOutput.suffix(2000))")
        #expect(modes[0] == modes[1] && modes[0].contains(" echo ") && modes[0].contains(" icanon "))
    }

    @Test("Ctrl-Z gives the terminal back, and a job that goes on draws all of its board anew")
    func stopped() async throws {
        let output = TemporaryDirectory.make("stopped")
        let script = "set -m; stty -a; \(Self.demo(output, seconds: 12)); stty -a; echo stopped; fg; stty -a"
        let result = try await shell(script, typed: ["after=╭─:^Z", "after=?1049h:qwxz"])
        let parts = result.standardOutput.components(separatedBy: "\u{1b}[?1049h")
        try #require(parts.count == 3, "\(parts.count) \(result.standardOutput.suffix(2000))")
        #expect(parts[1].contains("\u{1b}[?1049l") && parts[1].contains("stopped"))
        #expect(parts[2].contains("\u{1b}[2J") && parts[2].contains("╭─ ") && parts[2].contains("Reloads"))
        #expect(!result.standardOutput.contains("qwxz"))
        let modes = Self.modes(result)
        #expect(modes.count == 3 && Set(modes).count == 1, "\(modes) of \(result.standardOutput.debugDescription)")
    }

    @Test("a fault while a board is shown leaves the terminal as it was", arguments: ["SEGV", "ABRT"])
    func fault(signal: String) async throws {
        let output = TemporaryDirectory.make("fault")
        let runner = try shellRunner("stty -a; \(Self.demo(output, seconds: 30)); stty -a", typed: [])
        let isShown = await eventually { runner.output.contains("╭─ ") }
        try #require(isShown, "\(runner.output)")
        let pid = try #require(try Self.process(of: output.path))
        kill(pid, signal == "SEGV" ? SIGSEGV : SIGABRT)
        let result = await runner.result()
        let left = try #require(result.standardOutput.range(of: "\u{1b}[?1049l"))
        #expect(!result.standardOutput[left.upperBound...].contains("\u{1b}"))
        let modes = Self.modes(result)
        #expect(modes.count == 2 && modes[0] == modes[1], "\(modes)")
    }

    @Test("nothing outlives the terminal's script, even where that is killed", arguments: [false, true])
    func orphans(background: Bool) async throws {
        let output = TemporaryDirectory.make("orphans")
        let demo = try runner(["demo", "--output", output.path], size: "80x24", background: background)
        let isRunning = await eventually { (try? Self.process(of: output.path)) ?? nil != nil }
        try #require(isRunning, "\(demo.output)")
        demo.kill()
        _ = await demo.result()
        let isGone = await eventually { (try? Self.process(of: output.path)) ?? nil == nil }
        #expect(isGone)
    }

    // MARK: - Shells on a terminal

    private static func demo(_ output: URL, seconds: Int) -> String {
        // Dies with its shell, like the shell with the script that has the terminal.
        let command = "'\(TidelineExecutable.url.path)' demo --seconds \(seconds) --output '\(output.path)'"
        return "setpriv --pdeathsig KILL -- \(command)"
    }

    func shellRunner(_ script: String, typed: [String]) throws -> ProcessRunner {
        try ProcessRunner(
            PackageRoot.url.appending(path: "Scripts/terminal"),
            ["run", "--size", "80x24"] + typed.flatMap { ["--type", $0] } + ["--", "bash", "-c", script],
            environment: ["TERM": "xterm", "NO_COLOR": "1"], timeout: .seconds(90))
    }

    func shell(_ script: String, typed: [String]) async throws -> ProcessResult {
        try await shellRunner(script, typed: typed).result()
    }

    /// The flags of the terminal each time that `stty -a` told them.
    static func modes(_ result: ProcessResult) -> [String] {
        result.standardOutput.replacingOccurrences(of: "\r\n", with: " ").matches(of: /isig .*? echoke/)
            .map { String($0.0) }
    }
}
