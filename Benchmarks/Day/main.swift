// A day of 10,000 vehicles and 20,000 configurations, under a virtual clock: what recipients are told, whether every
// rule of reloads holds, and what it costs; then the same day with tasks thrown away and restored at 200 random
// instants.
//
// Run it with `make day`, or with the number of vehicles, a seed, the number of restarts, of tasks, and the grid of
// instants in milliseconds. It ends with status 1 where a rule is broken or where the two days differ.
import Foundation
import SimulatedDays

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let seed = arguments.dropFirst().first ?? 7
let restarts = arguments.dropFirst(2).first.map(Int.init) ?? 200
let grid = arguments.dropFirst(4).first.map(Int64.init) ?? 1
let day = FleetDay(seed: seed, scale: .init(vehicles: arguments.first.map(Int.init) ?? 10_000, grid: grid))
let partitions = arguments.dropFirst(3).first.map(Int32.init) ?? 4
let secondsMax = 60.0

struct Played {
    var run: DayRun
    var trace: RecordTrace
    var isRight: Bool
}

/// A day with all that is said of it.
func play(_ name: String, _ interruptions: Interruptions?) -> Played {
    let checker = ReloadChecker(kinds: FleetDay.kinds)
    let trace = RecordTrace()
    let run = DayRun(day, partitions: partitions, interruptions: interruptions, observers: [checker, trace])
    checker.end(day.end)
    say("\n\(name): \(run.steps) instants, \(run.transactions) transactions, \(run.interruptions) interruptions")
    for line in DayTable(day, checker.figures).lines { say(line) }
    say("CPU seconds: \(rounded(run.cost.tasks)), and \(rounded(run.cost.observers)) for the checker")
    for (rule, count) in checker.breachCounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        say("BROKEN: \(rule.rawValue), \(count) times")
    }
    for breach in checker.breaches.prefix(20) { say("  \(breach)") }
    return Played(run: run, trace: trace, isRight: checker.breachCounts.isEmpty && run.deadLetters == 0)
}

/// At once, also where it goes to a file: a day takes minutes.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func rounded(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }

say("seed \(seed), \(partitions) tasks")
let quiet = play("undisturbed", nil)
var isRight = quiet.isRight
if restarts > 0 {
    let disturbed = play("with restarts", Interruptions(restarts, of: day, partitions: partitions, seed: seed))
    let differences = disturbed.trace.differences(from: quiet.trace)
    say("\nThe two days \(differences.isEmpty ? "told everybody the same" : "DIFFER: \(differences.count)")")
    for difference in differences.prefix(10) { say("  \(difference)") }
    isRight = isRight && disturbed.isRight && differences.isEmpty
}
say("goal: a day in \(Int(secondsMax)) CPU seconds: \(quiet.run.cost.tasks < secondsMax ? "met" : "missed")")
exit(isRight ? 0 : 1)
