import Simulation

/// What came of many runs: the faults that happened, and the seeds that failed.
package struct SeedBatch: Sendable {
    package private(set) var runs = 0
    package private(set) var failures: [Failure] = []
    package private(set) var faults = FaultTable()
    package private(set) var events = 0
    package private(set) var standstills = Standstills()

    package struct Failure: Sendable {
        package var seed: UInt64
        package var symptoms: [String]
    }

    package init() {}

    package mutating func add(
        seed: UInt64, symptoms: [String], faults: FaultTable, events: Int, standstills: Standstills = Standstills()
    ) {
        runs += 1
        self.faults.add(faults)
        self.events += events
        self.standstills.add(standstills)
        if !symptoms.isEmpty { failures.append(Failure(seed: seed, symptoms: symptoms)) }
    }

    package mutating func add(_ verdict: Verdict) {
        add(
            seed: verdict.draw.seed, symptoms: verdict.symptoms.map(\.description), faults: verdict.faults,
            events: verdict.events, standstills: verdict.standstills)
    }

    /// The names of enabled kinds that never happened in the whole batch; in a large one, also of what follows from
    /// others, if they are all enabled. A batch of a few seeds proves nothing, so it has none.
    package func neverHappened(_ options: SeedOptions) -> [String] {
        guard runs >= 100 else { return [] }
        let kinds =
            Misfortune.allCases.filter { kind in
                switch options.system {
                case .ledger: !kind.isOfPipeline
                case .widgets: kind != .retentionOvertakes
                case nil: true
                }
            }
            .map(\.rawValue)
            + FaultKind.allCases.filter { $0.origin == .plan }.map(\.rawValue)
        let isWhole = runs >= 1_000 && options.isSwarm && options.system == nil && options.only == nil
        let consequences = isWhole ? FaultKind.allCases.filter { $0.origin == .consequence }.map(\.rawValue) : []
        return (kinds + consequences).filter { options.enables($0) && faults[$0] == 0 }
    }

    /// The table of the faults that happened, a line for each kind.
    package var table: [String] {
        FaultTable.names.map { name in
            "  \(name)\(String(repeating: " ", count: max(1, 30 - name.utf8.count)))\(faults[name])"
        }
    }

    /// The picture of what stream threads did: each step from state to state that is allowed, and its count.
    package var picture: [String] {
        let width = FaultTable.steps.map(\.count).max() ?? 0
        return FaultTable.steps.map { name in
            "  \(name)\(String(repeating: " ", count: width + 2 - name.count))\(faults[name])"
        }
    }

    /// Steps that no thread went. A batch of a few seeds proves nothing, so it has none.
    package var stepsNeverGone: [String] { runs >= 100 ? FaultTable.steps.filter { faults[$0] == 0 } : [] }
}
