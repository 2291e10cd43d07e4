import RecordLog
import Seeds
import Simulation
import StreamCore
import Synchronization
import Testing

/// The slow flush of a run, which the ports of the run ask.
private final class SlowBox: Sendable {
    let slow = Mutex<SlowFlush?>(nil)
}

/// What is not found when it is there is not known to be absent: each bug is put in, and a seed must show it.
/// Documentation/Simulation.md has the table.
@Suite("Deliberate bugs are found within 500 seeds")
struct DeliberateBugTests {
    /// A bug, and the seed that shows it: tried first, for the others cost time.
    struct Bug<Kind: Sendable>: Sendable, CustomTestStringConvertible {
        var kind: Kind
        var seed: UInt64

        init(_ kind: Kind, _ seed: UInt64) {
            self.kind = kind
            self.seed = seed
        }

        var testDescription: String { "\(kind), shown by seed \(seed)" }
    }

    static let portBugs: [Bug<PortDefect>] = [
        Bug(.offsetOneTooLow, 1), Bug(.restoreToStable, 445), Bug(.noOffsets, 1), Bug(.clientPositions, 3),
        Bug(.noBarrier, 4), Bug(.positionsNotInState, 1), Bug(.epochIgnored, 42), Bug(.claimNeverReleased, 18),
    ]

    @Test("a bug of a port's use", arguments: portBugs)
    func ofPorts(bug: Bug<PortDefect>) {
        expectFound(bug) { seed, options in
            var options = options
            // Nothing but processes that come and go: then nobody may be fenced.
            if bug.kind == .claimNeverReleased { options.only = ["joins", "leaves"] }
            var run = SeedRun(seed: seed, options: options)
            run.wrap = { DefectiveCluster($0, bug.kind) }
            return run
        }
    }

    static let processorBugs: [Bug<LedgerDefect>] = [
        Bug(.overlayKept, 4), Bug(.timersNotRebuilt, 61), Bug(.pendingKept, 22), Bug(.timersBeforeInputs, 5),
    ]

    @Test("a bug of a processor, or of how it is called", arguments: processorBugs)
    func ofProcessors(bug: Bug<LedgerDefect>) {
        expectFound(bug) { seed, options in
            var options = options
            // A process that has its tasks and nothing against it has read what there is.
            if bug.kind == .timersBeforeInputs { options.only = ["joins", "leaves", "crashes", "everybodyIsAway"] }
            var run = SeedRun(seed: seed, options: options)
            run.ledger = { _ in LedgerTopology.topology { DefectiveLedger(bug.kind) } }
            return run
        }
    }

    @Test("a deadline that is taken before a flush which takes long")
    func deadlineBeforeFlush() {
        expectFound(Bug(PortDefect.deadlineBeforeFlush, 5)) { seed, options, hasBug in
            var options = options
            options.only = []
            options.steps = 1
            var run = SeedRun(seed: seed, options: options)
            let box = SlowBox()
            run.ledger = { clock in
                let slow = SlowFlush(clock)
                box.slow.withLock { $0 = slow }
                return LedgerTopology.topology { DefectiveLedger(nil, slow: slow) }
            }
            if hasBug {
                run.wrap = { DefectiveCluster($0, .deadlineBeforeFlush, slow: box.slow.withLock { $0 }) }
            }
            return run
        }
    }

    // MARK: - Holes that were closed

    static let holes: [Bug<PortDefect>] = [
        Bug(.outcomeTakenForFailure, 8), Bug(.exchangeFromItsEnd, 4),
    ]

    @Test("a hole that is opened again", arguments: holes)
    func hole(bug: Bug<PortDefect>) {
        expectFound(bug) { seed, options in
            var run = SeedRun(seed: seed, options: options)
            run.wrap = { DefectiveCluster($0, bug.kind) }
            return run
        }
    }

    /// The default of `transaction.timeout` is no longer than a session: a longer one tells waiting from ending.
    @Test("nobody ends the transaction of an owner that died")
    func ownersNotSettled() {
        expectFound(Bug(PortDefect.ownersNotSettled, 123)) { seed, options, hasBug in
            var options = options
            options.only = ["joins", "leaves", "crashes", "crashesBeforeCall", "crashesAfterCall", "everybodyIsAway"]
            var run = SeedRun(seed: seed, options: options)
            run.transactionTimeout = .seconds(60)
            if hasBug { run.wrap = { DefectiveCluster($0, .ownersNotSettled) } }
            return run
        }
    }

    @Test("a topic that is deleted and made again is taken for the one that was read")
    func nothingCompared() {
        expectFound(Bug(PortDefect.nothingCompared, 1), system: .widgets) { seed, options, hasBug in
            var options = options
            options.only = ["inputRemadeRunning", "inputRemadeStopped"]
            var run = SeedRun(seed: seed, options: options)
            if hasBug { run.wrap = { DefectiveCluster($0, .nothingCompared) } }
            return run
        }
    }

    @Test("a reload that waited for a token is dropped when there is one")
    func heldReloadDropped() {
        expectFound(Bug(PortDefect.heldReloadDropped, 272), system: .widgets) { seed, options, hasBug in
            var run = SeedRun(seed: seed, options: options)
            if hasBug { run.wrap = { DefectiveCluster($0, .heldReloadDropped) } }
            return run
        }
    }

    @Test("a timeline says something else than the records that it names")
    func otherContent() {
        expectFound(Bug(PortDefect.otherContent, 5), system: .widgets, as: .neverWas) { seed, options, hasBug in
            var run = SeedRun(seed: seed, options: options)
            if hasBug { run.wrap = { DefectiveCluster($0, .otherContent) } }
            return run
        }
    }

    // MARK: - Finding

    private func expectFound<Kind>(_ bug: Bug<Kind>, _ make: (UInt64, SeedOptions) -> SeedRun) {
        expectFound(bug) { seed, options, hasBug in
            let defective = make(seed, options)
            return hasBug ? defective : SeedRun(seed: seed, options: defective.options)
        }
    }

    /// By the seed that is written down here and on the page; the others tell which seed it is today.
    private func expectFound<Kind>(
        _ bug: Bug<Kind>, system: SystemKind = .ledger, as kind: Symptom.Kind? = nil,
        _ make: (UInt64, SeedOptions, _ hasBug: Bool) -> SeedRun
    ) {
        var options = SeedOptions()
        options.isSwarm = true
        options.system = system
        let seeds = (1...500 as ClosedRange<UInt64>)
        for seed in [bug.seed] + seeds where seeds.contains(seed) {
            let symptoms = make(seed, options, true).run().symptoms
            guard let symptom = symptoms.first(where: { kind == nil || $0.kind == kind }) else { continue }
            // A seed that fails without the bug shows nothing of it.
            guard make(seed, options, false).run().isGood else { continue }
            if seed != bug.seed {
                Issue.record("seed \(seed) shows it today, and not \(bug.seed): \(symptom.kind.rawValue)")
            }
            return
        }
        Issue.record("\(bug.kind) is not found")
    }
}
