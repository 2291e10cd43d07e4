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
        var before = AbandonedOwners.Answer()
        before.blocked = [Self.output: 0]
        known.note(before, askedAt: .zero)
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
        var known = AbandonedOwners.Knowledge(at: .zero)
        let first = try look("tideline-a", known)
        #expect(first.members?.count == 2)
        known.note(first, askedAt: .zero)
        members[1].0.close()
        let second = try look("tideline-a", known)
        #expect(second.members?.count == 1)
        #expect(second.vanished.isEmpty && second.ended.isEmpty)
    }

    @Test("who passes through the group takes no thread's turn to look for owners that are gone")
    func takesNoTurn() throws {
        let blocker = try block()
        defer { blocker.destroy() }
        let threads = ["tideline-a", "tideline-b", "tideline-c", "tideline-z"]
        let members = try (threads + [UnownedTasks.clientId]).map(join)
        // Four act at their first look.
        #expect(try look("tideline-z", .init(at: .zero)).settled == [])
        for member in members { member.0.close() }
    }

    // MARK: - While the group makes a new assignment

    private func member(_ name: String, _ tasks: [Partition]?) -> GroupMember {
        GroupMember(
            memberId: name, clientId: "tideline-\(name)", instance: name,
            assigned: tasks?.map { TopicPartition("exchange", $0) })
    }

    @Test("while the group makes a new assignment nobody knows which tasks have no owner")
    func unknown() {
        let question = UnownedTasks(
            exchange: "exchange", partitions: 3, instance: "a", known: .init(), now: .zero)
        #expect(question.tasks(without: [member("a", [0]), member("b", [2])]) == [1])
        #expect(question.tasks(without: [member("a", [0, 1, 2]), member("b", [])]) == [])
        #expect(question.tasks(without: [member("a", nil), member("b", nil)]) == nil)
    }

    @Test("after a new assignment a task without an owner has its whole time of grace again")
    func graceBeginsAnew() throws {
        let application = SimulatedApplication()
        let thread = try application.join("a").thread
        application.clock.advance(by: .seconds(1))
        thread.use(UnownedTasks.Answer(tasks: [1]))
        let first = thread.unowned.since
        application.clock.advance(by: .seconds(20))
        thread.use(UnownedTasks.Answer(tasks: [1]))
        #expect(thread.unowned.since == first, "it is the same task still")
        let failure = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)
        thread.use(UnownedTasks.Answer(tasks: nil, failure: failure))
        thread.use(UnownedTasks.Answer(tasks: [1]))
        #expect(thread.unowned.since == first, "no answer says nothing")
        thread.use(UnownedTasks.Answer(tasks: nil))
        application.clock.advance(by: .seconds(5))
        thread.use(UnownedTasks.Answer(tasks: [1]))
        #expect(thread.unowned.since == first + .seconds(25))
    }
}
