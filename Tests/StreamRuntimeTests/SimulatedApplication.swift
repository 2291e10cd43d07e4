import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Testing

/// An application on a cluster in memory. Its members take turns on the test's own thread, one iteration each, and time
/// passes between the rounds only, so a test with the same calls runs the same way every time.
final class SimulatedApplication {
    let clock: ManualClock
    let cluster: MemoryCluster
    let partitions: Int32
    let topology: Topology
    var settings: StreamSettings
    private(set) var members: [Member] = []

    /// A stream thread with what it said, and the ports it uses.
    final class Member {
        let name: String
        let thread: StreamThread
        let ports: ObservedCluster
        let events: EventLog
        var clientId: String { "app-\(name)" }

        init(_ name: String, _ thread: StreamThread, _ ports: ObservedCluster, _ events: EventLog) {
            self.name = name
            self.thread = thread
            self.ports = ports
            self.events = events
        }

        var runningTasks: [Partition] { thread.status.tasks.filter { $0.state == .running }.map(\.partition) }
    }

    init(
        partitions: Int32 = 2, inputPartitions: Int32? = nil, topology: Topology = LedgerTopology.topology,
        outputSettings: [NewTopic.Setting] = [], clock: ManualClock = ManualClock(),
        transactionTimeout: Duration = .seconds(10)
    ) {
        self.clock = clock
        cluster = MemoryCluster(clock: clock, transactionTimeout: transactionTimeout)
        self.partitions = partitions
        self.topology = topology
        settings = StreamSettings(applicationId: "app", exchangeTopic: "app.exchange", stateTopic: "app.state")
        cluster.createTopic(
            settings.exchangeTopic, partitions: partitions, settings: [.init("cleanup.policy", "delete")])
        cluster.createTopic(settings.stateTopic, partitions: partitions, settings: [.init("cleanup.policy", "compact")])
        for source in Set(topology.sources.map(\.topic)).sorted() {
            cluster.createTopic(source, partitions: inputPartitions ?? partitions)
        }
        for output in topology.outputs {
            cluster.createTopic(output, partitions: partitions, settings: outputSettings)
        }
    }

    // MARK: - Members

    /// - Parameters:
    ///   - tick: what passes whenever the member looks at its clock: for deadlines inside one iteration.
    ///   - sourcePartitions: as the member found them when it started; nil: as they are.
    @discardableResult
    func join(
        _ name: String, tick: Duration = .zero, sourcePartitions: [Int32]? = nil,
        targets: [TopicPartition: Offset]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Member {
        try add(name, ObservedCluster(cluster), tick: tick, sourcePartitions: sourcePartitions, targets: targets)
    }

    /// A process with a stream thread of each name; they share what `SharedPorts` holds.
    func join(process names: [String]) throws -> [Member] {
        let ports = ObservedCluster(cluster)
        // One test thread takes all turns, so questions come one after the other.
        let shared = try SharedPorts(
            ports, settings: settings, clientId: "app-\(names[0])", users: names.count, background: InlineBackground())
        return try names.map { try add($0, ports, sharing: shared) }
    }

    private func add(
        _ name: String, _ ports: ObservedCluster, sharing shared: SharedPorts? = nil, tick: Duration = .zero,
        sourcePartitions: [Int32]? = nil, targets: [TopicPartition: Offset]? = nil
    ) throws -> Member {
        let events = EventLog()
        let counts = sourcePartitions ?? topology.sources.map { cluster.partitionCount(of: $0.topic) }
        let thread = try StreamThread(
            name: name, cluster: ports, topology: topology, settings: settings,
            clock: SteppingClock(clock, tick: tick), partitions: partitions, sourcePartitions: counts,
            targets: targets, ports: shared, observer: events.note)
        try thread.start()
        let member = Member(name, thread, ports, events)
        members.append(member)
        return member
    }

    /// In order: commits, gives up its tasks, leaves.
    func leave(_ member: Member) {
        members.removeAll { $0 === member }
        member.thread.close()
    }

    /// The process is gone, with all its threads; the group learns of it at once.
    func crash(_ member: Member) {
        let dead = members.filter { $0.ports === member.ports }
        members.removeAll { $0.ports === member.ports }
        member.ports.die(at: "anything")
        for thread in dead { cluster.expel(clientId: thread.clientId) }
    }

    /// The process ends inside its next call of this name, and the group learns of it.
    ///
    /// - Returns: the transactional ids whose transactions it left open.
    func crash(
        _ member: Member, at call: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        member.ports.die(at: call)
        let hasDied = try run(until: { member.ports.isDead }, dying: member)
        #expect(hasDied, "\(member.name) never called \(call)", sourceLocation: sourceLocation)
        let open = cluster.openTransactions
        crash(member)
        return open
    }

    // MARK: - Time

    /// One iteration of every member, then `pause`.
    func round(pause: Duration = .milliseconds(25), dying: Member? = nil) throws {
        for member in members {
            do throws(StreamFailure) {
                try member.thread.runOnce()
            } catch {
                // A dead process ends as it can: what it would have said is of no interest.
                if member.ports !== dying?.ports { throw error }
            }
        }
        clock.advance(by: pause)
    }

    func run(rounds: Int) throws {
        for _ in 0..<rounds { try round() }
    }

    /// - Returns: whether the condition held within so many rounds.
    @discardableResult
    func run(
        until condition: () -> Bool, within rounds: Int = 400, dying: Member? = nil
    ) throws -> Bool {
        for _ in 0..<rounds {
            if condition() { return true }
            try round(dying: dying)
        }
        return condition()
    }

    /// Until each task runs somewhere.
    func runUntilAllRun(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let allRun = try run(until: {
            members.flatMap(\.runningTasks).sorted() == Array(0..<Partition(partitions))
        })
        #expect(allRun, "\(members.map { ($0.name, $0.runningTasks) })", sourceLocation: sourceLocation)
    }

    // MARK: - Inputs and what came of them

    /// Writes records with keys of all tasks into every partition in turn: some arrive where they do not belong.
    func append(_ count: Int, keys: Int = 7) {
        let sources = cluster.partitionCount(of: LedgerTopology.source)
        for number in 0..<count {
            let partition = Partition(Int32(number) % sources)
            cluster.append(LedgerTopology.source, partition, key: "key-\((number / Int(sources)) % keys)", value: "x")
        }
    }

    var inputs: [String] { cluster.records(LedgerTopology.source).map { "\($0.partition)/\($0.offset)" } }

    var audit: LedgerAudit {
        LedgerAudit(
            applied: cluster.records(LedgerTopology.applied), violations: cluster.records(LedgerTopology.violations),
            changelog: cluster.records(settings.stateTopic))
    }

    /// Runs until every input has left its traces, and for some rounds longer, in which nothing may come twice.
    func expectExactlyOnce(
        _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let inputs = inputs
        for _ in 0..<100 where !audit.isComplete(inputs: inputs) { try run(rounds: 10) }
        try run(rounds: 20)
        audit.expectExactlyOnce(inputs: inputs, comment(), sourceLocation: sourceLocation)
    }

    /// What the group has committed for a partition; nil: nothing.
    func committed(_ topic: String, _ partition: Partition) -> Offset? {
        cluster.committedOffsets(of: "app")[TopicPartition(topic, partition)]?.next
    }
}
