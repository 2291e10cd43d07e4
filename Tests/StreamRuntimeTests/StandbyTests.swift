import RecordLog
import Simulation
import StreamCore
import Testing

@testable import StreamRuntime

/// Standby copies: which process keeps them, that they follow, and that a take-over goes on with them.
@Suite("Standby tasks")
struct StandbyTests {
    private static let state = TopicPartition("app.state", 0)

    private func application(replicas: Int = 1, partitions: Int32 = 2) -> SimulatedApplication {
        let application = SimulatedApplication(partitions: partitions)
        application.settings.standbyReplicas = replicas
        application.settings.standbyInterval = .milliseconds(200)
        return application
    }

    private func copies(_ member: SimulatedApplication.Member) -> [Partition] {
        member.thread.status.standbys.map(\.partition)
    }

    /// Two members with a task each and a copy of the other's, all read.
    private func pair(_ application: SimulatedApplication) throws -> [SimulatedApplication.Member] {
        let members = try [application.join("a"), application.join("b")]
        application.append(200)
        try application.expectExactlyOnce()
        try application.run(until: { members.allSatisfy { copies($0).count == 1 } })
        try application.run(rounds: 10)
        return members
    }

    // MARK: - Following

    @Test("each of two processes keeps a copy of the other's task, and none of its own")
    func pairs() throws {
        let application = application()
        for member in try pair(application) {
            #expect(Set(copies(member)) == Set([0, 1]).subtracting(member.runningTasks))
        }
    }

    @Test("without the setting nobody keeps a copy, and nobody is asked")
    func off() throws {
        let application = application(replicas: 0)
        let members = try [application.join("a"), application.join("b")]
        application.append(40)
        try application.expectExactlyOnce()
        try application.run(rounds: 200)
        #expect(members.allSatisfy { copies($0).isEmpty && !$0.events.has("standbys") })
    }

    @Test("a copy follows its changelog to the last stable offset")
    func follows() throws {
        let application = application()
        let members = try pair(application)
        for _ in 0..<3 {
            application.append(60)
            try application.expectExactlyOnce()
            for member in members {
                let copy = try #require(member.thread.status.standbys.first)
                let end = application.cluster.ends(of: TopicPartition("app.state", copy.partition)).stable
                #expect(copy.next == end)
            }
        }
    }

