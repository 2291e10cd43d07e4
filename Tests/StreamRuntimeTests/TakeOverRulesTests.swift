import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Taking over: R2 and R4")
struct TakeOverRulesTests {
    private static let timedOut = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)
    private static let unstable = LogError(.unstableOffsets, name: "UNSTABLE_OFFSET_COMMIT", "open", isRetriable: true)

    @Test("R2: a time-out, or −1001 after one, is not \"no offset\"", arguments: [timedOut, unstable])
    func unansweredIsNotNone(error: LogError) throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(100)
        try application.expectExactlyOnce()
        application.leave(first)
        // Without state only the offsets tell where to go on.
        let fault = application.cluster.inject(error, into: .committed, times: 12, client: "app-b-offsets")
        let second = try application.join("b")
        try application.run(rounds: 3)
        #expect(second.runningTasks == [], "begun without an answer")
        application.append(100)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 12)
    }

    @Test("R2: stable offsets first, then the changelog's end, then the changelog, then the inputs")
    func order() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(100)
        try application.expectExactlyOnce()
        application.leave(first)
        let fault = application.cluster.inject(Self.timedOut, into: .committed, times: 2, client: "app-b-offsets")
        let second = try application.join("b")
        try application.runUntilAllRun()
        #expect(application.cluster.timesFired(fault) == 2)
        let state = TopicPartition("app.state", 0)
        let input = TopicPartition(LedgerTopology.source, 0)
        let calls = second.ports.calls
        func last(_ client: String, _ name: String, _ place: TopicPartition) throws -> Int {
            try #require(
                calls.lastIndex {
                    $0.client == client && $0.name == name && !$0.hasFailed && $0.partitions.contains(place)
                }, "\(client) never called \(name) about \(place)")
        }
        let steps = try [
            last("app-b-offsets", "committed", input), last("admin", "endOffsets read_uncommitted", state),
            last("app-b-restore", "incrementalAssign", state), last("app-b-restore", "incrementalUnassign", state),
            last("app-b", "incrementalAssign", input),
        ]
        #expect(steps == steps.sorted())
    }

    @Test("R2: taking over 100 tasks asks as many questions as taking over four", arguments: [true, false])
    func questions(isReleased: Bool) throws {
        func asked(about partitions: Int32) throws -> [String: Int] {
            let application = SimulatedApplication(partitions: partitions)
            let first = try application.join("a")
            application.append(4 * Int(partitions))
            try application.expectExactlyOnce()
            if isReleased { application.leave(first) } else { application.crash(first) }
            let second = try application.join("b")
            let haveBegun = try application.run(until: { second.events.count("restoring(") == Int(partitions) })
            #expect(haveBegun)
            let names = ["committed", "endOffsets read_committed", "endOffsets read_uncommitted", "startOffsets"]
            let questions = second.ports.calls.filter { names.contains($0.name) }
            return Dictionary(grouping: questions) { "\($0.client).\($0.name)" }.mapValues(\.count)
        }
        let (few, many) = (try asked(about: 4), try asked(about: 100))
        #expect(few == many)
        #expect(many.values.reduce(0, +) <= 10, "\(many)")
    }

    @Test(
        "R2: a task that restores very many records, or keys, lets the others of its thread go on in each iteration",
        arguments: [(records: 200_000, keys: 1), (records: 60_000, keys: 60_000)])
    func restoresBeside(records length: Int, keys: Int) throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        application.leave(first)
        // The newest value of a key, again and again: the state stays what it is. Or keys that nobody asks for.
        let records = application.cluster.records("app.state").filter { $0.partition == 0 }
        let newest = try #require(records.last { $0.value != nil && $0.key?.count ?? 0 > 1 })
        for number in 0..<length {
            let key = newest.key.map { keys == 1 ? $0 : $0 + Array("/\(number % keys)".utf8) }
            application.cluster.append("app.state", 0, key: key, value: newest.value)
        }
        let second = try application.join("b")
        try application.run(until: { second.runningTasks == [1] })
        var (iterations, sinceCommit, longest) = (0, 0, 0)
        var commits = second.events.count("committed")
        while second.runningTasks == [1] {
            application.append(2)
            try application.round()
            iterations += 1
            sinceCommit += 1
            let now = second.events.count("committed")
            if now > commits { (longest, sinceCommit) = (max(longest, sinceCommit), 0) }
            commits = now
        }
        // Before the other one ran, it was read by larger portions.
        let read = length - 2 * application.settings.pollMaximum
        let least = (read + (keys == 1 ? 0 : keys)) / application.settings.restorePortion
        #expect(iterations >= least, "\(iterations) iterations")
        #expect(max(longest, sinceCommit) <= 8, "\(longest) iterations of 25 ms without a commit")
        #expect(second.runningTasks == [0, 1])
        application.cluster.compact("app.state")
        try application.expectExactlyOnce()
    }

    @Test("R2: a commit that was answered before its markers were written is restored")
    func delayedMarkers() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(60)
        try application.expectExactlyOnce()
        application.cluster.delaysMarkers = true
        application.append(60)
        let commits = first.ports.calls("commit").count
        try application.run(until: { first.ports.calls("commit").count > commits })
        #expect(application.cluster.openTransactions == ["app-a"], "no marker was delayed")
        application.crash(first)
        let second = try application.join("b")
        try application.expectExactlyOnce()
        // Its own id, and that of the owner that is gone: once more if the delayed claim comes after that.
        #expect((2...3).contains(second.ports.calls("initialise").count))
        #expect((1...2).contains(second.events.count("claimSettled")))
        #expect(application.audit.appliedCount == 120)
        application.cluster.delaysMarkers = false
    }

    @Test("R2: the changelog is read up to its end as a read_uncommitted handle sees it, whoever holds it up")
    func openTransactionInChangelog() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(60)
        try application.expectExactlyOnce()
        application.leave(first)
        // A transaction that is open in the changelog and in no committed offset.
        let stranger = try application.openStrangerInChangelog()
        let second = try application.join("b")
        try application.run(rounds: 40)
        #expect(second.runningTasks == [1], "task 0 runs without having read its changelog")
        try stranger.commit(timeout: .zero)
        try application.runUntilAllRun()
        application.append(60)
        try application.expectExactlyOnce()
    }

    @Test("R4: a claim is committed as soon as a task runs, before anything else")
    func claim() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(20)
        try application.expectExactlyOnce()
        application.leave(first)
        application.append(20)
        let second = try application.join("b")
        try application.run(until: { !second.ports.calls("commit").isEmpty })
        #expect(application.audit.appliedCount == 20, "records were read before the claim")
        let offsets = application.cluster.committedOffsets(of: "app")
        #expect(offsets.count == 4)
        #expect(offsets.values.allSatisfy { $0.metadata.hasPrefix("app-b ") && $0.metadata.hasSuffix(" open") })
        try application.expectExactlyOnce()
    }

    @Test(
        "R4: the transaction that a dead owner left open is ended by its heir, long before it times out",
        arguments: ["sendOffsets", "commit"])
    func deadOwner(call: String) throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(60)
        try application.expectExactlyOnce()
        let second = try application.join("b")
        try application.run(until: { first.runningTasks.count == 1 && second.runningTasks.count == 1 })
        application.append(60)
        let open = try application.crash(first, at: call)
        try #require(open == ["app-a"], "\(open) \(first.ports.calls.suffix(12))")
        let died = application.clock.now
        try application.run(until: { second.runningTasks == [0, 1] })
        #expect(application.clock.now - died < .seconds(2))
        #expect(second.events.count("claimSettled(transactionalId: \"app-a\")") == 1)
        #expect(application.cluster.counters.transactionsTimedOut == 0)
        try application.expectExactlyOnce()
    }

    @Test("R4: an owner that was settled but lives is fenced, makes its producer anew, and nothing comes twice")
    func settledAlive() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(60)
        try application.expectExactlyOnce()
        let second = try application.join("b")
        try application.runUntilAllRun()
        let heir = try application.cluster.makeTransactionalProducer(transactionalId: "app-a", clientId: "heir")
        try heir.initialise(timeout: .zero)
        heir.destroy()
        application.append(60)
        try application.expectExactlyOnce()
        #expect(application.cluster.counters.fencedCalls > 0)
        #expect(first.events.count("producerReplaced") == 1)
        #expect(!second.events.has("producerReplaced"))
    }

    @Test("R4: the transactional id is kept over every producer of a thread")
    func transactionalId() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        let fault = application.cluster.inject(.fatal(broken), into: .commit, times: 2)
        application.append(60)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 2)
        #expect(member.ports.calls("makeTransactionalProducer").map(\.client) == ["app-a", "app-a", "app-a"])
    }

    @Test("who waits for stable offsets for very long says so")
    func waiting() throws {
        let application = SimulatedApplication(partitions: 1)
        let fault = application.cluster.inject(Self.timedOut, into: .committed, times: 1_250, client: "app-a-offsets")
        let member = try application.join("a")
        try application.run(rounds: 1_150)
        #expect(!member.events.has("waiting"))
        try application.run(rounds: 101)
        // Every tenth of a second, not in each iteration.
        #expect((250...400).contains(application.cluster.timesFired(fault)))
        #expect(member.events.count("waiting(task: 0") == 1)
    }

    @Test("R2: a task whose offsets are never stable goes on once its owner is fenced and no transaction lasts as long")
    func neverStable() throws {
        let application = SimulatedApplication(partitions: 1)
        let first = try application.join("a")
        application.append(60)
        try application.expectExactlyOnce()
        application.append(60)
        // It dies with a transaction open that has records in the changelog.
        #expect(try application.crash(first, at: "commit") == ["app-a"])
        let fault = application.cluster.inject(Self.unstable, into: .committed, times: .max, client: "app-b-offsets")
        let second = try application.join("b")
        let began = application.clock.now
        while second.runningTasks.isEmpty && application.clock.now - began < .seconds(60) {
            try application.run(rounds: 10)
        }
        #expect(application.clock.now - began >= ElapsedTime(application.settings.unstableOffsetsPatience))
        #expect(second.events.has("claimSettled"))
        #expect(second.events.count("offsetsUnstable(task: 0") == 1)
        application.append(60)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) > 10)
    }
}
