import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

/// Nine ways in which recovery went wrong in other stream processors, each as a test named after it.
@Suite("Recovery, as it went wrong elsewhere")
struct RecoveryBugTests {
    private static let state = "app.state"
    private static let input = TopicPartition(LedgerTopology.source, 0)

    /// An application that has read its input and has stopped or died, and lets `cluster` be changed before another
    /// member takes over.
    private func expectTakeOver(
        after change: (SimulatedApplication) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(120)
        try application.expectExactlyOnce(sourceLocation: sourceLocation)
        application.crash(first)
        try change(application)
        let second = try application.join("b")
        try application.runUntilAllRun(sourceLocation: sourceLocation)
        #expect(second.events.count("running") == 2, sourceLocation: sourceLocation)
        application.append(80)
        try application.expectExactlyOnce(sourceLocation: sourceLocation)
    }

    @Test("(a) the changelog's last record was a transaction marker, and compaction has removed it")
    func markerAtTheEndIsCompactedAway() throws {
        try expectTakeOver { application in
            let place = TopicPartition(Self.state, 0)
            let last = try #require(application.cluster.records(Self.state, partition: 0).last).offset
            let end = application.cluster.ends(of: place).high
            #expect(last.rawValue < end.rawValue - 1, "the last offset is no marker's")
            application.cluster.compact(Self.state)
            // What a reader waits for as the end is an offset that no record has any more.
            #expect(application.cluster.ends(of: place).high == end)
        }
    }

    @Test("(b) the changelog ends in records of a transaction that was aborted, or that nobody ended")
    func abortedOrOpenTail() throws {
        for endsIt in [true, false] {
            let application = SimulatedApplication()
            let first = try application.join("a")
            application.append(60)
            try application.expectExactlyOnce()
            application.append(60)
            let open = try application.crash(first, at: "commit")
            #expect(open == ["app-a"], "nothing was left open")
            let before = application.cluster.ends(of: TopicPartition(Self.state, 0))
            #expect(before.stable < before.high, "the changelog has no open tail")
            if endsIt {
                // The transaction time-out: the coordinator aborts it.
                application.clock.advance(by: .seconds(11))
                #expect(application.cluster.openTransactions == [])
            }
            try application.join("b")
            try application.expectExactlyOnce()
        }
    }

    @Test("(c) rebalances during recovery, a cold start of four members: no partition without a position")
    func rebalancesDuringRecovery() throws {
        let application = SimulatedApplication(partitions: 8)
        let first = try application.join("a")
        application.append(400, keys: 60)
        try application.expectExactlyOnce()
        application.crash(first)
        application.append(400, keys: 60)
        // So slow that each rebalance meets tasks that restore.
        application.settings.pollMaximum = 7
        var interrupted = 0
        for name in ["b", "c", "d", "e"] {
            try application.join(name)
            try application.run(rounds: 2)
            interrupted += application.members.flatMap(\.thread.status.tasks).count { $0.state != .running }
            application.cluster.rebalance("app", times: 2)
            try application.run(rounds: 1)
        }
        #expect(interrupted > 0, "no rebalance met a task that restored")
        try application.runUntilAllRun()
        try application.expectExactlyOnce()
        #expect(application.members.allSatisfy { $0.events.count("positionOutOfRange") == 0 })
    }

