import RecordLog
import Simulation
import Testing

@testable import StreamRuntime

/// The member that passes through the group so that it gives all tasks out anew.
@Suite("Tasks that nobody has")
struct UnownedTasksTests {
    /// The default name: what passes through the group must not look like a thread of any application.
    private static let application = "tideline"
    private static let output = TopicPartition("out", 0)

    private let clock = ManualClock()
    private let cluster: MemoryCluster
    private var settings = StreamSettings(
        applicationId: application, exchangeTopic: "exchange", stateTopic: "state")

    init() {
        cluster = MemoryCluster(clock: clock, transactionTimeout: .seconds(60))
        cluster.createTopic("exchange", partitions: 2)
        cluster.createTopic("out", partitions: 1)
    }

    private func join(_ clientId: String) throws -> (any Consumer, PassiveListener) {
        let consumer = try cluster.makeMember(of: Self.application, instance: nil, clientId: clientId)
        let listener = PassiveListener(consumer)
        try consumer.subscribe(to: "exchange", listener: listener)
        return (consumer, listener)
    }

    /// The answer to a thread that looks at an open transaction for the second time.
    private func look(_ thread: String, _ known: AbandonedOwners.Knowledge) throws -> AbandonedOwners.Answer {
        let ports = try BrokerInquiry.Ports(cluster: cluster, settings: settings, clientId: "test")
        defer { ports.close() }
        var known = known
        known.blocked = [Self.output: 0]
        return AbandonedOwners(
            transactionalId: thread, prefix: "\(Self.application)-", outputs: ["out"],
            places: [TopicPartition("exchange", 0)], known: known, now: .zero
        ).answer(ports)
    }

    /// Leaves a transaction open in the output.
    private func block() throws -> any TransactionalProducer {
        let producer = try cluster.makeTransactionalProducer(transactionalId: "foreign", clientId: "foreign")
        try producer.initialise(timeout: .zero)
        try producer.begin()
        try producer.produce(topic: "out", partition: 0, key: nil, value: nil, headers: [])
        return producer
    }

    @Test("who passed through the group left no transaction: nobody ends one of its name")
    func leavesNothing() throws {
        let blocker = try block()
        defer { blocker.destroy() }
        let members = try [join("tideline-a"), join(UnownedTasks.clientId)]
        var known = AbandonedOwners.Knowledge()
        let first = try look("tideline-a", known)
        #expect(first.members?.count == 2)
        known.lastMembers = first.members
        members[1].0.close()
        let second = try look("tideline-a", known)
        #expect(second.members?.count == 1)
        #expect(second.vanished.isEmpty && second.endedVanished.isEmpty)
    }

    @Test("who passes through the group takes no thread's turn to look for owners that are gone")
    func takesNoTurn() throws {
        let blocker = try block()
        defer { blocker.destroy() }
        let threads = ["tideline-a", "tideline-b", "tideline-c", "tideline-z"]
        let members = try (threads + [UnownedTasks.clientId]).map(join)
        // Four act at their first look.
        #expect(try look("tideline-z", .init()).settled == [])
        for member in members { member.0.close() }
    }
}
