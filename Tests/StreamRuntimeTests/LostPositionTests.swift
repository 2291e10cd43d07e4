import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

/// State that has gone, topics that are others than were read, state of another program: R18.
@Suite("Lost and moved positions: R18")
struct LostPositionTests {
    private let application = SimulatedApplication()
    private static let place = TopicPartition(LedgerTopology.source, 0)

    /// Reads so many records, stops in order.
    private func readAndStop(_ count: Int = 40) throws {
        let member = try application.join("before")
        application.append(count)
        try application.expectExactlyOnce()
        application.leave(member)
    }

    private func refusal(_ body: () throws -> Void) -> StreamFailure? {
        let failure = #expect(throws: StreamFailure.self) { try body() }
        guard case .refused = failure?.kind else {
            Issue.record("not refused: \(String(describing: failure))")
            return nil
        }
        return failure
    }

    // MARK: - The state has gone

    @Test("R18: committed input positions beside an empty changelog are refused by name")
    func lostState() throws {
        try readAndStop()
        application.cluster.recreateTopic("app.state")
        try application.join("after")
        let failure = try #require(refusal { try application.run(rounds: 20) })
        #expect(failure.description.contains("app.state["))
        #expect(failure.description.contains("is empty, but the group has read \(LedgerTopology.source)["))
        #expect(failure.description.contains("state.lost=replay"))
    }

    @Test("R18: with state.lost=replay all inputs are read from their earliest record, and that is told and counted")
    func replayed() throws {
        try readAndStop()
        application.cluster.recreateTopic("app.state")
        application.settings.misfits.replaysLostState = true
        let member = try application.join("after")
        let inputs = application.inputs
        let all = try application.run(until: { inputs.allSatisfy { application.audit.applied[$0] == 2 } })
        #expect(all, "\(application.audit.applied)")
        #expect(member.events.count("stateLost") == 2)
        #expect(member.thread.status.lostPositions == 2)
    }

    @Test("R18: a claim alone is no position: nothing was read before the earliest record")
    func claimAlone() throws {
        let member = try application.join("before")
        try application.runUntilAllRun()
        try application.run(rounds: 10)
        #expect(application.committed(LedgerTopology.source, 0) == 0)
        application.leave(member)
        application.cluster.recreateTopic("app.state")
        application.append(20)
        try application.join("after")
        try application.expectExactlyOnce()
    }

    @Test("R18: inputs count as read where retention has overtaken what was read of them")
    func overtakenWhileStopped() throws {
        try readAndStop()
        application.cluster.recreateTopic("app.state")
        application.append(40)
        let admin = try application.cluster.makeAdmin()
        try admin.deleteRecords(before: (0..<2).map { (TopicPartition(LedgerTopology.source, $0), 30) }, timeout: .zero)
        try application.join("after")
        let failure = try #require(refusal { try application.run(rounds: 20) })
        #expect(failure.description.contains("is empty, but the group has read \(LedgerTopology.source)["))
    }

    @Test("R18: a claim at the first record of all is no position, whatever retention has removed since")
    func claimOvertaken() throws {
        let member = try application.join("before")
        try application.runUntilAllRun()
        try application.run(rounds: 10)
        application.leave(member)
        application.cluster.recreateTopic("app.state")
        application.append(20)
        let admin = try application.cluster.makeAdmin()
        try admin.deleteRecords(before: [(Self.place, 5)], timeout: .zero)
        let next = try application.join("after")
        try application.run(rounds: 20)
        #expect(next.runningTasks == [0, 1] && application.audit.applied.count == 15)
    }

    @Test("R18: a claim where records begin is no position, though older ones were removed before it")
    func claimAtLow() throws {
        application.append(20)
        let admin = try application.cluster.makeAdmin()
        try admin.deleteRecords(before: (0..<2).map { (TopicPartition(LedgerTopology.source, $0), 10) }, timeout: .zero)
        let member = try application.join("before")
        try application.runUntilAllRun()
        try application.run(rounds: 10)
        application.leave(member)
        application.cluster.recreateTopic("app.state")
        application.append(20)
        let next = try application.join("after")
        try application.run(rounds: 20)
        #expect(next.runningTasks == [0, 1] && application.audit.applied.count == 20)
    }

    @Test("R18: a changelog that is made anew while it is restored is refused, and not waited for")
    func madeAnewInRestore() throws {
        try readAndStop()
        _ = try application.openStrangerInChangelog()
        let member = try application.join("after")
        try application.run(until: { member.events.has("restoring(task: 0") })
        application.cluster.recreateTopic("app.state")
        let failure = try #require(refusal { try application.run(rounds: 400) })
        #expect(failure.description.contains("is empty, but the group has read \(LedgerTopology.source)["))
        #expect(member.events.count("changelogShortened(task: 0") == 1)
    }

