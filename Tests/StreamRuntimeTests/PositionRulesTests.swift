import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

@Suite("Positions: R1, R5, R10 and R20")
struct PositionRulesTests {
    @Test("R1: positions are the task's own: what a rebalance drops of kept partitions is read again")
    func droppedRecords() throws {
        let application = SimulatedApplication(partitions: 4)
        application.settings.pollMaximum = 5
        try application.join("a")
        try application.runUntilAllRun()
        application.append(400)
        try application.run(rounds: 3)
        let late = try application.join("b")
        try application.runUntilAllRun()
        application.append(400)
        try application.run(rounds: 3)
        application.leave(late)
        #expect(application.cluster.counters.recordsDropped > 0, "no rebalance dropped anything")
        try application.expectExactlyOnce()
    }

    @Test("R1: after an abort the same records are read again, with the state that was before them")
    func abort() throws {
        let application = SimulatedApplication()
        try application.join("a")
        application.append(50)
        try application.runUntilAllRun()
        let fault = application.cluster.inject(.abortable(broken), into: .sendOffsets, times: 2)
        application.append(50)
        try application.expectExactlyOnce()
        #expect(application.cluster.timesFired(fault) == 2)
        #expect(application.members[0].events.count("aborted") == 2)
        #expect(application.members[0].thread.status.aborts == 2)
    }

    @Test("R5: positions are state: nothing is read again or skipped after the group's offsets have expired")
    func expiredOffsets() throws {
        let application = SimulatedApplication(partitions: 2, inputPartitions: 4)
        let first = try application.join("a")
        application.append(100)
        try application.expectExactlyOnce()
        application.leave(first)
        #expect(application.committed(LedgerTopology.source, 3) != nil)
        application.cluster.expireOffsets("app")
        #expect(application.cluster.committedOffsets(of: "app") == [:])
        application.append(100)
        try application.join("b")
        try application.expectExactlyOnce()
    }

    @Test("R5: where neither state nor group knows a position, reading begins at the earliest record")
    func earliest() throws {
        let application = SimulatedApplication()
        application.append(40)
        try application.join("a")
        try application.expectExactlyOnce()
    }

    @Test("R5: where a state knows nothing of a partition, the committed offset counts; where there is none, see R18")
    func committedOffset() throws {
        let application = SimulatedApplication()
        application.append(40)
        // Another program of this group has read partition 0 up to offset 5.
        let producer = try application.cluster.makeTransactionalProducer(transactionalId: "other", clientId: "other")
        let other = try application.cluster.makeConsumer(group: "app", isolation: .readCommitted, clientId: "other")
        let listener = PassiveListener(other)
        try other.subscribe(to: "app.exchange", listener: listener)
        _ = other.poll(maximum: 1, timeout: .zero)
        try producer.initialise(timeout: .zero)
        try producer.begin()
        let place = TopicPartition(LedgerTopology.source, 0)
        try producer.sendOffsets(
            [(place, CommittedOffset(next: Offset(5), metadata: "other"))], group: try #require(other.groupMetadata()),
            timeout: .zero)
        try producer.commit(timeout: .zero)
        other.close()
        // A state that knows nothing of the inputs yet.
        for partition in 0..<2 as Range<Partition> {
            application.cluster.append(
                "app.state", partition, key: [0x84, 1], value: [3] + [UInt8](repeating: 0, count: 8))
        }
        try application.join("a")
        let inputs = application.inputs.filter { !(0..<5).map { "0/\($0)" }.contains($0) }
        try application.run(until: { application.audit.isComplete(inputs: inputs) })
        #expect(application.audit.applied.keys.sorted() == inputs.sorted())
    }

    @Test("R5: all offsets are committed anew every hour, moved or not")
    func refreshedOffsets() throws {
        let application = SimulatedApplication(partitions: 2, inputPartitions: 4)
        let member = try application.join("a")
        application.append(40)
        try application.expectExactlyOnce()
        member.ports.forgetCalls()
        application.clock.advance(by: .seconds(3_590))
        try application.run(rounds: 20)
        #expect(member.ports.calls("sendOffsets").isEmpty, "nothing to commit, and not an hour yet")
        application.clock.advance(by: .seconds(11))
        try application.run(rounds: 20)
        let all =
            (0..<4).map { TopicPartition(LedgerTopology.source, $0) }
            + (0..<2).map { TopicPartition("app.exchange", $0) }
        #expect(member.ports.calls("sendOffsets").map(\.partitions) == [all.sorted()])
        #expect(member.ports.calls("commit").count == 1)
    }

