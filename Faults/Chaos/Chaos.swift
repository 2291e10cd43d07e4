// chaos: the program of `make chaos`, which hurts a pipeline of real processes on real brokers and judges its output.
//
// It ends with status 0 where nothing was lost, doubled or stuck, with 1 where something was, and with 69 where the run
// could not be made. All that it started ends with it, also when it is interrupted or killed.

import Arguments
import FaultInjection
import Foundation
import Glibc
import TestSupport

struct Chaos: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hurts a pipeline of real processes on real brokers, and judges what it wrote.",
        examples: [
            CommandExample("chaos --seconds 60 --seed 7", "A minute of faults."),
            CommandExample(
                "chaos --seconds 3000 --faults 500 --broker-faults 100 --report Documentation/Faults.md",
                "Until there were so many; the report goes to a file."),
        ])

    @Option(help: "Faults happen for so many seconds, at most.") var seconds = 60
    @Option(help: "No more faults of processes after so many.") var faults: Int?
    @Option(help: "No more faults of brokers after so many.") var brokerFaults: Int?
    @Option(help: "What is drawn follows from it.") var seed: Int = 1
    @Option(help: "1, or 3 with replication 3 and min ISR 2.") var brokers = 3
    @Option(help: "The stream threads of each process, by commas.") var streamThreads = "1,1,4"
    @Option(help: "The mean time between two faults of processes, in ms.") var every = 2000
    @Option(help: "The mean time between two faults of brokers, in ms.") var brokersEvery = 9000
    @Option(help: "A kind of fault that must not happen; the beginning of its name in the report.")
    var without: [String] = []
    @Option(help: "A setting of every process, KEY=VALUE.") var set: [String] = []
    @Flag(help: "Each process has a name by which the group knows it again, `--instance`.") var instances = false
    @Option(help: "The tideline that is hurt.") var tideline: String?
    @Option(help: "Keep logs in this folder.") var keep: String?
    @Option(help: "Write the report to this file, too.") var report: String?
    @Option(help: "The command that the report names.") var command: String?

    @Option(help: "Instead: run this older tideline and the one of --tideline side by side in one group.")
    var upgradeFrom: String?
    @Option(help: "With --upgrade-from: the state.format that the newer one is raised to.") var newFormat = 4

    func plan() throws(ValidationError) -> ChaosPlan {
        let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "tideline")
        let executable = tideline.map { URL(filePath: $0) } ?? beside
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw ValidationError("--tideline: \(executable.path) cannot be run; build it first")
        }
        guard brokers == 1 || brokers == 3 else { throw ValidationError("--brokers: 1 or 3") }
        let threads = streamThreads.split(separator: ",").compactMap { Int($0) }
        guard !threads.isEmpty, threads.allSatisfy({ 1...64 ~= $0 }) else {
            throw ValidationError("--stream-threads: numbers from 1 to 64, by commas")
        }
        var plan = ChaosPlan(
            tideline: executable.absoluteURL,
            directory: keep.map { URL(filePath: $0) } ?? TemporaryDirectory.make("chaos"))
        plan.seed = UInt64(bitPattern: Int64(seed))
        plan.seconds = Double(seconds)
        plan.processFaults = faults
        plan.brokerFaults = brokerFaults
        plan.brokers = brokers
        plan.streamThreads = threads
        plan.processFaultEvery = Double(every) / 1000
        plan.brokerFaultEvery = Double(brokersEvery) / 1000
        for name in without {
            let kinds = FaultKind.allCases.filter { $0.rawValue.hasPrefix(name) }
            guard !kinds.isEmpty else {
                let names = FaultKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--without: '\(name)' begins none of \(names)")
            }
            plan.without.formUnion(kinds)
        }
        plan.hasInstances = instances
        plan.processOptions = set.flatMap { ["--set", $0] }
        return plan
    }
}

@main
enum Program {
    static func main() {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // exit(3) removes the folders; the kernel and the brokers' guards end what was started.
            Glibc.signal(signal) {
                let text = "chaos: ended by a signal; what was started ends, nothing was judged\n"
                _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
                exit(128 + $0)
            }
        }
        do throws(CommandExit) {
            guard let command = try Chaos.parseAsRoot(Array(CommandLine.arguments.dropFirst())) as? Chaos else {
                preconditionFailure("chaos has no verbs")
            }
            // A thread of its own: all of a run waits.
            Thread { exit(make(command)) }.start()
            while true { sleep(1000) }
        } catch {
            FileHandle.standardError.write(Data((error.text + "\n").utf8))
            exit(error.exitCode)
        }
    }

    private static func make(_ command: Chaos) -> Int32 {
        do {
            let plan = try command.plan()
            let began = monotonicSeconds()
            let say: @Sendable (String) -> Void = { line in
                FileHandle.standardError.write(Data("chaos: \(Int(monotonicSeconds() - began)) s: \(line)\n".utf8))
            }
            if let old = command.upgradeFrom {
                return try upgrade(plan, from: URL(filePath: old).absoluteURL, format: command.newFormat, say)
            }
            // As it was when the programs were built: the checkout may be worked on during a long run.
            let commit = commit()
            let run = try ChaosRun(plan, say: say)
            defer { run.close() }
            let report = try run.run()
            let words = CommandLine.arguments.dropFirst().joined(separator: " ")
            let page = report.page(command: command.command ?? "make chaos ARGS=\"\(words)\"", commit: commit)
            FileHandle.standardOutput.write(Data(page.utf8))
            if let file = command.report { try Data(page.utf8).write(to: URL(filePath: file)) }
            return report.isGood ? 0 : 1
        } catch {
            FileHandle.standardError.write(Data("chaos: \(error)\n".utf8))
            return error is ValidationError ? 64 : 69
        }
    }

    private static func upgrade(
        _ plan: ChaosPlan, from old: URL, format: Int, _ say: @escaping @Sendable (String) -> Void
    ) throws -> Int32 {
        let began = monotonicSeconds()
        let run = try UpgradeRun(plan, from: old, say: say)
        defer { run.close() }
        let outcome = try run.run(newFormat: format)
        for breach in outcome.breaches { say("BROKEN: \(breach)") }
        say(
            "\(outcome.breaches.isEmpty ? "both releases share one group and state" : "NOT GOOD"): "
                + "\(outcome.compared) timelines equal to each release's alone, revisions of \(outcome.versions) "
                + "versions looked at, longest stand-still of readers \(Int(outcome.standStill * 10) / 10) s, in "
                + "\(Int(monotonicSeconds() - began)) s")
        return outcome.breaches.isEmpty ? 0 : 1
    }

    /// The commit of the working tree, with a plus where files differ from it.
    private static func commit() -> String {
        let git = URL(filePath: "/usr/bin/git")
        let words = ["describe", "--always", "--dirty=+", "--abbrev=7"]
        let result = try? ProcessRunner(git, words).waitBlocking()
        return result?.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }
}