    @Test("R18: a changelog that was made anew while it was written to is refused by whoever takes over")
    func madeAnew() throws {
        let member = try application.join("before")
        application.append(40)
        try application.expectExactlyOnce()
        application.cluster.recreateTopic("app.state")
        // It goes on from its memory, and the new topic gets its newest positions.
        application.append(40)
        try application.expectExactlyOnce()
        application.leave(member)
        try application.join("after")
        let failure = try #require(refusal { try application.run(rounds: 20) })
        #expect(failure.description.contains("app.state["))
        #expect(failure.description.contains("lacks its beginning"))
        #expect(failure.description.contains("start over with 'tideline reset --execute'"))
    }

    // MARK: - The topic is another one

    /// The input is deleted, made again and filled anew while nobody runs.
    ///
    /// - Returns: who comes after that, and how often each input was applied before.
    private func joinAfterRecreation() throws -> (member: SimulatedApplication.Member, before: [String: Int]) {
        try readAndStop(40)
        application.cluster.recreateTopic(LedgerTopology.source)
        application.clock.advance(by: .seconds(60))
        application.append(200)
        let before = application.audit.applied
        return (try application.join("after"), before)
    }

    @Test("R18: a topic that was deleted and made again while nobody ran is read from its earliest record")
    func recreated() throws {
        let (member, before) = try joinAfterRecreation()
        let inputs = application.inputs
        let all = try application.run(until: {
            inputs.allSatisfy { application.audit.applied[$0] == (before[$0] ?? 0) + 1 }
        })
        #expect(all, "read \(application.audit.applied.count) of \(inputs.count)")
        #expect(member.events.count("positionOfOther(\(LedgerTopology.source)[0]") == 1)
        #expect(member.events.count("positionOfOther") == 2)
        #expect(member.thread.status.lostPositions == 2)
        try application.run(rounds: 20)
        #expect(inputs.allSatisfy { application.audit.applied[$0] == (before[$0] ?? 0) + 1 }, "none came twice")
    }

    @Test("R18: a topic made again that ends before the position is read from its earliest record")
    func recreatedShorter() throws {
        try readAndStop(40)
        application.cluster.recreateTopic(LedgerTopology.source)
        application.append(10)
        let before = application.audit.applied
        let member = try application.join("after")
        let inputs = application.inputs
        let all = try application.run(until: {
            inputs.allSatisfy { application.audit.applied[$0] == (before[$0] ?? 0) + 1 }
        })
        #expect(all)
        #expect(member.events.count("positionOutOfRange") == 2)
    }

    @Test("R18: the same topic is gone on from: nothing is read again, whether the record before is there or not")
    func same() throws {
        try readAndStop(40)
        let admin = try application.cluster.makeAdmin()
        // The record before the position can be read no more, the next one can.
        try admin.deleteRecords(before: [(Self.place, Offset(20))], timeout: .zero)
        let member = try application.join("after")
        application.append(40)
        let inputs = application.inputs
        try application.run(until: { application.audit.isComplete(inputs: inputs) })
        try application.run(rounds: 20)
        #expect(application.audit.appliedOnce && application.audit.violations.isEmpty)
        #expect(!member.events.has("position") && member.thread.status.lostPositions == 0)
    }

    /// A topic is made again under its reader, with so much in it that the reader's position lies within.
    ///
    /// - Returns: the reader, and the audit's counts from before that.
    private func readOnInRecreated() throws -> (SimulatedApplication.Member, before: [String: Int]) {
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        // By now the records to compare with are known.
        application.clock.advance(by: .seconds(31))
        try application.run(rounds: 20)
        let before = application.audit.applied
        application.cluster.recreateTopic(LedgerTopology.source)
        application.clock.advance(by: .seconds(1))
        application.append(200)
        try application.run(rounds: 20)
        #expect(!member.events.has("position"), "all that is there fits, so nothing was odd")
        return (member, before)
    }

    private func expectAllRead(since before: [String: Int]) throws {
        let inputs = application.inputs
        let all = try application.run(
            until: { inputs.allSatisfy { (application.audit.applied[$0] ?? 0) > (before[$0] ?? 0) } }, within: 1_000)
        #expect(all, "read \(application.audit.applied.count) of \(inputs.count)")
    }

    @Test("R18: a topic that is deleted and made again while it is read is read from its earliest record")
    func recreatedWhileRunning() throws {
        let (member, before) = try readOnInRecreated()
        application.clock.advance(by: .seconds(300))
        try expectAllRead(since: before)
        #expect(member.events.has("position"))
        #expect(member.thread.status.lostPositions > 0)
    }

