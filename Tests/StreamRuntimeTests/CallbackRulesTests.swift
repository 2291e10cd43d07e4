import RecordLog
import Simulation
import StreamCore
import Testing

@testable import StreamRuntime

@Suite("Nothing waits in a rebalance callback: R16")
struct CallbackRulesTests {
    private static let away = TransactionError.retriable(
        LogError(.unreachable, name: "_TRANSPORT", "ordered", isRetriable: true))

    /// A member in doubt, whose commit was not answered and whose id cannot be initialised.
    private func doubtful(_ application: SimulatedApplication) throws -> SimulatedApplication.Member {
        let member = try application.join("a", tick: .milliseconds(5))
        application.append(40)
        try application.expectExactlyOnce()
        application.cluster.inject(.fatal(broken), into: .commit, client: "app-a")
        application.cluster.inject(Self.away, into: .initialise, times: 100_000, client: "app-a")
        application.append(40)
        try application.run(until: { member.events.has("producerReplaced") })
        return member
    }

    @Test("R16: a commit that fails in a callback leaves everything else to the next iterations")
    func settlesAfterwards() throws {
        let application = SimulatedApplication(partitions: 2)
        application.settings.commitInterval = .seconds(9)
        let first = try application.join("a")
        try application.runUntilAllRun()
        try application.run(until: { first.ports.calls("commit").count > 0 })
        application.append(40)
        try application.run(rounds: 3)
        first.ports.forgetCalls()
        let fault = application.cluster.inject(.fatal(broken), into: .commit, client: "app-a")
        try application.join("b")
        try application.run(until: { first.ports.calls("initialise").count > 0 })
        #expect(application.cluster.timesFired(fault) == 1)
        let calls = first.ports.calls.map(\.name)
        let gaveUp = try #require(calls.firstIndex(of: "incrementalUnassign"))
        for name in ["destroy", "makeTransactionalProducer", "initialise"] {
            #expect(try #require(calls.firstIndex(of: name)) > gaveUp, "\(name) in the callback: \(calls)")
        }
        try application.expectExactlyOnce()
    }

    @Test("R16: a thread in doubt serves rebalances between its attempts")
    func servesRebalances() throws {
        let application = SimulatedApplication(partitions: 2)
        let first = try doubtful(application)
        let second = try application.join("b")
        let isTaken = try application.run(until: { second.runningTasks.count == 1 }, within: 100)
        #expect(isTaken, "the rebalance waits for who is in doubt")
        #expect(first.ports.calls("initialise").count > 2)
        application.cluster.cancelFaults()
        try application.expectExactlyOnce()
        #expect(first.runningTasks.count == 1)
    }

    @Test("R16: each attempt takes a second at most, and an end is not held up by what is owed")
    func ends() throws {
        let application = SimulatedApplication(partitions: 2)
        let first = try doubtful(application)
        let began = application.clock.now
        application.leave(first)
        #expect(application.clock.now - began < .seconds(2))
        #expect(application.cluster.members(of: "app").isEmpty)
        application.cluster.cancelFaults()
        let second = try application.join("b")
        try application.expectExactlyOnce()
        #expect(second.events.has("claimSettled(transactionalId: \"app-a\")"))
    }

    @Test("R16: a start that waits for a broker sees that it is to end")
    func endsWhileStarting() throws {
        let application = SimulatedApplication()
        application.cluster.inject(Self.away, into: .initialise, times: 100_000)
        var looks = 0
        let thread = try StreamThread(
            name: "a", cluster: application.cluster, topology: application.topology, settings: application.settings,
            clock: SteppingClock(application.clock, tick: .zero), partitions: 2, sourcePartitions: [2])
        thread.shouldEnd = {
            looks += 1
            return looks > 5
        }
        try thread.start()
        thread.close()
        #expect(looks == 6)
        #expect(application.cluster.members(of: "app").isEmpty)
    }

    @Test("repeated calls pause in between, by the injected clock")
    func pauses() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        try application.run(rounds: 10)
        let fault = application.cluster.inject(.retriable(broken), into: .commit, times: 100_000, client: "app-a")
        application.append(20)
        let began = application.clock.now
        try application.run(until: { application.cluster.timesFired(fault) > 0 })
        // The clock stands still but for the pauses: without them this call would never end.
        #expect((1_500...2_100).contains(application.cluster.timesFired(fault)))
        #expect(application.clock.now - began >= .seconds(10))
        application.cluster.cancelFaults()
        try application.expectExactlyOnce()
        #expect(member.events.has("producerReplaced"))
    }

    @Test("an exchange that grows under a running group ends the thread by name, instead of sharing entities anew")
    func growingExchange() throws {
        let application = SimulatedApplication()
        try application.join("a")
        try application.runUntilAllRun()
        application.cluster.addPartitions(to: "app.exchange", total: 3)
        let failure = #expect(throws: StreamFailure.self) { try application.run(rounds: 100) }
        #expect(failure?.description.contains("app.exchange has more partitions than the 2") == true, "\(failure!)")
        guard case .refused(let remedy) = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(remedy.contains("make it anew with 2"))
    }

    @Test("what holds a take-over up is looked for until it is known")
    func heldUpUntilAnswered() throws {
        let application = SimulatedApplication(partitions: 1)
        let first = try application.join("a")
        application.append(20)
        try application.expectExactlyOnce()
        application.leave(first)
        let stranger = try application.openStrangerInChangelog()
        let second = try application.join("b")
        try application.run(until: { second.events.has("restoring") })
        let fault = application.cluster.inject(broken, into: .endOffsets, times: 3)
        second.ports.forgetCalls()
        try application.run(rounds: 60)
        #expect(application.cluster.timesFired(fault) == 3)
        let looks = second.ports.calls("endOffsets read_committed").filter { $0.partitions.first?.topic == "app.state" }
        #expect(looks.count > 3, "asked \(looks.count) times, of which three were not answered")
        try stranger.commit(timeout: .zero)
        application.append(20)
        try application.expectExactlyOnce()
    }
}
