import RecordLog
import Simulation
import StreamRuntime
import Synchronization
import Testing

/// What befalls a task whose changelog is read, and of whose state not all is derived yet.
@Suite("While what follows from the state is derived")
struct DerivingTests {
    let application = SimulatedApplication(partitions: 2, inputPartitions: 2)

    /// A member that derives what follows from the state of both tasks, some entities in each iteration.
    private func deriver(_ name: String = "b") throws -> SimulatedApplication.Member {
        application.settings.pollMaximum = 5
        let first = try application.join("a")
        application.append(400, keys: 60)
        try application.expectExactlyOnce()
        application.leave(first)
        let member = try application.join(name)
        #expect(try application.run(until: { derives(member) }, within: 2000), "\(member.thread.status.tasks)")
        return member
    }

    private func derives(_ member: SimulatedApplication.Member) -> Bool {
        member.thread.status.tasks.contains(where: \.isDeriving)
    }

    private func expectAllApplied() throws {
        application.append(40, keys: 60)
        try application.expectExactlyOnce()
    }

    @Test("a partition of an input that is added meanwhile is read from its earliest record")
    func partitionAdded() throws {
        let member = try deriver()
        application.cluster.addPartitions(to: LedgerTopology.source, total: 4)
        application.clock.advance(by: .seconds(30))
        try application.run(until: { member.events.has("partitionsAdded") })
        #expect(derives(member) && member.runningTasks.isEmpty)
        try expectAllApplied()
    }

    @Test("a task that is revoked meanwhile is restored by its next owner, and leaves nothing behind")
    func revoked() throws {
        let member = try deriver()
        let other = try application.join("c")
        try application.run(until: { !other.thread.status.tasks.isEmpty })
        #expect(member.thread.status.tasks.count == 1 && derives(member))
        try application.runUntilAllRun()
        try expectAllApplied()
        #expect(other.runningTasks.count == 1)
    }

    @Test("a task that is revoked meanwhile and comes back is restored from the beginning")
    func retaken() throws {
        let member = try deriver()
        let other = try application.join("c")
        try application.run(until: { !other.thread.status.tasks.isEmpty })
        #expect(derives(member))
        application.leave(other)
        try application.runUntilAllRun()
        #expect(member.runningTasks == [0, 1])
        try expectAllApplied()
    }

    @Test("several tasks are derived at a time, while the changelogs of others are read; all are complete")
    func severalAtATime() throws {
        let application = SimulatedApplication(partitions: 6, inputPartitions: 6)
        let first = try application.join("a")
        application.append(2_000, keys: 600)
        try application.expectExactlyOnce()
        application.leave(first)
        let derivation = NotedDerivation()
        application.settings.derivation = derivation
        application.settings.pollMaximum = 40
        let member = try application.join("b")
        #expect(try application.run(until: { member.runningTasks == [0, 1, 2, 3, 4, 5] }, within: 2000))
        let rounds = derivation.rounds.withLock { $0 }
        #expect(rounds.contains { $0.pieces > 1 }, "\(rounds.count) rounds")
        #expect(rounds.contains { $0.isBesideReading }, "\(rounds.count) rounds")
        application.append(400, keys: 600)
        try application.expectExactlyOnce()
    }

    /// As in a process on two cores.
    private final class NotedDerivation: Derivation {
        let rounds = Mutex<[(pieces: Int, isBesideReading: Bool)]>([])
        let parallel = ParallelDerivation(cores: 2)

        var width: Int { parallel.width }

        func run(_ count: Int, beside other: (() -> Void)?, _ piece: (Int) -> Void) {
            rounds.withLock { $0.append((count, other != nil)) }
            parallel.run(count, beside: other, piece)
        }
    }

    @Test("a member that is killed, or leaves, meanwhile gives its tasks up", arguments: [true, false])
    func gone(isKilled: Bool) throws {
        let member = try deriver()
        if isKilled { application.crash(member) } else { application.leave(member) }
        try application.join("c")
        try application.runUntilAllRun()
        try expectAllApplied()
    }
}