    @Test("(d) retention has removed the records at the committed position: told, and read on from the earliest")
    func positionBelowTheLowWatermark() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        application.leave(first)
        application.append(80)
        application.cluster.removeRecords(of: Self.input, before: Offset(45))
        let kept = application.inputs
        let second = try application.join("b")
        let isRead = try application.run(until: { application.audit.isComplete(inputs: kept) })
        #expect(isRead, "stuck")
        #expect(second.events.count("positionOutOfRange") == 1)
        #expect(application.audit.appliedOnce)
        // Nothing is left for ever: the position is the end.
        try application.run(rounds: 20)
        #expect(application.committed(Self.input.topic, 0) == application.cluster.ends(of: Self.input).high)
    }

    @Test("(e) compaction removes the changelog's old records while it is replayed")
    func changelogShrinksDuringReplay() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        for _ in 0..<12 {
            application.append(40)
            try application.run(rounds: 8)
        }
        try application.expectExactlyOnce()
        application.crash(first)
        application.settings.pollMaximum = 5
        let second = try application.join("b")
        let isReplaying = try application.run(until: { second.events.has("restoring") }, within: 100)
        #expect(isReplaying && second.runningTasks.isEmpty, "there was nothing to interrupt")
        application.cluster.compact(Self.state)
        try application.runUntilAllRun()
        application.append(40)
        try application.expectExactlyOnce()
    }

    @Test("(f) far more comes in during recovery than is taken at a time: no wait of the one for the other")
    func floodDuringRecovery() throws {
        let application = SimulatedApplication(partitions: 4)
        let first = try application.join("a")
        application.append(2000, keys: 500)
        try application.expectExactlyOnce()
        application.leave(first)
        application.settings.pollMaximum = 20
        let second = try application.join("b")
        let third = try application.join("c")
        for _ in 0..<20 {
            application.append(100, keys: 500)
            try application.round()
        }
        let allRun = try application.run(
            until: {
                (second.runningTasks + third.runningTasks).sorted() == [0, 1, 2, 3]
            }, within: 2000)
        #expect(allRun)
        try application.run(until: { application.audit.isComplete(inputs: application.inputs) }, within: 4000)
        try application.expectExactlyOnce()
    }

    @Test("(g) partitions that are kept over a rebalance go on where they were: no gap, nothing twice")
    func noGapAfterARebalance() throws {
        let application = SimulatedApplication(partitions: 4)
        application.settings.pollMaximum = 5
        try application.join("a")
        try application.join("b")
        try application.runUntilAllRun()
        for round in 0..<12 {
            application.append(200)
            try application.run(rounds: 2)
            application.cluster.rebalance("app", times: 1 + round % 2)
            if round % 4 == 1 { try application.join("c\(round)") }
            if round % 4 == 3, let last = application.members.last { application.leave(last) }
        }
        #expect(application.cluster.counters.recordsDropped > 0, "no rebalance dropped anything")
        try application.expectExactlyOnce()
    }

    @Test("(h) no member commits an offset of a partition that was revoked from it")
    func offsetsOfRevokedPartitions() throws {
        let application = SimulatedApplication(partitions: 4)
        let first = try application.join("a")
        application.append(200)
        try application.runUntilAllRun()
        let second = try application.join("b")
        try application.run(until: { !second.runningTasks.isEmpty })
        let moved = second.runningTasks
        #expect(!moved.isEmpty && Set(moved).isDisjoint(with: first.runningTasks))
        first.ports.forgetCalls()
        application.append(200)
        try application.expectExactlyOnce()
        let partitions = first.ports.calls("sendOffsets").flatMap(\.partitions).map(\.partition)
        #expect(!partitions.isEmpty && Set(partitions).isDisjoint(with: moved))
        #expect(application.cluster.counters.staleOffsets == 0)
    }

    @Test(
        "(i) an assigned partition falls silent: it is said, and healed, whatever it takes",
        arguments: [("seek", 1), ("incrementalAssign", 2), ("committed", 3)])
    func silentPartition(healing call: String, remedies: Int) throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        member.ports.silence(Self.input, until: call)
        application.append(40)
        let inputs = application.inputs
        func isRead() -> Bool { application.audit.isComplete(inputs: inputs) }
        try application.run(until: isRead, within: 40)
        #expect(!isRead() && !member.events.has("stalled"), "it is too soon to say so")
        // Rounds of half a second: a watch over minutes.
        for _ in 0..<400 where !isRead() { try application.round(pause: .milliseconds(500)) }
        #expect(member.events.count("stalled") == remedies, "\(member.events.texts.suffix(5))")
        #expect(member.ports.silentPartition == nil)
        try application.expectExactlyOnce()
    }

    @Test("(i) where nothing heals it, it is said again and again, the rest goes on, and health does not look well")
    func silentForEver() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        member.ports.silence(Self.input, until: "never")
        application.append(40)
        // Half an hour.
        for _ in 0..<3_600 { try application.round(pause: .milliseconds(500)) }
        let said = member.events.count("stalled")
        let retaken = member.events.texts.count { $0.hasPrefix("stalled") && $0.contains("retake") }
        #expect((6...20).contains(said) && (2...5).contains(retaken), "\(said), \(retaken)")
        let last = try #require(member.thread.lastProgress)
        let now = SteppingClock(application.clock, tick: .zero).monotonic()
        #expect(now - last > .seconds(60))
        #expect(member.runningTasks == [0, 1])
    }
}
