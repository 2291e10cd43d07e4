import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing

@Suite("Messages within a thread")
struct LocalDeliveryTests {
    /// Messages in the exchange, whatever became of them.
    private func exchanged(_ application: SimulatedApplication) -> Int {
        application.cluster.records("app.exchange").count
    }

    @Test("a lone thread delivers everything itself, in the same transaction")
    func alone() throws {
        let application = SimulatedApplication(partitions: 3)
        try application.join("a")
        try application.runUntilAllRun()
        application.append(300)
        try application.expectExactlyOnce()
        #expect(exchanged(application) == 0)
    }

    @Test(
        "every pair of tasks stays first-in-first-out while tasks move between threads",
        arguments: [1, 2, 3] as [UInt64])
    func overRebalances(seed: UInt64) throws {
        let application = SimulatedApplication(partitions: 4)
        application.settings.pollMaximum = 6
        application.settings.removesConsumedRecords = false
        var random = SplitMix64(seed: seed)
        try application.join("a")
        for number in 0..<12 {
            application.append(80)
            try application.run(rounds: Int.random(in: 1...12, using: &random))
            if application.members.count > 1, Bool.random(using: &random) {
                application.leave(try #require(application.members.randomElement(using: &random)))
            } else {
                try application.join("b\(number)")
            }
        }
        try application.expectExactlyOnce("seed \(seed)")
        let through = exchanged(application)
        let sent = application.audit.messagesSent
        #expect(through > 50 && through < Int(sent) * 2, "\(through) records for \(sent) messages: one way only")
    }

    @Test("a thread that sent through the exchange goes on so until the receiver has read it")
    func behindTheExchange() throws {
        let application = SimulatedApplication(partitions: 2)
        application.settings.removesConsumedRecords = false
        let first = try application.join("a")
        let second = try application.join("b")
        try application.runUntilAllRun()
        application.append(40)
        try application.expectExactlyOnce()
        let before = exchanged(application)
        #expect(before > 0)
        // Now both tasks come to one thread, while messages are on their way.
        application.append(40)
        try application.run(rounds: 2)
        application.leave(first)
        try application.expectExactlyOnce()
        try application.run(rounds: 10)
        let settled = exchanged(application)
        application.append(40)
        try application.expectExactlyOnce()
        #expect(exchanged(application) == settled, "nothing is in the way any more")
        #expect(second.runningTasks == [0, 1])
    }

    @Test("a task that comes from another thread sends behind what it sent from there")
    func fromAnotherThread() throws {
        let application = SimulatedApplication(partitions: 2)
        application.settings.pollMaximum = 3
        let slow = try application.join("a")
        application.settings.pollMaximum = 10_000
        let sender = try application.join("b")
        try application.runUntilAllRun()
        func append(_ count: Int, to member: SimulatedApplication.Member) throws {
            let task = try #require(member.runningTasks.first)
            let key = LedgerProcessor.entity(of: task, of: 2)
            for _ in 0..<count { application.cluster.append(LedgerTopology.source, task, key: key, value: nil) }
        }
        // The receiver delivers to itself within its thread already.
        try append(20, to: slow)
        try application.expectExactlyOnce()
        try append(200, to: sender)
        let before = exchanged(application)
        for _ in 0..<30 {
            try sender.thread.runOnce()
            application.clock.advance(by: .milliseconds(25))
        }
        #expect(exchanged(application) >= before + 100, "nothing is on its way")
        try append(40, to: sender)
        application.leave(sender)
        try application.expectExactlyOnce()
    }

    @Test("where the exchange's end cannot be asked for, messages take the exchange, and nothing is lost")
    func unknownEnd() throws {
        let application = SimulatedApplication(partitions: 2)
        application.settings.removesConsumedRecords = false
        let member = try application.join("a")
        try application.runUntilAllRun()
        let fault = application.cluster.inject(broken, into: .endOffsets, times: 1)
        application.append(20)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 1)
        #expect(member.events.has("failed"))
        #expect(exchanged(application) > 0)
    }

    /// A broker that hears nothing of what is asked about ends, but by the watch over itself.
    private final class SilentAboutEnds: FaultPlan {
        func length(of kind: FaultKind, at opportunity: Opportunity) -> Duration? {
            let isAsked = opportunity.call == .log(.endOffsets) && opportunity.timeout != .seconds(2)
            return isAsked ? .zero : nil
        }
    }

    @Test("a broker that is silent about the exchange's end is not asked in each iteration: commits go on")
    func silentAboutEnd() throws {
        let application = SimulatedApplication(partitions: 2)
        let member = try application.join("a")
        try application.runUntilAllRun()
        application.cluster.follow(SilentAboutEnds(), kinds: [.lostRequest])
        let (began, before) = (application.clock.now, member.events.count("committed"))
        var longest = ElapsedTime.zero
        while application.clock.now - began < .seconds(25) {
            application.append(4)
            let start = application.clock.now
            try application.round()
            longest = max(longest, application.clock.now - start)
        }
        #expect(longest < .seconds(2), "\(longest.milliseconds) ms")
        let commits = member.events.count("committed") - before
        #expect(commits > 100, "\(commits) in 25 s")
        application.cluster.heal()
        try application.expectExactlyOnce()
    }
}
