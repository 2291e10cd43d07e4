import Foundation
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import TestSupport
import Testing

/// Whole lives of applications, in memory and on a real broker, with the same outcome.
@Suite("Scenarios on every cluster")
struct ClusterScenarioTests {
    private func expectExactlyOnce(
        _ application: DrivenApplication, after members: [DrivenMember],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let isComplete = try await application.eventuallyComplete(within: .seconds(180))
        #expect(isComplete, sourceLocation: sourceLocation)
        for member in members { try await member.leave() }
        try await application.audit().expectExactlyOnce(
            inputs: application.inputs, "\(members.flatMap(\.events.texts).suffix(20))", sourceLocation: sourceLocation)
    }

    @Test("members come and go, inputs have another partition count than the tasks", arguments: ClusterKind.allCases)
    func comingAndGoing(kind: ClusterKind) async throws {
        let application = try await kind.application(partitions: 3, inputPartitions: 5)
        let first = try await application.join("first")
        try await application.append(300)
        #expect(await application.eventuallyRunning([first], atLeast: 3))
        let second = try await application.join("second")
        try await application.append(300)
        #expect(await application.eventuallyRunning([second]))
        try await first.leave()
        try await application.append(300)
        let third = try await application.join("third")
        #expect(await application.eventuallyRunning([third]))
        try await application.append(300)
        try await expectExactlyOnce(application, after: [second, third])
    }

    @Test(
        "a member that dies in the middle of a commit is succeeded by another, which ends its transaction (R4)",
        .timeLimit(.minutes(10)), arguments: ClusterKind.allCases, ["sendOffsets", "commit"])
    func death(kind: ClusterKind, call: String) async throws {
        let application = try await kind.application(partitions: 2)
        let dying = try await application.join("dying")
        try await application.append(300)
        #expect(try await application.eventuallyComplete(within: .seconds(180)))
        let heir = try await application.join("heir")
        #expect(await application.eventuallyRunning([heir]))
        // Before there is anything to commit: afterwards there might be nothing left.
        dying.willCrash(at: call)
        try await application.append(300)
        await dying.hasCrashed()
        application.expel(dying)
        try await expectExactlyOnce(application, after: [heir])
        // Before its offsets, a real producer may have died with all its records still unsent.
        if kind == .memory || call == "commit" {
            #expect(heir.events.has("claimSettled"), "\(heir.events.texts)")
        }
    }

    @Test(
        "what a dead member left open is ended at its time-out, though the group waits for a second one (R15)",
        .timeLimit(.minutes(10)))
    func deathAfterDeath() async throws {
        let application = DrivenApplication(broker: try await TestBroker.shared().bootstrap, partitions: 3)
        application.settings.transactionTimeout = .seconds(60)
        try await application.prepare(partitions: 3)
        let first = try await application.join("first")
        let second = try await application.join("second")
        let third = try await application.join("third")
        try await application.append(300)
        #expect(await application.eventuallyRunning([first, second, third]))
        #expect(try await application.eventuallyComplete(within: .seconds(180)))

        first.willCrash(at: "commit")
        try await application.append(100)
        // Half a session later, so that the group waits for the second when it has given the first up. On a thread of
        // its own: tasks may wait for their turn for longer than that.
        try await onThread {
            first.waitUntilCrashed()
            Thread.sleep(forTimeInterval: 3)
            second.willCrash(at: "commit")
            try application.appendBlocking(100)
        }
        await second.hasCrashed()
        let before = third.events.texts.count
        let settled = "claimSettled(transactionalId: \"\(application.settings.applicationId)-first\")"
        #expect(await eventually(within: .seconds(180), every: .milliseconds(20)) { third.events.has(settled) })
        // By the log, and not by when the test looks: the group may be done with the second one by then.
        let texts = third.events.texts
        let end = try #require(texts.firstIndex { $0.hasPrefix(settled) })
        #expect(!texts[min(before, end)..<end].contains { $0.hasPrefix("assigned(") }, "\(texts.suffix(20))")
        try await expectExactlyOnce(application, after: [third])
    }

    @Test("an application that was stopped goes on where it was, with its state", arguments: ClusterKind.allCases)
    func restart(kind: ClusterKind) async throws {
        let application = try await kind.application(partitions: 2)
        for name in ["first", "second", "third"] {
            let member = try await application.join(name)
            try await application.append(200)
            #expect(try await application.eventuallyComplete(within: .seconds(180)))
            try await member.leave()
        }
        try await expectExactlyOnce(application, after: [])
    }

    @Test("the watch sees that all is read when it is, on every cluster", arguments: ClusterKind.allCases)
    func caughtUp(kind: ClusterKind) async throws {
        let application = try await kind.application(partitions: 2)
        try await application.append(500)
        let members = [try await application.join("a"), try await application.join("b")]
        let isCaughtUp = try await onThread {
            let settings = application.settings
            let watch = try CaughtUpWatch(
                admin: try application.cluster.makeAdmin(),
                group: try application.cluster.makeConsumer(
                    group: settings.applicationId, isolation: .readCommitted, clientId: "watch"),
                inputs: (0..<2).map { TopicPartition(application.topology.sources[0].topic, $0) },
                exchange: (0..<2).map { TopicPartition(settings.exchangeTopic, $0) }, timeout: .seconds(10))
            defer { watch.close() }
            let deadline = ContinuousClock.now + .seconds(180)
            while ContinuousClock.now < deadline {
                if try watch.isCaughtUp() { return true }
                pause(.milliseconds(100))
            }
            return false
        }
        #expect(isCaughtUp)
        let inputs = application.inputs
        #expect(try await application.audit().isComplete(inputs: inputs))
        try await expectExactlyOnce(application, after: members)
    }
}