    @Test("a position that the topic no longer holds is told, and reading goes on at the earliest record")
    func outOfRange() throws {
        let application = SimulatedApplication()
        let first = try application.join("a")
        application.append(20)
        try application.expectExactlyOnce()
        application.leave(first)
        application.append(40)
        let place = TopicPartition(LedgerTopology.source, 0)
        let admin = try application.cluster.makeAdmin()
        try admin.deleteRecords(before: [(place, Offset(15))], timeout: .zero)
        let second = try application.join("b")
        let inputs = application.inputs
        try application.run(until: { application.audit.isComplete(inputs: inputs) })
        #expect(second.events.count("positionOutOfRange") == 1)
        #expect(application.audit.appliedOnce)
        #expect(application.audit.applied["0/14"] == nil && application.audit.applied["0/15"] == 1)
    }

    @Test("R10: positions move over transaction markers, so that no lag stays behind")
    func markers() throws {
        let application = SimulatedApplication()
        let members = try [application.join("a"), application.join("b")]
        try application.runUntilAllRun()
        let producer = try application.cluster.makeTransactionalProducer(transactionalId: "input", clientId: "input")
        try producer.initialise(timeout: .zero)
        for outcome in ["commit", "abort"] {
            try producer.begin()
            for partition in 0..<2 as Range<Partition> {
                try producer.produce(
                    topic: LedgerTopology.source, partition: partition, key: nil, value: nil, headers: [])
            }
            if outcome == "commit" { try producer.commit(timeout: .zero) } else { try producer.abort(timeout: .zero) }
        }
        application.append(8)
        try application.run(rounds: 40)
        let admin = try application.cluster.makeAdmin()
        let places = [0, 1].flatMap {
            [TopicPartition(LedgerTopology.source, $0), TopicPartition(application.settings.exchangeTopic, $0)]
        }
        let ends = try admin.endOffsets(of: places, isolation: .readUncommitted, timeout: .zero)
        for place in places {
            #expect(ends[place]!.rawValue > 0, "\(place) was not used")
            #expect(application.committed(place.topic, place.partition) == ends[place], "\(place)")
        }
        for member in members { member.ports.forgetCalls() }
        try application.run(rounds: 40)
        #expect(members.flatMap { $0.ports.calls("commit") }.isEmpty, "commits beget commits")
    }

    @Test("R20: a task's partitions are read from its positions on, and from no place that a broker is asked for")
    func knownPlaces() throws {
        let application = SimulatedApplication(partitions: 4)
        let first = try application.join("a")
        application.append(100)
        try application.runUntilAllRun()
        let second = try application.join("b")
        application.append(100)
        try application.runUntilAllRun()
        // Its tasks are taken over anew, too.
        application.cluster.inject(.retriable(broken), into: .commit, times: 1)
        try application.expectExactlyOnce()
        for member in [first, second] {
            let inputs: Set = [application.settings.exchangeTopic, LedgerTopology.source]
            let starts = member.ports.calls("incrementalAssign").flatMap { zip($0.partitions, $0.starts) }
                .filter { inputs.contains($0.0.topic) }.map(\.1)
            #expect(starts.count >= 4)
            #expect(starts.allSatisfy { $0 != .latest && $0 != .earliest })
        }
    }
}

let broken = LogError(.other, name: "_BROKEN", "broken by the test")

/// Does what a listener must.
final class PassiveListener: RebalanceListener {
    private let consumer: any Consumer

    init(_ consumer: any Consumer) {
        self.consumer = consumer
    }

    func assigned(_ partitions: [TopicPartition]) {
        #expect(throws: Never.self) { try consumer.incrementalAssign(partitions.map { ($0, .latest) }) }
    }

    func revoked(_ partitions: [TopicPartition]) {
        #expect(throws: Never.self) { try consumer.incrementalUnassign(partitions) }
    }

    func lost(_ partitions: [TopicPartition]) { revoked(partitions) }
}