    @Test("who comes or goes changes who keeps what; a copy that is superfluous is given up")
    func changes() throws {
        let application = application(partitions: 4)
        var members = [try application.join("a")]
        try application.runUntilAllRun()
        #expect(copies(members[0]).isEmpty, "there is nobody else")
        for name in ["b", "c"] { members.append(try application.join(name)) }
        func total() -> [Partition] { members.flatMap(copies).sorted() }
        try application.run(until: { total() == [0, 1, 2, 3] })
        #expect(total() == [0, 1, 2, 3])
        application.leave(members.removeLast())
        try application.run(until: { false }, within: 60)
        #expect(total() == [0, 1, 2, 3])
        for member in members { #expect(Set(copies(member)).isDisjoint(with: member.runningTasks)) }
    }

    // MARK: - Taking over

    @Test("a take-over reads what the copy has not, and nothing is lost or doubled")
    func warm() throws {
        let application = application()
        let members = try pair(application)
        let task = try #require(members[0].runningTasks.first)
        let end = application.cluster.ends(of: TopicPartition("app.state", task)).stable
        application.crash(members[0])
        application.append(40)
        try application.expectExactlyOnce()
        let events = members[1].events
        #expect(events.has("standbyTaken(task: \(task), next: \(end))"), "\(events.texts.suffix(8))")
        #expect(events.has("running(task: \(task), restoredRecords: 0)"), "\(events.texts.suffix(8))")
        #expect(copies(members[1]).isEmpty)
    }

    @Test("a copy that is behind is brought up by the restore")
    func behind() throws {
        let application = application()
        let members = try pair(application)
        let task = try #require(members[0].runningTasks.first)
        members[1].ports.silence(TopicPartition("app.state", task), until: "incrementalUnassign")
        application.append(80)
        try application.expectExactlyOnce()
        application.crash(members[0])
        application.append(40)
        try application.expectExactlyOnce()
        let running = members[1].events.texts.filter { $0.hasPrefix("running(task: \(task)") }
        #expect(members[1].events.has("standbyTaken(task: \(task)"))
        #expect(running.count == 1 && !running[0].hasSuffix("restoredRecords: 0)"), "\(running)")
    }

    @Test("a task that comes back to its process begins anew, for no copy was kept")
    func backAndForth() throws {
        let application = application()
        for round in 0..<6 {
            let member = try application.join("m\(round)")
            application.append(30)
            try application.expectExactlyOnce()
            try application.run(rounds: 20)
            if round > 1 { application.crash(application.members[round % 2]) }
            _ = member
        }
        try application.expectExactlyOnce()
    }

    // MARK: - What may be wrong

    /// What the new changelog does not know is read again, and what comes then, too.
    private func expectReplayed(
        _ application: SimulatedApplication, by member: SimulatedApplication.Member,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = Set(application.inputs)
        try application.run(until: { member.runningTasks == [0, 1] })
        application.append(40)
        let new = application.inputs.filter { !before.contains($0) }
        let all = try application.run(until: { new.allSatisfy { application.audit.applied[$0] == 1 } })
        #expect(all, "\(member.events.texts.suffix(12))", sourceLocation: sourceLocation)
    }

    @Test("a changelog that was made anew is not taken for the one that was copied")
    func madeAnew() throws {
        let application = application()
        application.settings.misfits.replaysLostState = true
        let members = try pair(application)
        let task = try #require(members[0].runningTasks.first)
        application.crash(members[0])
        application.cluster.recreateTopic("app.state")
        try expectReplayed(application, by: members[1])
        #expect(!members[1].events.has("standbyTaken(task: \(task)"), "\(members[1].events.texts.suffix(12))")
    }

    @Test("nor where it was made anew after the copy was handed over, before its end was asked for")
    func madeAnewWhileTakenOver() throws {
        let application = application()
        application.settings.misfits.replaysLostState = true
        let members = try pair(application)
        let (task, events) = (try #require(members[0].runningTasks.first), members[1].events)
        let timedOut = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)
        application.cluster.inject(timedOut, into: .committed, times: 20, client: "app-b-offsets")
        application.crash(members[0])
        try application.run(until: { events.has("assigned([\(task)])") })
        #expect(copies(members[1]).isEmpty && !events.has("standbyTaken"), "the take-over has begun too soon")
        application.cluster.recreateTopic("app.state")
        try expectReplayed(application, by: members[1])
        #expect(!events.has("standbyTaken(task: \(task)"), "\(events.texts.suffix(12))")
    }

    @Test(
        "a copy that cannot be read is said and given up once; who takes over says so, too",
        arguments: ["\u{7e}x", "\u{1}x"])
    func unreadable(_ key: String) throws {
        let application = application()
        let members = try pair(application)
        let task = try #require(members[0].runningTasks.first)
        // Of a store that is none, and of one whose values are longer.
        application.cluster.append("app.state", task, key: key, value: "x")
        try application.run(rounds: 100)
        let failed = members[1].events.texts.filter { $0.contains("cannot be read at offset") }
        #expect(failed.count == 1 && copies(members[1]).isEmpty, "\(failed)")
        #expect(members[1].runningTasks.count == 1)
        application.crash(members[0])
        let failure = #expect(throws: StreamFailure.self) { try application.run(rounds: 200) }
        #expect(failure?.description.contains("app.state[\(task)] cannot be read") == true)
    }

    @Test("a copy of which nobody has heard for long is not used")
    func paused() throws {
        let application = application()
        let members = try pair(application)
        let task = try #require(members[0].runningTasks.first)
        application.clock.advance(by: StandbyTasks.pauseMax + .seconds(1))
        try application.run(rounds: 1)
        #expect(copies(members[1]).isEmpty || members[1].thread.status.standbys.allSatisfy { $0.next == 0 })
        try application.run(until: { copies(members[1]) == [task] })
        #expect(copies(members[1]) == [task])
        try application.expectExactlyOnce()
    }
}

/// Which process keeps a copy of which task.
@Suite("Assignment of standby tasks")
struct StandbyAssignmentTests {
    private static func member(_ clientId: String, _ tasks: [Int32], instance: String? = nil) -> GroupMember {
        GroupMember(
            memberId: clientId, clientId: clientId, instance: instance,
            assigned: tasks.map { TopicPartition("x", Partition($0)) })
    }

