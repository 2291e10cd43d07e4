import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

/// The rules R1 to R5 where the stream threads of one process share what `SharedPorts` holds.
@Suite("Threads of one process: R1 to R5")
struct ThreadsRuleTests {
    private static let timedOut = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)

    /// Two processes with two threads each, where each thread has a task.
    private func twoProcesses(
        _ application: SimulatedApplication
    ) throws -> (first: [SimulatedApplication.Member], second: [SimulatedApplication.Member]) {
        let first = try application.join(process: ["a1", "a2"])
        application.append(80)
        try application.expectExactlyOnce()
        let second = try application.join(process: ["b1", "b2"])
        try application.run(until: { application.members.allSatisfy { $0.runningTasks.count == 1 } })
        #expect(application.members.map(\.runningTasks.count) == [1, 1, 1, 1])
        return (first, second)
    }

    // MARK: - R1

    @Test("R1: what a rebalance drops of the threads' kept partitions is read again, by each its own")
    func droppedRecords() throws {
        let application = SimulatedApplication(partitions: 6)
        application.settings.pollMaximum = 5
        _ = try application.join(process: ["a1", "a2", "a3"])
        try application.runUntilAllRun()
        for round in 0..<3 {
            application.append(240)
            try application.run(rounds: 3)
            let others = try application.join(process: ["b\(round)", "c\(round)"])
            try application.runUntilAllRun()
            application.append(240)
            try application.run(rounds: 3)
            for member in others { application.leave(member) }
        }
        #expect(application.cluster.counters.recordsDropped > 0, "no rebalance dropped anything")
        try application.expectExactlyOnce()
    }

    @Test("R1: after an abort one thread reads its records again, and the others are not disturbed")
    func abort() throws {
        let application = SimulatedApplication(partitions: 3)
        let process = try application.join(process: ["a1", "a2", "a3"])
        application.append(60)
        try application.expectExactlyOnce()
        let fault = application.cluster.inject(.abortable(broken), into: .sendOffsets, times: 2, client: "app-a2")
        application.append(60)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 2)
        #expect(process.map { $0.events.count("aborted") } == [0, 2, 0])
    }

    // MARK: - R2

    @Test("R2: each thread's tasks are taken over in the one order, through the handles that all share")
    func order() throws {
        let application = SimulatedApplication(partitions: 4)
        let first = try application.join(process: ["a1", "a2"])
        application.append(100)
        try application.expectExactlyOnce()
        for member in first { application.leave(member) }
        let fault = application.cluster.inject(Self.timedOut, into: .committed, times: 2, client: "app-b1-offsets")
        let second = try application.join(process: ["b1", "b2"])
        try application.runUntilAllRun()
        #expect(application.cluster.timesFired(fault) == 2)
        #expect(second.allSatisfy { $0.runningTasks.count == 2 })
        let calls = second[0].ports.calls
        func last(_ client: String, _ name: String, _ place: TopicPartition, before end: Int) throws -> Int {
            try #require(
                calls[..<end].lastIndex {
                    $0.client == client && $0.name == name && !$0.hasFailed && $0.partitions.contains(place)
                }, "\(client) never called \(name) about \(place) before call \(end)")
        }
        for member in second {
            for task in member.runningTasks {
                let state = TopicPartition("app.state", task)
                let input = TopicPartition(LedgerTopology.source, task)
                let read = try last(member.clientId, "incrementalAssign", input, before: calls.count)
                let end = try last("app-b1-restore", "incrementalUnassign", state, before: read)
                let start = try last("app-b1-restore", "incrementalAssign", state, before: end)
                let seen = try last("admin", "endOffsets read_uncommitted", state, before: start)
                _ = try last("app-b1-offsets", "committed", input, before: seen)
            }
        }
    }

    @Test("R2: a changelog that is held up keeps its task waiting, and no task of another thread")
    func openTransactionInChangelog() throws {
        let application = SimulatedApplication()
        let first = try application.join(process: ["a1", "a2"])
        application.append(60)
        try application.expectExactlyOnce()
        for member in first { application.leave(member) }
        let stranger = try application.openStrangerInChangelog()
        let second = try application.join(process: ["b1", "b2"])
        try application.run(rounds: 40)
        #expect(second.flatMap(\.runningTasks) == [1], "task 0 runs without having read its changelog")
        try stranger.commit(timeout: .zero)
        try application.runUntilAllRun()
        #expect(second.allSatisfy { $0.runningTasks.count == 1 })
        application.append(60)
        try application.expectExactlyOnce()
    }

    // MARK: - R3

    @Test("R3: each thread's transactions carry the exchange offset of each of its tasks that wrote")
    func everyTransactionIsFenced() throws {
        let application = SimulatedApplication(partitions: 6)
        let process = try application.join(process: ["a1", "a2", "a3"])
        application.append(200)
        try application.expectExactlyOnce()
        var checked = 0
        for member in process {
            var writers: Set<Partition> = []
            for call in member.ports.calls where call.client == member.clientId {
                switch call.name {
                case "produce":
                    let place = call.partitions[0]
                    if place.topic == "app.state" { writers.insert(place.partition) }
                case "sendOffsets":
                    let fenced = call.partitions.filter { $0.topic == "app.exchange" }.map(\.partition)
                    #expect(writers.isSubset(of: fenced), "\(member.name)")
                    #expect(Set(fenced).isSubset(of: member.runningTasks), "\(member.name) fences others' tasks")
                    checked += writers.count
                    writers = []
                default: break
                }
            }
        }
        #expect(checked > 12)
    }

    // MARK: - R4

    @Test("R4: each claim names its thread, and what the threads of a dead process left open is ended by their heirs")
    func deadProcess() throws {
        let application = SimulatedApplication(partitions: 4)
        let (first, second) = try twoProcesses(application)
        try application.run(rounds: 20)
        let offsets = application.cluster.committedOffsets(of: "app")
        for member in application.members {
            for task in member.runningTasks {
                let claim = offsets[TopicPartition("app.exchange", task)]?.metadata ?? "none"
                #expect(claim.hasPrefix("\(member.clientId) ") && claim.hasSuffix(" open"), "\(task): \(claim)")
            }
        }
        application.append(60)
        let open = try application.crash(first[1], at: "commit").filter { $0.hasPrefix("app-a") }
        #expect(!open.isEmpty)
        let died = application.clock.now
        try application.run(until: { second.flatMap(\.runningTasks).sorted() == [0, 1, 2, 3] })
        #expect(application.clock.now - died < .seconds(2))
        for owner in open {
            let settled = second.map { $0.events.count("claimSettled(transactionalId: \"\(owner)\")") }
            #expect(settled.reduce(0, +) >= 1, "\(owner)")
        }
        #expect(application.cluster.counters.transactionsTimedOut == 0)
        #expect(!second.contains { $0.events.has("producerReplaced") }, "an heir ended a transaction that is its own")
        try application.expectExactlyOnce()
    }

    // MARK: - R5

    @Test("R5: positions are state: the next process's threads go on with it after the group's offsets have expired")
    func expiredOffsets() throws {
        let application = SimulatedApplication(partitions: 3, inputPartitions: 5)
        let first = try application.join(process: ["a1", "a2", "a3"])
        application.append(100)
        try application.expectExactlyOnce()
        for member in first { application.leave(member) }
        application.cluster.expireOffsets("app")
        #expect(application.cluster.committedOffsets(of: "app") == [:])
        application.append(100)
        _ = try application.join(process: ["b1", "b2"])
        try application.expectExactlyOnce()
    }

    @Test("R5: every hour each thread commits all offsets of its own tasks anew, and no others")
    func refreshedOffsets() throws {
        let application = SimulatedApplication(partitions: 4, inputPartitions: 8)
        let process = try application.join(process: ["a1", "a2"])
        application.append(80)
        try application.expectExactlyOnce()
        process[0].ports.forgetCalls()
        application.clock.advance(by: .seconds(3_590))
        try application.run(rounds: 20)
        #expect(process[0].ports.calls("sendOffsets").isEmpty, "nothing to commit, and not an hour yet")
        application.clock.advance(by: .seconds(11))
        try application.run(rounds: 20)
        for member in process {
            let own = member.runningTasks.flatMap { task in
                [
                    TopicPartition("app.exchange", task), TopicPartition(LedgerTopology.source, task),
                    TopicPartition(LedgerTopology.source, task.advanced(by: 4)),
                ]
            }
            let sent = member.ports.calls("sendOffsets").filter { $0.client == member.clientId }
            #expect(sent.map { Set($0.partitions) } == [Set(own)], "\(member.name)")
        }
    }
}
