// SeedsTests: the simulation itself. A seed repeats itself to the byte, seeds are good, deliberate bugs are found.

import Foundation
import RecordLog
import Seeds
import Simulation
import TestSupport
import Testing

@Suite("Seeds")
struct SeedsTests {
    private static let swarm: SeedOptions = {
        var options = SeedOptions()
        options.isSwarm = true
        return options
    }()

    @Test("a second run of a seed takes the same way, to the byte", arguments: 1...6 as ClosedRange<UInt64>)
    func reproduction(seed: UInt64) {
        let first = SeedRun(seed: seed, options: Self.swarm).run()
        let second = SeedRun(seed: seed, options: Self.swarm).run()
        #expect(first.digest == second.digest)
        #expect(first.events > 100 && first.events == second.events)
        #expect(first.faults == second.faults && first.symptoms == second.symptoms)
    }

    @Test("a batch draws the steps that stream threads went from state to state")
    func picture() {
        var batch = SeedBatch()
        for seed in 1...12 as ClosedRange<UInt64> { batch.add(SeedRun(seed: seed, options: Self.swarm).run()) }
        let gone = Set(FaultTable.steps.filter { batch.faults[$0] > 0 })
        let usual = ["initialising → ready", "ready → open", "open → ready", "open → aborting", "aborting → ready"]
        #expect(gone.isSuperset(of: usual), "\(gone)")
        #expect(batch.picture.count == FaultTable.steps.count)
        #expect(batch.picture[0].contains("initialising → ready") && !batch.picture[0].hasSuffix(" 0"))
    }

    @Test("where transactions may be delayed, what stood still without that is judged by the strict bound")
    func standstills() {
        var batch = SeedBatch()
        for seed in 1...200 as ClosedRange<UInt64> {
            let mayDelay = Draw(seed: seed, options: Self.swarm).callFaults[.slowCall] != nil
            if mayDelay { batch.add(SeedRun(seed: seed, options: Self.swarm).run()) }
        }
        #expect(batch.failures.isEmpty)
        #expect(batch.standstills.strict.count > 0 && batch.standstills.wide.count > 0)
        #expect(batch.standstills.strict.longest <= .seconds(12))
    }

    @Test("what a worker tells of readers that stood still is read as it was written")
    func standstillText() {
        var told = Standstills(text: "2 1500 1 40000")
        #expect(told.text == "2 1500 1 40000")
        told.add(Standstills(text: "1 9000 3 20"))
        #expect(told.text == "3 9000 4 40000")
        #expect(told.line.hasSuffix("by the strict bound 3, the longest 9.0 s; by the wide one 4, the longest 40.0 s"))
        #expect(Standstills(text: "none") == Standstills())
    }

    @Test("in a batch of 1,000 whole seeds each consequence has to happen, too")
    func consequences() {
        var happened = FaultTable()
        for kind in Misfortune.allCases { happened.note(kind) }
        for kind in FaultKind.allCases where kind != .pollIntervalExceeded { happened.note(kind, times: 1) }
        var batch = SeedBatch()
        for seed in 1...999 as ClosedRange<UInt64> { batch.add(seed: seed, symptoms: [], faults: happened, events: 1) }
        #expect(batch.neverHappened(Self.swarm).isEmpty)
        batch.add(seed: 1_000, symptoms: [], faults: happened, events: 1)
        #expect(batch.neverHappened(Self.swarm) == ["poll interval exceeded"])
        var part = Self.swarm
        part.system = .ledger
        #expect(batch.neverHappened(part).isEmpty)
    }

    @Test("a seed in which a thread polls too seldom is good")
    func pollInterval() {
        var batch = SeedBatch()
        for seed in 1...60 as ClosedRange<UInt64> {
            let isShort = Draw(seed: seed, options: Self.swarm).pollInterval < .seconds(60)
            if isShort { batch.add(SeedRun(seed: seed, options: Self.swarm).run()) }
        }
        #expect(batch.failures.isEmpty)
        #expect(batch.faults[.pollIntervalExceeded] > 0)
    }

    @Test("a fault that a batch of 100 seeds never met is named; a batch of 99 proves nothing")
    func neverHappened() {
        var happened = FaultTable()
        for kind in Misfortune.allCases where kind != .crashes { happened.note(kind) }
        for kind in FaultKind.allCases { happened.note(kind, times: 1) }
        var batch = SeedBatch()
        for seed in 1...99 as ClosedRange<UInt64> { batch.add(seed: seed, symptoms: [], faults: happened, events: 1) }
        #expect(batch.neverHappened(Self.swarm).isEmpty)
        batch.add(seed: 100, symptoms: [], faults: happened, events: 1)
        #expect(batch.neverHappened(Self.swarm) == ["crashes"])
    }

    @Test("another seed takes another way")
    func difference() {
        let digests = (1...8 as ClosedRange<UInt64>).map { SeedRun(seed: $0, options: Self.swarm).run().digest }
        #expect(Set(digests).count == digests.count)
    }

    @Test("the digest of a seed is the same in every process")
    func acrossProcesses() async throws {
        var answers: [String] = []
        for _ in 0..<2 {
            let result = try await ProcessRunner.run(
                Self.program, ["--seed", "7", "--swarm"], directory: PackageRoot.url)
            // The checkout may be worked on meanwhile.
            let lines = result.standardOutput.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("commit ") })
            answers.append(lines.filter { !$0.hasPrefix("commit ") }.joined(separator: "\n"))
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].contains("digest "))
    }

    private static var program: URL {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "simulate")
    }
}
