// simulate: the command line of the simulation. It runs seeds, prints what was drawn and what came of it, and ends with
// status 1 if a seed failed.
//
// It must not know what is simulated: `Seeds` draws, runs and judges. Here are the real clock, processes and the
// standard streams.
//
// Begin with `Simulate`, the options. One seed runs in this process; many run in worker processes (`Workers`), so that
// a seed that makes the program crash is a seed that failed, and the others go on.

import Arguments
import Foundation
import Seeds

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs stream threads on a simulated cluster, with faults that a seed decides.",
        discussion: """
            A seed draws a topology, members, settings and faults, and runs them under a virtual clock: first with \
            faults, then without until all has settled. Checkers outside judge the topics. The same seed with the same \
            options is the same run. Exit status: 0 all seeds are good, 1 some failed, 64 wrong usage.
            """,
        examples: [
            CommandExample("simulate --seed 7 --swarm", "One seed, and all that was drawn for it."),
            CommandExample("simulate --seed 1…10000 --swarm --processes 2", "Many, in two processes."),
            CommandExample("simulate --swarm --seconds 60", "New seeds for a minute."),
            CommandExample("simulate --seed 7 --swarm --seconds 60", "Seed 7, and those after it for a minute."),
        ])

    @Option(help: ArgumentHelp("A seed, or a range as 1…200 or 1-200; without it new seeds.", valueName: "seeds"))
    var seed: SeedRange?
    @Flag(help: "Draw each fault's probability for each seed, many of them zero.") var swarm = false
    @Option(
        help: ArgumentHelp(
            "Begin no new seed after so many seconds; after a single seed those go on that follow it.",
            valueName: "seconds"))
    var seconds: Int?
    @Option(help: ArgumentHelp("Run only this system: ledger or widgets.", valueName: "system"))
    var system: String?
    @Option(
        help: ArgumentHelp(
            "Enable only these faults, by their names in the table that ends a batch, a hyphen for each blank.",
            valueName: "fault"))
    var only: [String] = []
    @Option(help: ArgumentHelp("Steps of the phase with faults.", valueName: "count"))
    var steps: Int?
    @Option(help: ArgumentHelp("Worker processes for many seeds.", valueName: "count"))
    var processes = 1
    @Flag(help: "Print every call and event of a single seed on standard error.") var trace = false
    @Flag(help: "Used by simulate itself: a line for each seed, for the process that started this one.")
    var worker = false

    func validate() throws(ValidationError) {
        let names = FaultTable.names.map { $0.replacing(" ", with: "-") }
        for name in only where !names.contains(name) {
            let known = names.joined(separator: ", ")
            throw ValidationError("There is no fault '\(name)', only \(known).")
        }
        if let system, SystemKind(rawValue: system) == nil {
            throw ValidationError("There is no system '\(system)', only ledger and widgets.")
        }
        if seed == nil && seconds == nil { throw ValidationError("Say '--seed' or '--seconds'.") }
        if let steps, steps < 0 { throw ValidationError("'--steps' is at least 0.") }
        if let seconds, seconds < 1 && !worker { throw ValidationError("'--seconds' is at least 1.") }
        if trace && !isOne {
            throw ValidationError("'--trace' is for a single seed, such as '--seed 7'.")
        }
        if processes < 1 { throw ValidationError("'--processes' is at least 1.") }
    }

    /// True if a single seed is run to its end.
    private var isOne: Bool { seconds == nil && seed.map { $0.first == $0.last } ?? false }

    var options: SeedOptions {
        var options = SeedOptions()
        options.isSwarm = swarm
        options.system = system.flatMap(SystemKind.init(rawValue:))
        options.only = only.isEmpty ? nil : Set(only)
        options.steps = steps
        return options
    }
}

/// Seeds one after the other.
struct SeedRange: ExpressibleByArgument {
    var first: UInt64
    var last: UInt64
    /// Every so-manieth of them.
    var step: UInt64 = 1

    static var allowedDescription: String? { "a seed, or a range such as 1…200 or 1-200" }

    init?(argument: String) {
        let parts = argument.split(separator: "+", maxSplits: 1)
        let ends = parts[0].replacing("...", with: "…").replacing("-", with: "…").split(separator: "…")
        let numbers = ends.compactMap { UInt64($0) }
        guard numbers.count == ends.count, let first = numbers.first, numbers.count <= 2 else { return nil }
        self.init(first: first, last: numbers.last ?? first)
        guard self.last >= first else { return nil }
        if parts.count == 2 {
            guard let step = UInt64(parts[1]), step > 0 else { return nil }
            self.step = step
        }
    }

    /// How many they are; `nil` if there is no end to them.
    var count: Int? { last < .max / 2 ? Int((last - first) / step) + 1 : nil }

    init(first: UInt64, last: UInt64, step: UInt64 = 1) {
        self.first = first
        self.last = last
        self.step = step
    }
}

@main
enum Program {
    static func main() {
        do throws(CommandExit) {
            guard let command = try Simulate.parseAsRoot(Array(CommandLine.arguments.dropFirst())) as? Simulate else {
                preconditionFailure("There is one command.")
            }
            exit(command.start())
        } catch {
            write(error.text, to: error.exitCode == 0 ? .standardOutput : .standardError)
            exit(error.exitCode)
        }
    }

    static func write(_ text: String, to file: FileHandle = .standardOutput) {
        file.write(Data((text + "\n").utf8))
    }
}

extension Simulate {
    /// - Returns: the exit status.
    func start() -> Int32 {
        if let seed, worker { return Worker(seeds: seed, options: options, seconds: seconds).run() }
        if let seed, isOne { return runOne(seed.first) }
        let first = seed?.first ?? UInt64.random(in: 1...1 << 40)
        let range = seed.flatMap { $0.first == $0.last ? nil : $0 }
        let seeds = range ?? SeedRange(first: first, last: .max - 1_000)
        return Workers(seeds: seeds, options: options, seconds: seconds, count: processes).run()
    }

    private func runOne(_ seed: UInt64) -> Int32 {
        var run = SeedRun(seed: seed, options: options)
        if trace { run.trace = { Program.write($0, to: .standardError) } }
        for line in Draw(seed: seed, options: options).lines { Program.write(line) }
        Program.write("commit \(Checkout.commit)")
        let verdict = run.run()
        Program.write("happened \(verdict.faults.text)")
        Program.write(verdict.times)
        Program.write(verdict.standstills.line)
        Program.write("digest \(String(verdict.digest, radix: 16)) of \(verdict.events) events")
        for symptom in verdict.symptoms { Program.write("symptom \(symptom)") }
        guard !verdict.isGood else {
            Program.write("good")
            return 0
        }
        Program.write("failed; again with: swift run simulate --seed \(seed)\(options.flags)")
        if !trace { Program.write("  '--trace' prints every call and event of it on standard error") }
        return 1
    }
}
