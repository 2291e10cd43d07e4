import RecordLog
import Simulation
import StreamCore
import Testing

@testable import StreamRuntime

@Suite("No transaction stays open: R15")
struct ClaimRulesTests {
    private func claim(_ application: SimulatedApplication, _ task: Partition) -> String {
        application.cluster.committedOffsets(of: "app")[TopicPartition("app.exchange", task)]?.metadata ?? ""
    }

    @Test(
        "R15: a claim has the transactional id, a number that rises, and open or released; up to format 2 the id alone")
    func forms() {
        let open = Claim(transactionalId: "app-a", number: 12, isReleased: false)
        #expect(open.text(format: 3) == "app-a 12 open" && open.text(format: 2) == "app-a")
        #expect(Claim("app-a 12 open", prefix: "app-") == open)
        #expect(Claim("app-a 12 released", prefix: "app-")?.isReleased == true)
        let old = Claim("app-a", prefix: "app-")
        #expect(old?.transactionalId == "app-a" && old?.number == nil && old?.isReleased == false)
        for text in ["", "other-a", "app-a 12", "app-a x open", "app-a 12 closed", "app-a 12 open ", "app-a  12 open"] {
            #expect(Claim(text, prefix: "app-") == nil, "\(text)")
        }
    }

    @Test("R15: who gives tasks up in order releases them, and who takes them over fences nobody")
    func released() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        #expect(claim(application, 0).hasSuffix(" open") && claim(application, 1).hasSuffix(" open"))
        let second = try application.join("b")
        try application.run(until: { second.runningTasks.count == 1 })
        application.append(40)
        try application.expectExactlyOnce()
        application.leave(first)
        #expect(
            Set([claim(application, 0), claim(application, 1)].map { $0.split(separator: " ").last }) == [
                "open", "released",
            ])
        try application.run(until: { second.runningTasks.count == 2 })
        application.append(40)
        try application.expectExactlyOnce()
        #expect(second.ports.calls("initialise").count == 1, "an id was initialised that was released")
        #expect(!first.events.has("producerReplaced") && application.cluster.counters.fencedCalls == 0)
        application.leave(second)
        #expect(claim(application, 0).hasPrefix("app-b ") && claim(application, 0).hasSuffix(" released"))
    }

    @Test("R4: until a thread's first claim is committed nothing else is in its transactions")
    func claimAlone() throws {
        let application = SimulatedApplication()
        application.append(40)
        let fault = application.cluster.inject(.abortable(broken), into: .commit, times: 3)
        let member = try application.join("a")
        try application.run(until: { !member.ports.calls("commit").isEmpty })
        #expect(application.cluster.timesFired(fault) == 3)
        let calls = member.ports.calls
        let first = try #require(calls.firstIndex { $0.name == "commit" })
        #expect(calls[..<first].count { $0.name == "sendOffsets" } == 4)
        let state = application.settings.stateTopic
        let produced = calls[..<first].filter { $0.name == "produce" }.flatMap(\.partitions)
        #expect(!produced.isEmpty && produced.allSatisfy { $0.topic == state }, "positions alone")
        let assigned = calls[..<first].filter { $0.name == "incrementalAssign" && $0.client == "app-a" }
        #expect(assigned.flatMap(\.partitions).isEmpty, "nothing is read")
        try application.expectExactlyOnce()
    }

    @Test("R15: an owner that died before its offsets blocks no reader until the time-out")
    func diedBeforeOffsets() throws {
        let application = SimulatedApplication()
        application.settings.outputBytesMax = 0
        let first = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        let second = try application.join("b")
        try application.run(until: { second.runningTasks.count == 1 && first.runningTasks.count == 1 })
        application.append(40)
        // Records are with the broker; committed offsets are stable, so nobody has to wait for them.
        #expect(try application.crash(first, at: "sendOffsets") == ["app-a"])
        let died = application.clock.now
        try application.run(until: { application.cluster.openTransactions.isEmpty })
        #expect(application.clock.now - died < .seconds(1))
        #expect(application.cluster.counters.transactionsTimedOut == 0)
        try application.expectExactlyOnce()
    }

    @Test("R15: who died in its first transaction has no claim; who saw it in the group ends it when it is struck off")
    func diedInFirstTransaction() throws {
        let application = SimulatedApplication(partitions: 1, transactionTimeout: .seconds(60))
        application.settings.transactionTimeout = .seconds(60)
        let first = try application.join("a")
        first.ports.die(at: "commit")
        try application.run(until: { first.ports.isDead }, dying: first)
        #expect(application.cluster.openTransactions == ["app-a"])
        #expect(claim(application, 0).isEmpty)
        let second = try application.join("b")
        // Its session has not ended yet.
        for _ in 0..<80 { try application.round(pause: .milliseconds(100), dying: first) }
        #expect(application.cluster.openTransactions == ["app-a"])
        application.crash(first)
        let struckOff = application.clock.now
        try application.run(until: { application.cluster.openTransactions.isEmpty })
        #expect(application.clock.now - struckOff < .seconds(2))
        #expect(application.cluster.counters.transactionsTimedOut == 0)
        #expect(second.events.count("claimSettled(transactionalId: \"app-a\")") == 1, "\(second.events.texts)")
        application.append(40)
        try application.expectExactlyOnce()
    }

    @Test("R15: an owner whose death the group does not see is ended when it has committed nothing for a session")
    func unseenDeath() throws {
        let application = SimulatedApplication(partitions: 2, transactionTimeout: .seconds(60))
        application.settings.transactionTimeout = .seconds(60)
        let first = try application.join("a")
        let second = try application.join("b")
        let idle = try application.join("c")
        application.append(40)
        try application.expectExactlyOnce()
        first.ports.die(at: "commit")
        application.append(40)
        try application.run(until: { first.ports.isDead }, dying: first)
        #expect(application.cluster.openTransactions == ["app-a"])
        let died = application.clock.now
        while !application.cluster.openTransactions.isEmpty, application.clock.now - died < .seconds(12) {
            application.append(1)
            try application.round(pause: .milliseconds(100), dying: first)
        }
        #expect(application.cluster.openTransactions == [])
        #expect(application.cluster.counters.transactionsTimedOut == 0)
        #expect(application.cluster.members(of: "app").contains { $0.clientId == "app-a" }, "the group knows nothing")
        #expect(second.events.count("claimSettled(transactionalId: \"app-a\")") == 1, "\(second.events.texts)")
        #expect(!second.events.has("producerReplaced"), "who commits is let alone")
        application.crash(first)
        try application.run(until: { second.runningTasks.count + idle.runningTasks.count == 2 })
        application.append(40)
        try application.expectExactlyOnce()
        #expect(idle.events.count("producerReplaced") <= 1, "\(idle.events.texts)")
    }

    @Test("R15: who leaves ends its transaction, though it is its first and the commit and the abort fail")
    func leavingInFirstTransaction() throws {
        let application = SimulatedApplication(partitions: 1, transactionTimeout: .seconds(60))
        application.settings.transactionTimeout = .seconds(60)
        let first = try application.join("a")
        try application.run(until: { first.events.has("assigned([0])") })
        application.cluster.inject(.fenced(broken), into: .commit, times: 1, client: "app-a")
        application.cluster.inject(.retriable(broken), into: .initialise, times: 3, client: "app-a")
        application.leave(first)
        #expect(application.cluster.openTransactions == [])
        application.append(40)
        _ = try application.join("b")
        try application.expectExactlyOnce()
    }

    @Test("R15: an owner that lives and could not release is fenced once, goes on, and loses nothing")
    func livingOwner() throws {
        let application = SimulatedApplication(partitions: 4)
        application.settings.commitInterval = .seconds(3)
        let first = try application.join("a", tick: .milliseconds(20))
        application.append(40)
        try application.expectExactlyOnce()
        application.append(80)
        let fault = application.cluster.inject(.retriable(broken), into: .commit, times: 2_000, client: "app-a")
        let second = try application.join("b")
        try application.run(until: { first.events.has("revoked") })
        #expect(application.cluster.timesFired(fault) > 0, "nothing was to be committed")
        application.cluster.cancelFaults()
        try application.expectExactlyOnce()
        application.append(80)
        try application.expectExactlyOnce()
        #expect(second.events.count("claimSettled(transactionalId: \"app-a\")") <= 2)
        #expect(first.events.count("producerReplaced") <= 3, "\(first.events.texts)")
        #expect(!second.events.has("producerReplaced") && !first.events.has("claimSettled"))
        #expect(first.runningTasks.count == 2 && second.runningTasks.count == 2)
    }

    @Test(
        "R15: a commit whose outcome is not known is told by its number; no task is read anew",
        arguments: [
            FaultMoment.beforeEffect, .afterEffect,
        ])
    func outcomeByNumber(moment: FaultMoment) throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        let restored = member.events.count("restoring")
        for error in [TransactionError.fenced(broken), .fatal(broken), .abortable(broken)] {
            let fault = application.cluster.inject(error, into: .commit, moment)
            application.append(40)
            try application.expectExactlyOnce()
            #expect(application.cluster.timesFired(fault) == 1)
        }
        #expect(member.events.count("restoring") == restored)
    }

    @Test("R15: a claim that cannot be read counts as none, and is said once")
    func unreadable() throws {
        let application = SimulatedApplication(partitions: 1)
        let producer = try application.cluster.makeTransactionalProducer(transactionalId: "other", clientId: "other")
        let other = try application.cluster.makeConsumer(group: "app", isolation: .readCommitted, clientId: "other")
        let listener = PassiveListener(other)
        try other.subscribe(to: "app.exchange", listener: listener)
        _ = other.poll(maximum: 1, timeout: .zero)
        try producer.initialise(timeout: .zero)
        try producer.begin()
        let offset = CommittedOffset(next: 0, metadata: "app-x y z")
        try producer.sendOffsets(
            [(TopicPartition("app.exchange", 0), offset)], group: try #require(other.groupMetadata()), timeout: .zero)
        try producer.commit(timeout: .zero)
        other.close()
        let fault = application.cluster.inject(broken, into: .startOffsets, times: 3)
        let member = try application.join("a")
        application.append(20)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 3)
        #expect(member.events.count("claimUnreadable(app.exchange[0], \"app-x y z\")") == 1, "\(member.events.texts)")
    }
}
