import RecordLog
import Simulation
import StreamRuntime
import Testing

@Suite("What is told of a restore that takes its time")
struct RestoreProgressTests {
    /// A member whose task 0 waits for a stranger's transaction in its changelog, of which it has read all before.
    private func heldUp(_ application: SimulatedApplication) throws -> SimulatedApplication.Member {
        let first = try application.join("a")
        application.append(200)
        try application.expectExactlyOnce()
        application.leave(first)
        _ = try application.openStrangerInChangelog()
        let second = try application.join("b")
        try application.run(until: { second.events.has("restoring(task: 0") })
        return second
    }

    private func rate(_ member: SimulatedApplication.Member) -> Double? {
        member.thread.status.tasks.first { $0.partition == 0 }?.restoreRate
    }

    @Test("the status says how many records it reads each second since it began, not before a second has passed")
    func rate() throws {
        let application = SimulatedApplication()
        let member = try heldUp(application)
        try application.run(rounds: 10)
        #expect(rate(member) == nil)
        let changelog = application.cluster.records(application.settings.stateTopic).count { $0.partition == 0 }
        application.clock.advance(by: .seconds(2))
        try application.run(rounds: 1)
        let soon = try #require(rate(member))
        #expect(soon > 0 && soon <= Double(changelog) / 2)
        application.clock.advance(by: .seconds(2))
        try application.run(rounds: 1)
        let later = try #require(rate(member))
        #expect(later < soon * 0.7, "nothing more was read, in almost twice the time")
        #expect(member.thread.status.tasks.allSatisfy { $0.state != .running || $0.restoreRate == nil })
    }

    @Test("the log says it every ten seconds")
    func log() throws {
        let application = SimulatedApplication(transactionTimeout: .seconds(60))
        let member = try heldUp(application)
        try application.run(rounds: 1000)
        #expect((2...3).contains(member.events.count("restoreProgress(task: 0")))
    }
}
