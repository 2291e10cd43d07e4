import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Time has a budget: R17")
struct TimeBudgetRulesTests {
    private func values(_ topic: String, of application: SimulatedApplication) -> [String] {
        application.cluster.records(topic).map { String(decoding: $0.value ?? [], as: UTF8.self) }
    }

    private func application(_ topology: Topology, records: Int = 0) -> SimulatedApplication {
        let application = SimulatedApplication(partitions: 1, topology: topology)
        application.settings.pollMaximum = 4
        for _ in 0..<records { application.cluster.append("b.late", 0, key: "k", value: "v") }
        return application
    }

    @Test("R17: timers wait until the sources that they need are read to the end seen at take-over")
    func timersWait() throws {
        let application = application(AlarmProcessor.topology(timers: 1), records: 30)
        try application.join("a")
        try application.run(until: { !values("fired", of: application).isEmpty })
        #expect(values("fired", of: application) == ["1 after 30"])
    }

    @Test("R17: timers that wait for earlier sources only do not wait for the later ones")
    func timersOfEarlySources() throws {
        let application = application(AlarmProcessor.topology(timers: 1, timersAfter: 1), records: 60)
        try application.join("a")
        try application.run(until: { !values("fired", of: application).isEmpty })
        let fired = try #require(values("fired", of: application).first.flatMap { $0.split(separator: " ").last })
        #expect(try #require(Int(fired)) < 60)
    }

    @Test("R17: what is written after the take-over is not waited for")
    func laterRecords() throws {
        let application = application(AlarmProcessor.topology(timers: 1), records: 8)
        let member = try application.join("a")
        try application.run(until: { !member.runningTasks.isEmpty })
        for _ in 0..<100 where values("fired", of: application).isEmpty {
            for _ in 0..<4 { application.cluster.append("b.late", 0, key: "k", value: "v") }
            try application.round()
        }
        #expect(!values("fired", of: application).isEmpty)
    }

    @Test("R17: an open transaction of others on one input holds up neither the inputs behind it nor timers")
    func foreignTransaction() throws {
        let application = application(AlarmProcessor.topology(timers: 1), records: 30)
        let foreign = try application.cluster.makeTransactionalProducer(transactionalId: "foreign", clientId: "foreign")
        try foreign.initialise(timeout: .seconds(1))
        try foreign.begin()
        try foreign.produce(topic: "a.early", partition: 0, key: nil, value: nil, headers: [])
        try application.join("a")
        try application.run(until: { !values("fired", of: application).isEmpty })
        #expect(values("fired", of: application) == ["1 after 30"])
        #expect(application.cluster.openTransactions.contains("foreign"), "it was not waited for")
    }

    @Test("R17: a source that is made again with less than it had holds up no source behind it, and no timers")
    func shorterSource() throws {
        let application = application(AlarmProcessor.topology(timers: 1), records: 8)
        for _ in 0..<40 { application.cluster.append("a.early", 0, key: "k", value: "v") }
        let member = try application.join("a")
        try application.run(until: { !member.runningTasks.isEmpty })
        application.cluster.recreateTopic("a.early")
        application.cluster.append("a.early", 0, key: "k", value: "v")
        // Positions are looked at by then, and the patience is not over.
        application.clock.advance(by: .seconds(31))
        try application.run(until: { !values("fired", of: application).isEmpty })
        let fired = try #require(values("fired", of: application).first.flatMap { $0.split(separator: " ").last })
        #expect(try #require(Int(fired)) >= 9)
        #expect(!member.events.has("timersNoLongerWait"))
    }

    @Test("R17: after restore.patience timers wait no longer, which is said, and until then nobody is busy")
    func patience() throws {
        let application = application(AlarmProcessor.topology(timers: 1), records: 8)
        application.settings.restorePatience = .seconds(20)
        let member = try application.join("a")
        try application.run(until: { !member.runningTasks.isEmpty })
        let began = application.clock.now
        let broken = LogError(.unreachable, name: "_TRANSPORT", "ordered", isRetriable: true)
        let fault = application.cluster.inject(broken, into: .poll, times: 100_000, client: "app-a")
        try application.run(rounds: 700)
        #expect(values("fired", of: application).isEmpty && application.clock.now - began < .seconds(20))
        try application.run(rounds: 110)
        #expect(values("fired", of: application) == ["1 after 0"])
        #expect(member.events.count("timersNoLongerWait(task: 0, unread: [b.late[0]])") == 1, "\(member.events.texts)")
        #expect(application.cluster.timesFired(fault) > 700)
    }

    @Test("R17: a storm of timers fires in portions, with commits and reading in between, and nothing is aborted")
    func storm() throws {
        let application = application(AlarmProcessor.topology(timers: 1_000_000))
        application.settings.commitInterval = .milliseconds(100)
        let member = try application.join("a")
        try application.run(until: { !values("fired", of: application).isEmpty })
        for _ in 0..<40 { application.cluster.append("a.early", 0, key: "k", value: "v") }
        let most = try application.run(
            until: { values("fired", of: application).count >= 1_000 }, within: 1_200)
        #expect(most, "\(values("fired", of: application).count)")
        let fired = values("fired", of: application)
        #expect(fired.allSatisfy { $0.hasPrefix("1000 ") })
        #expect(fired.contains { $0.hasSuffix(" 40") }, "records were not read meanwhile")
        #expect(!member.events.has("aborted"))
        #expect(member.events.count("committed") >= 1_000 / 8, "\(member.events.count("committed"))")
    }

    @Test("R17: a flush that leaves work is committed, and goes on in the next iteration")
    func flushPortions() throws {
        let application = application(AlarmProcessor.topology(timers: 0, flushed: 100_000))
        let member = try application.join("a")
        let isDone = try application.run(until: { values("flushed", of: application).count == 40 }, within: 60)
        #expect(isDone && values("flushed", of: application).allSatisfy { $0 == "2500" })
        #expect(member.events.count("committed") >= 40)
        #expect(!member.events.has("aborted"))
    }

    @Test("R17: a commit's deadline counts from the end of its flush")
    func deadlineAfterFlush() throws {
        let clock = ManualClock()
        // Longer than a transaction may last, but nothing is with the broker yet.
        let topology = AlarmProcessor.topology(timers: 1, timersAfter: 0) { clock.advance(by: .seconds(12)) }
        let application = SimulatedApplication(partitions: 1, topology: topology, clock: clock)
        let member = try application.join("a")
        let fault = application.cluster.inject(.retriable(broken), into: .commit, times: 3)
        try application.run(until: { values("fired", of: application) == ["1 after 0"] }, within: 60)
        #expect(application.cluster.timesFired(fault) == 3, "a call was given up at once")
        #expect(values("fired", of: application) == ["1 after 0"])
        #expect(!member.events.has("aborted") && !member.events.has("producerReplaced"))
    }

    @Test("A task that is taken over beside others is told the time before anything else")
    func timeComesFirst() throws {
        let calls = ClockProcessor.FirstCalls()
        let application = SimulatedApplication(topology: ClockProcessor.topology(calls))
        let first = try application.join("a")
        try application.runUntilAllRun()
        let second = try application.join("b")
        try application.run(until: { first.runningTasks.count == 1 && second.runningTasks.count == 1 })
        application.leave(second)
        try application.run(until: { first.runningTasks.count == 2 })
        try application.run(rounds: 5)
        #expect(calls.all.count >= 4)
        #expect(calls.all.allSatisfy { $0.hasPrefix("clock of ") }, "\(calls.all)")
    }
}
