import Seeds
import Simulation
import Testing

/// Seeds that once failed, by symptom. What made them fail is mended; each stays here.
@Suite("Seeds that once failed")
struct RegressionTests {
    struct Regression: Sendable, CustomTestStringConvertible {
        var symptom: String
        var seed: UInt64
        var system: SystemKind
        /// Found before topics were made again and readers told: without that the seed draws what it drew then.
        var isBeforeTopics = true

        var testDescription: String { "\(symptom): seed \(seed), \(system.rawValue)" }
    }

    static let all = [
        Regression(symptom: "a commit flushes for ever: two nodes answer each other", seed: 151, system: .widgets),
        Regression(symptom: "a transaction coordinator that moves again and again", seed: 113, system: .ledger),
        Regression(symptom: "a process that ends of what was left when the faults ceased", seed: 180, system: .ledger),
        Regression(
            symptom: "inputs applied twice: a late commit ended the next transaction", seed: 204, system: .ledger),
        Regression(
            symptom: "a flush waits for ever: a record was put off to before the last", seed: 1413, system: .ledger),
        Regression(symptom: "markers held back while others call count as standing still", seed: 1091, system: .ledger),
        Regression(symptom: "telemetry of the future, and a clock that changes", seed: 75, system: .widgets),
        Regression(
            symptom: "a topic made again is read on, and its reader ends before it has compared it", seed: 78,
            system: .widgets, isBeforeTopics: false),
        Regression(
            symptom: "the same: records that nobody reads", seed: 5848, system: .widgets, isBeforeTopics: false),
        Regression(
            symptom: "sources behind one that was made again with less are never read", seed: 2717, system: .widgets,
            isBeforeTopics: false),
        Regression(
            symptom: "readers wait for an owner that died in its first transaction", seed: 372, system: .ledger),
        Regression(
            symptom: "the same: a look that failed forgot who had vanished", seed: 2617, system: .ledger),
        Regression(
            symptom: "a standby copy misses tombstones that were removed while its process stood still", seed: 391,
            system: .ledger),
        Regression(
            symptom: "what an open transaction hides at the end counts as missing", seed: 8997, system: .widgets,
            isBeforeTopics: false),
        Regression(
            symptom: "what an aborted transaction read of a topic was compared with the next one of its name",
            seed: 6034,
            system: .widgets, isBeforeTopics: false),
        Regression(
            symptom: "a first claim that failed was followed by work without a claim", seed: 8996, system: .ledger),
        Regression(
            symptom: "a calendar's change while its task's clock was a day ahead is told to nobody", seed: 2474,
            system: .widgets, isBeforeTopics: false),
        Regression(
            symptom: "readers wait for an owner that died while its JoinGroup waited for others", seed: 326,
            system: .widgets, isBeforeTopics: false),
        Regression(symptom: "the same, by a session of six seconds", seed: 3649, system: .ledger),
        Regression(
            symptom: "readers wait for an owner that left in its first transaction, whose abort failed", seed: 18752,
            system: .ledger),
        Regression(
            symptom: "the same, of a process that ran alone", seed: 5416, system: .widgets, isBeforeTopics: false),
        Regression(
            symptom: "in a run that ends, a vehicle's news took the place of an answer that was asked for", seed: 273,
            system: .widgets, isBeforeTopics: false),
        Regression(symptom: "the same, of one process", seed: 291, system: .widgets, isBeforeTopics: false),
    ]

    @Test("a seed that once failed is good", arguments: all)
    func isGood(_ regression: Regression) {
        var options = SeedOptions()
        options.isSwarm = true
        options.system = regression.system
        if regression.system == .widgets && regression.isBeforeTopics {
            let kinds = Misfortune.allCases.filter { !Misfortune.added.contains($0) }.map(\.rawValue)
            options.only = Set(kinds + FaultKind.allCases.map { $0.rawValue.replacing(" ", with: "-") })
        }
        let verdict = SeedRun(seed: regression.seed, options: options).run()
        #expect(verdict.symptoms.map(\.description) == [])
    }
}
