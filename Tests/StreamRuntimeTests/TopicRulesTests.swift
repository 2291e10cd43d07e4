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
        _ = try topics.prepare(for: LedgerTopology.topology, with: try cluster.makeAdmin(), timeout: .zero)
        let names = ["a.in", topics.exchange, topics.state]
        let found = try cluster.makeAdmin().describeTopics(names, timeout: .zero)
        let limits = names.compactMap { found[$0]?.settings["max.message.bytes"].flatMap { Int($0) } }
        #expect(limits[1] >= limits[0] + 64 << 10 && limits[2] >= limits[0] + 64 << 10)
    }

    @Test("R11: a record that the broker refuses for its size goes round for ever, so sizes are checked before")
    func refusedForItsSize() throws {
        let application = SimulatedApplication(outputSettings: [.init("max.message.bytes", "10")])
        let member = try application.join("a")
        application.cluster.append(LedgerTopology.source, 0, key: "far longer than ten bytes", value: nil)
        try application.run(rounds: 60)
        #expect(member.events.count("aborted(") > 5)
        #expect(application.audit.appliedCount == 0)
        #expect(application.committed(LedgerTopology.source, 0) == 0)
        #expect(!member.events.has("producerReplaced"))
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
