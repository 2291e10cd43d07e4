import RdKafka
import RecordLog
import StreamCore
import StreamRuntime
import Synchronization
import TestSupport
import Testing

/// What only time and a real broker can show.
@Suite("Rules on a real broker")
struct RealBrokerRuleTests {
    @Test(
        """
        a member joins and leaves ten times under 1,000 records/s per partition: no input offset is missing and none \
        is applied twice (R1)
        """)
    func joiningAndLeavingUnderLoad() async throws {
        let application = try await ClusterKind.kafka.application(partitions: 4)
        let staying = try await application.join("staying")
        #expect(await application.eventuallyRunning([staying], atLeast: 4))
        let isOver = Mutex(false)
        // Ends by itself too, should the rest of the test end early.
        let deadline = ContinuousClock.now + .seconds(1_800)
        async let input: Void = application.append(rate: 1_000) {
            isOver.withLock { $0 } || ContinuousClock.now > deadline
        }
        do {
            defer { isOver.withLock { $0 = true } }
            for number in 0..<10 {
                let guest = try await application.join("guest-\(number)")
                #expect(await application.eventuallyRunning([guest]), "guest \(number) was given nothing")
                #expect(await eventually { guest.events.count("committed") >= 3 }, "guest \(number) did nothing")
                try await guest.leave()
                let isBack = await eventually(within: .seconds(180)) { staying.events.runningTasks.count == 4 }
                #expect(isBack, "guest \(number)'s tasks were not taken over")
            }
        }
        try await input
        #expect(staying.events.count("revoked") + staying.events.count("lost") >= 10)
        #expect(try await application.eventuallyComplete(within: .seconds(120)))
        try await staying.leave()
        let inputs = application.inputs
        #expect(inputs.count > 4 * 10_000, "only \(inputs.count) records: too short to show anything")
        try await application.audit().expectExactlyOnce(inputs: inputs, "\(staying.events.texts.suffix(20))")
    }

    @Test("a task that a static member gave up, and that nobody was given because it came back, finds its owner")
    func unowned() async throws {
        let application = try await ClusterKind.kafka.application(partitions: 2)
        application.settings.instance = "second"
        application.settings.unownedGrace = .seconds(3)
        application.settings.unownedInterval = .seconds(1)
        let group = application.settings.applicationId
        let exchange = application.settings.exchangeTopic
        let first = try await onThread { try StaticMember(application.cluster, of: group, exchange) }
        #expect(await eventually(within: .seconds(180)) { first.poll() == 2 })
        let events = EventLog()
        let second = try application.start(["only"], on: application.cluster, events)
        // By then the first one is told to give a task up, hears nothing of it, and dies.
        let isJoined = await eventually(within: .seconds(180)) { events.has("assigned([])") }
        #expect(isJoined, "\(events.texts)")
        // At once: its session is six seconds.
        let heir = try await onThread {
            first.consumer.close()
            return try StaticMember(application.cluster, of: group, exchange)
        }
        let isFound = await eventually(within: .seconds(180)) {
            _ = heir.poll()
            return events.has("unowned") && !events.runningTasks.isEmpty
        }
        #expect(isFound, "\(events.texts)")
        second.requestStop()
        try await onThread {
            heir.consumer.close()
            while !second.wait(.milliseconds(100)) {}
        }
    }

    @Test(
        """
        broker with offsets.retention.minutes=1 and offsets.retention.check.interval.ms=5000, two minutes of silence: \
        nothing is read again, nothing is skipped (R5)
        """)
    func expiredOffsets() async throws {
        guard try await TestBroker.shared().kind.takesProperties else {
            print("not shown on this broker, which takes no server properties: R5 with offsets.retention.minutes=1")
            return
        }
        let broker = try await TestBroker.dedicated(properties: [
            "offsets.retention.minutes": "1", "offsets.retention.check.interval.ms": "5000",
        ])
        let application = DrivenApplication(broker: broker.bootstrap, partitions: 2)
        try await application.prepare()
        let first = try await application.join("first")
        try await application.append(200)
        #expect(try await application.eventuallyComplete(within: .seconds(180)))
        #expect(try await committedInputs(application) == 2)

        // Silence: the group lives, but nobody subscribes to its inputs, so their offsets go.
        let haveExpired = try await eventually(within: .seconds(150), every: .seconds(2)) {
            try await committedInputs(application) == 0
        }
        #expect(haveExpired, "the broker has not expired the offsets: nothing was tested")
        let second = try await application.join("second")
        #expect(await application.eventuallyRunning([second]))
        try await first.leave()
        try await application.append(200)
        #expect(try await application.eventuallyComplete(within: .seconds(180)))
        try await second.leave()
        try await application.audit().expectExactlyOnce(inputs: application.inputs)
        try await broker.stop()
    }

    @Test("a record that a topic refuses for its size ends the member, with topic, key, size and limit (R11)")
    func refusedForItsSize() async throws {
        let application = DrivenApplication(broker: try await TestBroker.shared().bootstrap, partitions: 1)
        try await application.prepare(outputSettings: [.init("max.message.bytes", "100")])
        let member = try await application.join("only")
        // A batch of one fits, one of all does not.
        try await application.append(200)
        #expect(await eventually(within: .seconds(180)) { member.failure != nil })
        let failure = try #require(member.failure)
        let applied = application.topology.outputs[0]
        let text = failure.description
        #expect(text.contains("with the key key-"), "\(text)")
        #expect(text.contains("too large for \(applied), which takes at most 100"), "\(text)")
        guard case .refused = failure.kind else {
            Issue.record("it gave up: \(text)")
            return
        }
        #expect(member.events.count("aborted(") == 1, "\(member.events.texts)")
    }

    private func committedInputs(_ application: DrivenApplication) async throws -> Int {
        try await onThread {
            let reader = try application.cluster.makeConsumer(
                group: application.settings.applicationId, isolation: .readCommitted, clientId: "offsets")
            defer { reader.close() }
            let inputs = (0..<Partition(application.partitions)).map {
                TopicPartition(application.topology.sources[0].topic, $0)
            }
            return try reader.committed(inputs, timeout: .seconds(10)).count
        }
    }
}

/// A member of the group named "first" that takes what it is given; all calls are made one after the other.
private final class StaticMember: RebalanceListener, @unchecked Sendable {
    let consumer: any Consumer
    private var owned: Set<TopicPartition> = []

    init(_ cluster: any Cluster, of group: String, _ exchange: String) throws {
        consumer = try cluster.makeMember(of: group, instance: "first", clientId: "\(group)-first")
        try consumer.subscribe(to: exchange, listener: self)
    }

    /// - Returns: how many partitions it has.
    func poll() -> Int {
        _ = consumer.poll(maximum: 1, timeout: .milliseconds(10))
        return owned.count
    }

    func assigned(_ partitions: [TopicPartition]) {
        owned.formUnion(partitions)
        try? consumer.incrementalAssign(partitions.map { ($0, .latest) })
    }

    func revoked(_ partitions: [TopicPartition]) {
        owned.subtract(partitions)
        try? consumer.incrementalUnassign(partitions)
    }

    func lost(_ partitions: [TopicPartition]) { revoked(partitions) }
}
