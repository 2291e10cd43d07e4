import RdKafka
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Topics: R7, R9, R11 and R13")
struct TopicRulesTests {
    @Test("R7: exchange records are removed up to the committed offset")
    func consumedRecords() throws {
        let application = SimulatedApplication()
        for name in ["a", "b"] { try application.join(name) }
        application.append(100)
        try application.expectExactlyOnce()
        #expect(application.cluster.records("app.exchange").count > 10, "the exchange was not used")
        application.clock.advance(by: .seconds(30))
        try application.run(rounds: 2)
        #expect(application.cluster.records("app.exchange").isEmpty)
    }

    @Test("R7: what is read but not committed stays, for the next owner")
    func uncommittedRecords() throws {
        let application = SimulatedApplication()
        application.settings.commitInterval = .seconds(2)
        application.settings.maintenanceInterval = .milliseconds(50)
        let members = try [application.join("a"), application.join("b")]
        try application.runUntilAllRun()
        application.append(100)
        /// A member that has read further in its exchange partition than it has committed.
        func reader() -> SimulatedApplication.Member? {
            members.first { member in
                member.thread.status.tasks.flatMap(\.positions).contains { position in
                    let place = position.topicPartition
                    return place.topic == "app.exchange"
                        && position.next > application.committed(place.topic, place.partition) ?? 0
                }
            }
        }
        try application.run(until: { reader() != nil })
        let dying = try #require(reader(), "nobody has read the exchange")
        try application.run(rounds: 4)
        #expect(reader() === dying, "it has committed in between")
        application.crash(dying)
        try application.expectExactlyOnce()
    }