    @Test("R18: who reads on in a topic that was made again, and ends before it has compared, leaves that to the next")
    func readOnAndEnded() throws {
        let (member, before) = try readOnInRecreated()
        application.crash(member)
        let next = try application.join("b")
        try expectAllRead(since: before)
        #expect(next.events.has("position"))
    }

    @Test("R18: who cannot begin a comparison reads on, and compares within seconds")
    func comparedLate() throws {
        let (member, before) = try joinAfterRecreation()
        member.ports.refuse(client: "app-after-compare")
        try expectAllRead(since: before)
        #expect(member.events.texts.count { $0.contains("no more threads") } == 1)
        #expect(member.events.count("positionOfOther") == 2)
    }

    @Test("R18: retention that overtakes a reader is told and counted")
    func overtaken() throws {
        application.settings.pollMaximum = 4
        let member = try application.join("a")
        application.append(20)
        try application.expectExactlyOnce()
        application.append(200)
        let admin = try application.cluster.makeAdmin()
        try admin.deleteRecords(before: [(Self.place, Offset(80))], timeout: .zero)
        try application.run(
            until: { application.committed(LedgerTopology.source, 0) == 110 && member.events.has("position") },
            within: 1000)
        #expect(member.events.count("positionOutOfRange(\(LedgerTopology.source)[0]") == 1)
        #expect(member.thread.status.lostPositions == 1)
        #expect(application.audit.applied["0/79"] == nil && application.audit.applied["0/80"] == 1)
    }

    @Test("R18: the end is asked for again before a topic counts as another: an owner that lived has read on")
    func endOfLivingOwner() throws {
        let first = try application.join("a")
        try application.runUntilAllRun()
        let second = try application.join("b")
        // Both read on while tasks move from the one to the other.
        for _ in 0..<60 {
            application.append(4)
            try application.round()
        }
        try application.expectExactlyOnce()
        #expect(!first.events.has("position") && !second.events.has("position"))
    }

    // MARK: - The program or the cluster is another one

    @Test("R18: state of another P is refused by name")
    func partitions() throws {
        try readAndStop()
        application.cluster.addPartitions(to: "app.exchange", total: 4)
        application.cluster.addPartitions(to: "app.state", total: 4)
        let grown = try StreamThread(
            name: "after", cluster: application.cluster, topology: application.topology,
            settings: application.settings, clock: SteppingClock(application.clock, tick: .zero), partitions: 4,
            sourcePartitions: [2])
        try grown.start()
        let failure = refusal { for _ in 0..<50 { try grown.runOnce() } }
        #expect(failure?.description.contains("has 4 partitions, and its state was made with 2") == true)
    }

    @Test("R18: state of another cluster is refused by name until that is accepted; then fingerprints decide alone")
    func cluster() throws {
        application.settings.state.cluster = "first"
        try readAndStop()
        application.settings.state.cluster = "second"
        try application.join("refused")
        let failure = refusal { try application.run(rounds: 20) }
        #expect(failure?.description.contains("is state of cluster first, and this is cluster second") == true)
        #expect(failure?.description.contains("cluster.moved=accept") == true)
        try expectAcceptedOnceForAll(\.acceptsMovedCluster)
    }

    @Test("R18: state of other settings is refused with their names until that is accepted")
    func settings() throws {
        application.settings.misfits.settingNames = [1: "kinds", 2: "reload.limit"]
        application.settings.state.settings = [.init(number: 1, value: "a"), .init(number: 2, value: "b")]
        try readAndStop()
        application.settings.state.settings = [.init(number: 1, value: "a"), .init(number: 2, value: "c")]
        try application.join("refused")
        let failure = refusal { try application.run(rounds: 20) }
        #expect(failure?.description.contains("was made with another reload.limit:") == true)
        #expect(failure?.description.contains("settings.changed=accept") == true)
        try expectAcceptedOnceForAll(\.acceptsChangedSettings)
    }

    /// The refused member is gone; one that accepts goes on, and so does one after it that does not.
    private func expectAcceptedOnceForAll(_ acceptance: WritableKeyPath<MisfitPolicy, Bool>) throws {
        application.crash(application.members[0])
        application.settings.misfits[keyPath: acceptance] = true
        let member = try application.join("accepted")
        application.append(20)
        try application.expectExactlyOnce()
        application.leave(member)
        application.settings.misfits[keyPath: acceptance] = false
        try application.join("again")
        application.append(20)
        try application.expectExactlyOnce("accepted once for all")
    }
}
