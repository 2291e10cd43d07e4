package import RecordLog
package import Simulation
package import SplitMix
package import StreamRuntime

/// What a run may be told besides its seed. The same seed with the same options is the same run.
package struct SeedOptions: Hashable, Sendable {
    /// Each fault's probability is drawn, many of them zero; else all have one that is moderate.
    package var isSwarm = false
    /// The system under test; `nil` lets the seed choose.
    package var system: SystemKind?
    /// The names of the only faults that are enabled, a hyphen for each blank; `nil` stands for all.
    package var only: Set<String>?
    /// So many steps of the phase with faults; `nil` lets the seed choose.
    package var steps: Int?

    package init() {}

    func enables(_ name: String) -> Bool { only?.contains(name.replacing(" ", with: "-")) ?? true }

    /// The flags that repeat it.
    package var flags: String {
        var flags = isSwarm ? " --swarm" : ""
        if let system { flags += " --system \(system.rawValue)" }
        if let only { flags += only.sorted().map { " --only \($0)" }.joined() }
        if let steps { flags += " --steps \(steps)" }
        return flags
    }
}

/// What can be under test.
package enum SystemKind: String, CaseIterable, Sendable {
    case ledger, widgets
}

/// Everything that a seed decides before the run begins.
package struct Draw: Sendable {
    package let seed: UInt64
    /// What the run was told.
    package let options: SeedOptions
    package let system: SystemKind
    /// *P*.
    package let partitions: Int32
    /// By source topic of the system, in its order.
    package let inputPartitions: [Int32]
    package let members: Int
    package let steps: Int
    /// By step.
    package let probabilities: [Misfortune: Double]
    /// By call.
    package let callFaults: [FaultKind: Double]
    /// True if calls wait for what has to happen first, and do not fail at once.
    package let callsWait: Bool
    package internal(set) var settings: StreamSettings
    package let rejoinsInBackground: Bool
    /// A process that says nothing for so long has left its group.
    package let session: Duration
    /// A thread that has not polled for so long has left its group.
    package let pollInterval: Duration
    /// The midnight, in UTC, around which events lie; the clock begins some hours after it.
    package let day: Instant
    package let start: Instant
    /// Reloads of a configuration in 24 hours.
    package let reloadLimit: Int
    /// The processes of the last run.
    package let lastRunMembers: Int
    /// How often input comes that the last run alone reads.
    package let lastRunFeeds: Int

    package init(seed: UInt64, options: SeedOptions) {
        self.seed = seed
        self.options = options
        var random = SplitMix64(seed: seed, stream: 1)
        let drawn: SystemKind = Int.random(in: 0..<3, using: &random) == 0 ? .widgets : .ledger
        system = options.system ?? drawn
        inputPartitions = (0..<4).map { _ in Int32.random(in: 1...4, using: &random) }
        let widest = system == .ledger ? inputPartitions[0] : inputPartitions.max() ?? 1
        partitions = Bool.random(using: &random) ? widest : Int32.random(in: 1...4, using: &random)
        members = Int.random(in: 1...3, using: &random)
        let length = Int.random(in: 20...60, using: &random)
        steps = options.steps ?? length
        rejoinsInBackground = Bool.random(using: &random)
        // Once a shift of keys, which a system draws for itself by now: seeds stay what they were.
        _ = Int32.random(in: 0...2, using: &random)
        let days = Self.days.randomElement(using: &random) ?? 0
        day = Instant(milliseconds: days * Instant.millisecondsOfDay)
        start = day + .minutes(Int64.random(in: 0...1440, using: &random))
        reloadLimit = [4, 12, 48].randomElement(using: &random) ?? 48
        var settings = Self.settings(&random)
        var probabilities = Self.probabilities(options, &random) { !Misfortune.added.contains($0) }
        callsWait = Bool.random(using: &random)
        var callFaults = Self.callFaults(options, &random)
        if system == .widgets {
            var random = SplitMix64(seed: seed, stream: 5)
            probabilities.merge(Self.probabilities(options, &random) { Misfortune.added.contains($0) }) { $1 }
            let interval = [2, 20, 60].randomElement(using: &random) ?? 60
            if probabilities.keys.contains(where: \.isOfTopics) { settings.comparisonInterval = .seconds(interval) }
        }
        var timeouts = SplitMix64(seed: seed, stream: 7)
        settings.transactionTimeout = .seconds([10, 10, 30, 60].randomElement(using: &timeouts) ?? 10)
        if options.isSwarm, options.only == nil, let calm = Self.calm[seed % 20] {
            probabilities = Dictionary(uniqueKeysWithValues: calm.map { ($0, 0.1) })
            callFaults = [:]
            // What comes in while a task is restored is not waited for, so the restore must not take seconds.
            settings.pollMaximum = 200
        }
        var copies = SplitMix64(seed: seed, stream: 8)
        settings.standbyReplicas = [0, 0, 1, 2].randomElement(using: &copies) ?? 0
        settings.standbyInterval = .seconds([1, 5].randomElement(using: &copies) ?? 5)
        var polls = SplitMix64(seed: seed, stream: 10)
        pollInterval = .seconds([30, 300, 300].randomElement(using: &polls) ?? 300)
        var backlogs = SplitMix64(seed: seed, stream: 12)
        settings.backlogRecords = [10_000, 20, 3].randomElement(using: &backlogs) ?? 0
        settings.farBehindRecords = [50_000, 20, 3].randomElement(using: &backlogs) ?? 0
        settings.farBehindPatience = .milliseconds([200, 5_000].randomElement(using: &backlogs) ?? 0)
        settings.farBehindFlushPortions = [1, 3, 16].randomElement(using: &backlogs) ?? 1
        var sessions = SplitMix64(seed: seed, stream: 13)
        session = .seconds([10, 10, 6].randomElement(using: &sessions) ?? 10)
        settings.sessionTimeout = session
        var lastRuns = SplitMix64(seed: seed, stream: 14)
        lastRunMembers = [1, 1, 2, 3].randomElement(using: &lastRuns) ?? 1
        lastRunFeeds = [0, 4, 12, 30].randomElement(using: &lastRuns) ?? 0
        self.probabilities = probabilities
        self.callFaults = callFaults
        self.settings = settings
    }

    /// By the remainder of the seed: the only faults of some seeds, under which stricter things hold. Where processes
    /// only come and go nobody is fenced; where none of them stands still no alarm rings before its input is read.
    private static let calm: [UInt64: [Misfortune]] = [
        7: [.joins, .leaves], 3: [.joins, .leaves, .crashes, .everybodyIsAway],
    ]

    /// Days since 1970: an ordinary one, and those on which clocks change in 2026, in the United States, in Europe and
    /// in Australia, in spring and in autumn.
    private static let days: [Int64] = [20_514, 20_520, 20_541, 20_548, 20_730, 20_751, 20_758]
    static let zones = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata"]

    /// True if some process may have a clock that is wrong.
    var hasWrongClocks: Bool {
        [.clockJumpsForward, .clockJumpsBack, .joins].contains { (probabilities[$0] ?? 0) > 0 }
    }

    private static func settings(_ random: inout SplitMix64) -> StreamSettings {
        var settings = StreamSettings(applicationId: "app", exchangeTopic: "app.exchange", stateTopic: "app.state")
        settings.pollMaximum = Int.random(in: 3...40, using: &random)
        settings.outputBytesMax = [0, 500, 1 << 20].randomElement(using: &random) ?? 0
        settings.commitInterval = .milliseconds([0, 20, 100].randomElement(using: &random) ?? 0)
        settings.backlogCommitInterval = max(settings.commitInterval, .milliseconds(100))
        if settings.commitInterval == .milliseconds(100) { settings.visibleCommitInterval = .milliseconds(5) }
        settings.maintenanceInterval = .seconds(Int.random(in: 1...10, using: &random))
        settings.offsetsRefreshInterval = .seconds(Int.random(in: 5...100, using: &random))
        // A run breaks producers more often than a process may bear: it ends, and another begins.
        settings.failuresMax = [5, 1_000].randomElement(using: &random) ?? 5
        return settings
    }

    private static func probabilities(
        _ options: SeedOptions, _ random: inout SplitMix64, of isDrawn: (Misfortune) -> Bool
    ) -> [Misfortune: Double] {
        var probabilities: [Misfortune: Double] = [:]
        for kind in Misfortune.allCases where isDrawn(kind) {
            let isOff = Bool.random(using: &random)
            let swarm: Double = [0.01, 0.02, 0.05, 0.1, 0.2].randomElement(using: &random) ?? 0
            let probability: Double = options.isSwarm ? (isOff ? 0 : swarm) : 0.02
            if probability > 0 && options.enables(kind.rawValue) { probabilities[kind] = probability }
        }
        return probabilities
    }

    private static func callFaults(_ options: SeedOptions, _ random: inout SplitMix64) -> [FaultKind: Double] {
        var probabilities: [FaultKind: Double] = [:]
        for kind in FaultKind.allCases where kind.origin == .plan {
            let isOff = Int.random(in: 0..<3, using: &random) > 0
            let swarm: Double = [0.0003, 0.001, 0.003, 0.01].randomElement(using: &random) ?? 0
            let probability: Double = options.isSwarm ? (isOff ? 0 : swarm) : 0.0003
            guard probability > 0, options.enables(kind.rawValue) else { continue }
            probabilities[kind] = min(1, probability * rarity(of: kind))
        }
        return probabilities
    }

    /// How much rarer the occasions of a kind are than calls: each kind is to happen in a batch of 200 seeds.
    private static func rarity(of kind: FaultKind) -> Double {
        switch kind {
        case .survivingRequest: 1_000
        case .lateInquiry: 50
        case .lateMarkers: 40
        case .lateDecision, .lostDecision: 10
        default: 1
        }
    }

    /// What was drawn, for who repeats the run.
    package var lines: [String] {
        let faults = Misfortune.allCases.compactMap { kind in
            probabilities[kind].map { "\(kind.rawValue) \($0)" }
        }
        return [
            "seed \(seed)",
            "system \(system.rawValue), \(partitions) tasks, inputs of \(inputPartitions) partitions",
            "members \(members) at first, \(steps) steps, members hear of a rebalance "
                + (rejoinsInBackground ? "at once" : "in their next poll"),
            "settings transactions \(settings.transactionTimeout), commit \(settings.commitInterval), poll "
                + "\(settings.pollMaximum), hand over at "
                + "\(settings.outputBytesMax) bytes, maintenance \(settings.maintenanceInterval), offsets anew "
                + "\(settings.offsetsRefreshInterval), failures \(settings.failuresMax), standby copies "
                + "\(settings.standbyReplicas), poll interval \(pollInterval)",
            "settings session \(session), visible commit "
                + (settings.visibleCommitInterval.map { "\($0)" } ?? "as any") + ", backlog from "
                + "\(settings.backlogRecords) records each \(settings.backlogCommitInterval), far behind from "
                + "\(settings.farBehindRecords) for \(settings.farBehindPatience) and "
                + "\(settings.farBehindFlushPortions) portions, standby look \(settings.standbyInterval), compared "
                + "each \(settings.comparisonInterval)",
            "begins \(start.rfc3339), at most \(reloadLimit) reloads a day",
            "last run of \(lastRunMembers) processes, input comes \(lastRunFeeds) times before it",
            "calls " + (callsWait ? "wait for what has to happen first" : "fail at once where they would wait"),
            "faults of calls "
                + FaultKind.allCases.compactMap { kind in callFaults[kind].map { "\(kind.rawValue) \($0)" } }
                .joined(separator: ", "),
            "faults " + (faults.isEmpty ? "none" : faults.joined(separator: ", ")),
        ]
    }
}

extension SplitMix64 {
    /// A sequence of its own for each thing that is drawn, so that one more draw here changes nothing there.
    package init(seed: UInt64, stream: UInt64) {
        var mixed = SplitMix64(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ stream)
        self.init(seed: mixed.next())
    }
}
