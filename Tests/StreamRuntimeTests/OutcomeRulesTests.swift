import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Failures and unknown outcomes: R6")
struct OutcomeRulesTests {
    @Test("R6: the same call is repeated while it is retriable; nothing is aborted or replaced for that")
    func retriable() throws {
        let application = SimulatedApplication()
        let member = try application.join("a", tick: .milliseconds(1))
        try application.runUntilAllRun()
        let faults = [
            application.cluster.inject(.retriable(broken), into: .commit, times: 20),
            application.cluster.inject(.retriable(broken), into: .sendOffsets, times: 20),
            application.cluster.inject(.retriable(broken), into: .produce, times: 20),
        ]
        application.append(40)
        try application.expectExactlyOnce()
        #expect(faults.map(application.cluster.timesFired) == [20, 20, 20])
        #expect(!member.events.has("aborted") && !member.events.has("producerReplaced"))
    }

    /// A commit that has no answer until its deadline, for the deadline of 10 s and a clock that ticks 20 ms a look.
    private static let noAnswers = 2_000

    @Test(
        "R6: a commit of unknown outcome is settled by the next producer of the same id, and no task is read anew",
        arguments: [FaultMoment.beforeEffect, .afterEffect])
    func unknownOutcome(moment: FaultMoment) throws {
        let application = SimulatedApplication()
        let member = try application.join("a", tick: .milliseconds(20))
        application.append(40)
        try application.expectExactlyOnce()
        let restored = member.events.count("running")
        let fault = application.cluster.inject(
            .retriable(broken), into: .commit, moment, times: Self.noAnswers, client: "app-a")
        application.append(40)
        try application.run(until: { application.cluster.timesFired(fault) > 0 })
        let fired = application.cluster.timesFired(fault)
        application.cluster.cancelFaults()
        #expect((10...1_000).contains(fired), "repeated \(fired) times")
        #expect(application.audit.appliedCount == (moment == .afterEffect ? 80 : 40))
        try application.expectExactlyOnce()
        #expect(member.events.count("producerReplaced") == 1)
        #expect(member.events.count("running") == restored, "the claim told the outcome \(member.events.texts)")
        #expect(member.ports.calls("makeTransactionalProducer").map(\.client) == ["app-a", "app-a"])
    }