    @Test("R7: a failure to remove them is told, and hinders nothing")
    func removalFails() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.join("b")
        let fault = application.cluster.inject(
            LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "no"), into: .deleteRecords)
        application.append(40)
        try application.expectExactlyOnce()
        application.clock.advance(by: .seconds(30))
        try application.run(rounds: 3)
        #expect(application.cluster.timesFired(fault) == 1)
        #expect(member.events.has("failed"))
        application.append(40)
        try application.expectExactlyOnce()
    }

    @Test("R9: new partitions of an input are read from the earliest record, without a rebalance")
    func growth() throws {
        let application = SimulatedApplication(partitions: 2, inputPartitions: 3)
        let members = try [application.join("a"), application.join("b")]
        application.append(60)
        try application.expectExactlyOnce()
        let rebalances = application.cluster.counters.rebalances
        application.cluster.addPartitions(to: LedgerTopology.source, total: 6)
        application.append(120)
        try application.run(rounds: 40)
        #expect(application.audit.applied.keys.allSatisfy { $0 < "3" }, "not 30 s yet")
        application.clock.advance(by: .seconds(30))
        try application.expectExactlyOnce()
        #expect(application.cluster.counters.rebalances == rebalances)
        #expect(members.map { $0.events.count("partitionsAdded(topic: \"a.in\", count: 6)") } == [1, 1])
    }

    @Test("R9: a new partition goes on where it was when its task moves to members that have not seen it yet")
    func growthUnseen() throws {
        let application = SimulatedApplication(partitions: 1, inputPartitions: 1)
        let first = try application.join("a")
        try application.runUntilAllRun()
        application.cluster.addPartitions(to: LedgerTopology.source, total: 2)
        application.append(40)
        application.clock.advance(by: .seconds(30))
        try application.expectExactlyOnce()
        application.leave(first)
        application.cluster.expireOffsets("app")
        let second = try application.join("b", sourcePartitions: [1])
        application.append(40)
        try application.run(until: { (application.committed(LedgerTopology.source, 0) ?? 0) == 40 })
        #expect(second.events.has("running") && !second.events.has("partitionsAdded"))
        application.leave(second)
        application.cluster.expireOffsets("app")
        let third = try application.join("c", sourcePartitions: [1])
        try application.runUntilAllRun()
        application.clock.advance(by: .seconds(30))
        try application.expectExactlyOnce()
        #expect(third.events.count("partitionsAdded") == 1)
    }

    @Test("R9: a failure to read the partition counts is told, and made good the next time")
    func growthUnanswered() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        application.cluster.addPartitions(to: LedgerTopology.source, total: 4)
        application.append(40)
        let fault = application.cluster.inject(broken, into: .describeTopics)
        for _ in 0..<2 {
            application.clock.advance(by: .seconds(30))
            try application.run(rounds: 4)
        }
        #expect(application.cluster.timesFired(fault) == 1)
        #expect(member.events.has("failed") && member.events.has("partitionsAdded"))
        try application.expectExactlyOnce()
    }

    @Test("R11: the internal topics take every record that an input takes, with what is known of it")
    func sizes() throws {
        let cluster = MemoryCluster()
        cluster.createTopic("a.in", partitions: 2)
        for output in LedgerTopology.topology.outputs { cluster.createTopic(output, partitions: 1) }
        let topics = InternalTopics(applicationId: "app")
        _ = try topics.prepare(for: LedgerTopology.topology, with: try cluster.makeAdmin(), requests: .blocking())
        let names = ["a.in", topics.exchange, topics.state]
        let found = try cluster.makeAdmin().describeTopics(names, timeout: .zero)
        let limits = names.compactMap { found[$0]?.settings["max.message.bytes"].flatMap { Int($0) } }
        #expect(limits[1] >= limits[0] + 64 << 10 && limits[2] >= limits[0] + 64 << 10)
    }

    @Test(
        "R11: a record that the broker refuses for its size ends the thread by name, instead of going round for ever",
        arguments: ["app.exchange", "app.state", "applied"])
    func refusedForItsSize(topic: String) throws {
        let application = SimulatedApplication()
        let members = try [application.join("a"), application.join("b")]
        try application.runUntilAllRun()
        application.cluster.alter(topic, "max.message.bytes", to: "300")
        let key = String(repeating: "k", count: 1000)
        let elsewhere = Murmur2.partition(of: key, partitions: 2).advanced(by: 1) % 2
        // What is not at home goes through the exchange.
        application.cluster.append(LedgerTopology.source, elsewhere, key: key, value: "x")
        let failure = #expect(throws: StreamFailure.self) { try application.run(rounds: 60) }
        guard case .refused(let remedy)? = failure?.kind else {
            Issue.record("no refusal: \(String(describing: failure))")
            return
        }
        let text = failure?.description ?? ""
        #expect(text.contains("too large for \(topic), which takes at most 300"), "\(text)")
        #expect(text.contains("with the key ") && text.contains("kkkk…") && text.utf8.count < 2000, "\(text)")
        #expect(remedy.contains("max.message.bytes of \(topic)"), "\(remedy)")
        #expect(members.map { $0.events.count("aborted(") }.reduce(0, +) == 1)
        #expect(!members.contains { $0.events.has("producerReplaced") })
        let isForwarded = (application.committed(LedgerTopology.source, elsewhere) ?? 0) > 0
        #expect(isForwarded == (topic != "app.exchange"))
        #expect(application.audit.appliedCount == 0)
        // The limit is raised, and nothing was lost.
        application.cluster.alter(topic, "max.message.bytes", to: "1048588")
        for member in members { application.leave(member) }
        try application.join("c")
        try application.expectExactlyOnce()
    }

    private static let invalid = LogError(.invalidRecord, name: "INVALID_RECORD", "no key in a compacted topic")
    private static let forbidden = LogError(.notAuthorised, name: "TOPIC_AUTHORIZATION_FAILED", "not authorized")

    @Test(
        "R11: a refusal that lasts ends the thread after five transactions in a row, instead of going round for ever",
        arguments: [invalid, forbidden])
    func lastingRefusal(refusal: LogError) throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        try application.runUntilAllRun()
        try application.run(rounds: 20)
        application.cluster.inject(.abortable(refusal), into: .commit, times: 1_000)
        application.append(20)
        let began = application.clock.now
        var seen: [Int] = []
        let failure = #expect(throws: StreamFailure.self) {
            for _ in 0..<1_200 {
                try application.round()
                let status = member.thread.status
                if status.refusals != seen.last { seen.append(status.refusals) }
                #expect((status.refusal != nil) == (status.refusals > 0))
            }
        }
        #expect(failure?.description.contains(refusal.name) == true, "\(String(describing: failure))")
        // Pauses of 1, 2, 4 and 8 s, so that somebody sees that a permission is missing and may give it.
        let isPaused = application.clock.now - began > .seconds(14)
        #expect(seen == [0, 1, 2, 3, 4] && isPaused == (refusal.code == .notAuthorised))
        #expect(member.events.count("aborted(") == application.settings.failuresMax)
        #expect(application.audit.appliedCount == 0)
    }

    @Test("R11: a refusal that passes before that hinders nothing")
    func passingRefusal() throws {
        let application = SimulatedApplication()
        application.settings.refusalMemory = .seconds(1)
        try application.join("a")
        try application.runUntilAllRun()
        for _ in 0..<3 {
            application.clock.advance(by: .seconds(2))
            let fault = application.cluster.inject(
                .abortable(Self.invalid), into: .commit, times: application.settings.failuresMax - 1)
            application.append(20)
            try application.expectExactlyOnce()
            #expect(application.cluster.timesFired(fault) == application.settings.failuresMax - 1)
        }
    }

    @Test("an output that is deleted while it is written to is named once, waited for and not counted; nothing is lost")
    func outputDeleted() throws {
        let application = SimulatedApplication()
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        application.cluster.deleteTopic(LedgerTopology.violations)
        application.cluster.deleteTopic(LedgerTopology.applied)
        let before = Set(application.inputs)
        application.append(40)
        for _ in 0..<400 { try application.round(pause: .milliseconds(100)) }
        let missing = member.events.texts.filter { $0.hasPrefix("topicsMissing") }
        #expect(missing.count == 1, "\(missing)")
        #expect(missing.allSatisfy { $0.contains(LedgerTopology.applied) && $0.contains(LedgerTopology.violations) })
        let last = try #require(member.thread.lastProgress)
        #expect(SteppingClock(application.clock, tick: .zero).monotonic() - last > .seconds(20), "it looks well")
        let outputs = Set([LedgerTopology.applied, LedgerTopology.violations])
        #expect(Set(member.thread.status.missingTopics) == outputs)
        for topic in [LedgerTopology.applied, LedgerTopology.violations] {
            application.cluster.createTopic(topic, partitions: application.partitions)
        }
        let later = application.inputs.filter { !before.contains($0) }
        #expect(later.count >= 40)
        func isBack() -> Bool { later.allSatisfy { application.audit.applied[$0] == 1 } }
        try application.run(until: isBack)
        #expect(isBack() && member.thread.status.missingTopics.isEmpty, "\(member.events.texts.suffix(6))")
    }

    @Test("a broker that leads an output and is away is waited for and not counted, though the coordinator answers")
    func leaderAway() throws {
        let application = SimulatedApplication()
        application.settings.failuresMax = 2
        let member = try application.join("a", tick: .milliseconds(20))
        application.append(40)
        try application.expectExactlyOnce()
        let away = LogError(.timedOut, name: "_TIMED_OUT", "records are not acknowledged", isRetriable: true)
        application.cluster.inject(.retriable(away), into: .commit, times: 1_000_000)
        application.append(40)
        // Each time the producer is replaced, its id is initialised, and all topics are there.
        try application.run(until: { member.events.count("producerReplaced") > 4 })
        #expect(member.events.count("producerReplaced") > 4, "\(member.events.texts.suffix(6))")
        application.cluster.cancelFaults()
        try application.expectExactlyOnce()
    }

    @Test("R13: the same transactional path runs on librdkafka's mock cluster")
    func mockCluster() async throws {
        let cluster = try MockCluster(settings: RdKafkaSettings(bootstrapServers: ""))
        let driven = DrivenApplication(cluster: cluster, partitions: 2)
        driven.settings.removesConsumedRecords = false
        try await driven.prepare()
        let member = try await driven.join("only")
        try await driven.append(200)
        let isDone = try await driven.eventuallyComplete(within: .seconds(60))
        #expect(isDone)
        try await member.leave()
        let audit = try await driven.audit()
        audit.expectExactlyOnce(inputs: driven.inputs)
        #expect(member.events.has("committed"))
    }
}