    private static func tasks(
        _ own: String, _ members: [GroupMember], replicas: Int = 1, partitions: Int32 = 12, threads: Bool = false
    ) -> Set<Partition>? {
        let member = members.first { $0.clientId == own }
        let place = StandbyPlace(clientId: own, instance: member?.instance, instancesHaveThreads: threads)
        return StandbyAssignment(
            own: place, exchange: "x", partitions: partitions, replicas: replicas, instancesHaveThreads: threads
        ).tasks(members)?.followed
    }

    @Test("each task has as many copies as are asked for, in other processes than its own", arguments: [1, 2, 3, 15])
    func replicas(count: Int) throws {
        let members = (0..<4).map { index in
            Self.member("app-p\(index)", (0..<3).map { Int32(index * 3 + $0) })
        }
        var copies: [Partition: Int] = [:]
        for member in members {
            let tasks = try #require(Self.tasks(member.clientId, members, replicas: count))
            #expect(tasks.isDisjoint(with: (member.assigned ?? []).map(\.partition)))
            for task in tasks { copies[task, default: 0] += 1 }
        }
        #expect(copies.count == 12 && Set(copies.values) == [min(count, 3)])
    }

    @Test("threads of the owner's process keep none, and of another process one of them does")
    func threads() throws {
        let members = [
            Self.member("app-a.1", [0, 1, 2]), Self.member("app-a.2", [3, 4, 5]), Self.member("app-b.1", [6, 7, 8]),
            Self.member("app-b.2", [9, 10, 11]),
        ]
        var copies: [Partition: [String]] = [:]
        for member in members {
            for task in try #require(Self.tasks(member.clientId, members, replicas: 3)) {
                copies[task, default: []].append(member.clientId)
            }
        }
        for task in 0..<Partition(12) {
            let owner = task < 6 ? "app-a" : "app-b"
            #expect(copies[task]?.count == 1 && copies[task]?.first?.hasPrefix(owner) == false, "\(task)")
        }
    }

    @Test("a static member is known by its instance: web-0 and web-1 are two processes, unless threads have numbers")
    func instances() throws {
        let members = [
            Self.member("app-web-0-x", [0, 1], instance: "web-0"),
            Self.member("app-web-1-y", [2, 3], instance: "web-1"),
        ]
        #expect(Self.tasks("app-web-0-x", members, partitions: 4) == [2, 3])
        #expect(Self.tasks("app-web-0-x", members, partitions: 4, threads: true) == [])
    }

    @Test("while the group does not say who owns each task, nothing is changed")
    func rebalancing() {
        let members = [Self.member("app-a", [0, 1]), Self.member("app-b", [])]
        #expect(Self.tasks("app-a", members, partitions: 4) == nil)
        #expect(Self.tasks("app-c", [Self.member("app-a", [0, 1, 2, 3])], partitions: 4) == nil)
    }

    @Test("while a member passes through the group that makes it give tasks out anew, nothing is changed")
    func passing() {
        let members = [Self.member("app-a", [0, 1]), Self.member("app-b", [2])]
        #expect(Self.tasks("app-a", members + [Self.member("app-c", [3])], partitions: 4) != nil)
        #expect(Self.tasks("app-a", members + [Self.member(UnownedTasks.clientId, [3])], partitions: 4) == nil)
    }

    @Test("a process that goes moves no copies but its own and those of its tasks")
    func fewMove() throws {
        let all = (0..<5).map { index in Self.member("app-p\(index)", (0..<4).map { Int32(index * 4 + $0) }) }
        var less = all.filter { $0.clientId != "app-p4" }
        for index in less.indices { less[index].assigned?.append(TopicPartition("x", Partition(Int32(16 + index)))) }
        for member in less {
            let before = try #require(Self.tasks(member.clientId, all, partitions: 20))
            let after = try #require(Self.tasks(member.clientId, less, partitions: 20))
            #expect(before.filter { $0 < 16 }.isSubset(of: after), "\(member.clientId)")
        }
    }
}