    @Test(
        "R6: a fenced or fatal producer is replaced, whichever call tells",
        arguments: [TransactionalCall.produce, .sendOffsets, .commit, .abort],
        [TransactionError.fenced(broken), .fatal(broken)])
    func replaced(call: TransactionalCall, error: TransactionError) throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        if call == .abort { application.cluster.inject(.abortable(broken), into: .sendOffsets) }
        let fault = application.cluster.inject(error, into: call)
        application.append(40)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 1)
        #expect(member.events.count("producerReplaced") == 1)
    }

    @Test("R6: a transaction that was open for too long is aborted by the broker, and done again")
    func transactionTimeout() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.settings.outputBytesMax = 0
        let slow = try application.join("b")
        try application.runUntilAllRun()
        application.append(40)
        // Handed over to the producer, not committed yet.
        try application.run(until: { !application.cluster.openTransactions.isEmpty })
        #expect(application.cluster.openTransactions == ["app-b"])
        application.clock.advance(by: .seconds(11))
        try application.expectExactlyOnce()
        #expect(application.cluster.counters.transactionsTimedOut == 1)
        #expect(slow.events.count("producerReplaced") == 1)
        #expect(!member.events.has("producerReplaced"))
    }

    @Test("R6: five failures in a row end the thread, and what it then does is harmless")
    func fiveFailures() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        let fault = application.cluster.inject(.fatal(broken), into: .commit, times: 5)
        application.append(40)
        let failure = #expect(throws: StreamFailure.self) { try application.run(rounds: 400) }
        #expect(failure?.description.contains("5 times in a row") == true)
        #expect(application.cluster.timesFired(fault) == 5)
        application.leave(member)
        #expect(application.cluster.members(of: "app").isEmpty)
        try application.join("b")
        try application.expectExactlyOnce()
    }

    @Test("R6: the thread that ends after a failure too many leaves everything to who comes next")
    func endsAfterUnknownOutcome() throws {
        let application = SimulatedApplication()
        application.settings.failuresMax = 1
        let member = try application.join("a", tick: .milliseconds(20))
        application.append(40)
        try application.expectExactlyOnce()
        application.cluster.inject(.retriable(broken), into: .commit, times: Self.noAnswers, client: "app-a")
        application.append(40)
        #expect(throws: StreamFailure.self) { try application.run(rounds: 400) }
        application.cluster.cancelFaults()
        application.leave(member)
        try application.join("b")
        try application.expectExactlyOnce()
    }

    @Test("R6: a commit whose answer is lost, but which took place, is no failure in a row")
    func committedWithoutAnswer() throws {
        let application = SimulatedApplication()
        application.settings.failuresMax = 2
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        let fault = application.cluster.inject(.fatal(broken), into: .commit, .afterEffect, times: 5)
        for _ in 0..<5 {
            application.append(20)
            try application.run(rounds: 20)
        }
        #expect(application.cluster.timesFired(fault) == 5)
        #expect(member.events.count("producerReplaced") == 5)
        #expect(!member.events.has("aborted"), "a commit that took place was taken back")
        try application.expectExactlyOnce()
    }

    @Test("R6: who is fenced again and again, as after pauses, has not failed, and goes on")
    func fencedIsNoFailure() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        let fault = application.cluster.inject(.fenced(broken), into: .sendOffsets, times: 8)
        application.append(40)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 8)
        #expect(member.events.count("producerReplaced") == 8)
    }

    @Test("R6: a commit in between begins the row anew")
    func failuresBetweenCommits() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        for _ in 0..<3 {
            let fault = application.cluster.inject(.fatal(broken), into: .commit, times: 4)
            application.append(20)
            try application.run(until: { application.cluster.timesFired(fault) == 4 })
            try application.expectExactlyOnce()
        }
        #expect(member.events.count("producerReplaced") == 12)
    }

    @Test("R6: a revoke takes half the transaction time-out at most; then the partitions are given up uncommitted")
    func revokeDeadline() throws {
        let application = SimulatedApplication(partitions: 4)
        application.settings.commitInterval = .seconds(9)
        let first = try application.join("a", tick: .milliseconds(20))
        try application.runUntilAllRun()
        try application.run(until: { first.ports.calls("commit").count > 0 })
        application.append(80)
        try application.run(rounds: 3)
        let fault = application.cluster.inject(
            .retriable(broken), into: .commit, times: Self.noAnswers, client: "app-a")
        let second = try application.join("b")
        let began = application.clock.now
        try application.run(until: { first.events.has("revoked") })
        let elapsed = application.clock.now - began
        #expect(application.cluster.timesFired(fault) > 0, "nothing was to be committed")
        #expect((.seconds(5)..<(.seconds(7))).contains(elapsed), "\(elapsed.milliseconds) ms")
        application.cluster.cancelFaults()
        try application.expectExactlyOnce()
        #expect(first.events.count("producerReplaced") == 1)
        #expect(second.runningTasks.count == 2)
    }

    @Test("R6: a lost assignment aborts: what was read of it is not committed")
    func lost() throws {
        let application = SimulatedApplication()
        application.settings.commitInterval = .seconds(5)
        let first = try application.join("a")
        try application.runUntilAllRun()
        try application.run(until: { first.ports.calls("commit").count > 0 })
        application.append(40)
        try application.run(rounds: 4)
        #expect(first.thread.status.tasks.flatMap(\.positions).contains { $0.next.rawValue > 0 }, "nothing was read")
        application.cluster.expel(clientId: first.clientId)
        first.ports.forgetCalls()
        try application.round()
        #expect(first.ports.calls("sendOffsets").isEmpty, "it tried to commit")
        #expect(first.events.count("lost([0, 1])") == 1)
        #expect(first.events.count("aborted") == 1)
        #expect(application.audit.appliedCount == 0)
        try application.expectExactlyOnce()
    }

    @Test("an outage while the producer is made is waited for")
    func outage() throws {
        let application = SimulatedApplication()
        let fault = application.cluster.inject(.retriable(broken), into: .initialise, times: 30)
        let member = try application.join("a")
        application.append(10)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 30)
        #expect(!member.events.has("producerReplaced"))
    }
}
