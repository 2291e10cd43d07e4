import RdKafka
import RecordLog
import Simulation
import StreamCore
import StreamRuntime
import Synchronization
import TestSupport
import Testing

/// What an application can run on.
enum ClusterKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, kafka

    var testDescription: String { rawValue }

    /// An application with topics of its own, made.
    func application(partitions: Int32, inputPartitions: Int32? = nil) async throws -> DrivenApplication {
        let application =
            switch self {
            case .memory: DrivenApplication(cluster: MemoryCluster(), partitions: inputPartitions ?? partitions)
            case .kafka:
                DrivenApplication(
                    broker: try await TestBroker.shared().bootstrap, partitions: inputPartitions ?? partitions)
            }
        try await application.prepare(partitions: partitions)
        return application
    }
}

/// An application of `LedgerTopology` on any cluster, each member on a thread of its own, in real time.
final class DrivenApplication: Sendable {
    let cluster: any Cluster
    let topology: Topology
    /// Of the source.
    let partitions: Int32
    private let name: String
    private let state: Mutex<State>

    private struct State {
        var settings: StreamSettings
        var layout: InternalTopics.Layout?
        /// By partition of the source: records written.
        var appended: [Int64]
    }

    init(cluster: any Cluster, partitions: Int32) {
        self.cluster = cluster
        self.partitions = partitions
        name = uniqueName("ledger")
        topology = LedgerTopology.named(name + ".")
        let settings = StreamSettings(
            applicationId: name, exchangeTopic: name + ".exchange", stateTopic: name + ".state")
        state = Mutex(State(settings: settings, appended: Array(repeating: 0, count: Int(partitions))))
    }

    /// On a real broker, with the shortest session time-out that brokers allow: a member that died is missed sooner.
    convenience init(broker: String, partitions: Int32) {
        let settings = RdKafkaSettings(bootstrapServers: broker, properties: ["session.timeout.ms": "6000"])
        self.init(cluster: RdKafkaCluster(settings), partitions: partitions)
    }

    var settings: StreamSettings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    // MARK: - Topics

    /// - Parameters:
    ///   - tasks: the partitions of the exchange and the changelog; nil: as many as the source has.
    ///   - outputSettings: of each output.
    func prepare(partitions tasks: Int32? = nil, outputSettings: [NewTopic.Setting] = []) async throws {
        let layout = try await onThread { [self] in
            let admin = try cluster.makeAdmin()
            defer { admin.close() }
            try admin.connect(timeout: .seconds(30))
            let internals = InternalTopics(applicationId: name)
            var topics = topology.outputs.map {
                NewTopic(name: $0, partitions: partitions, settings: outputSettings)
            }
            topics.append(NewTopic(name: topology.sources[0].topic, partitions: partitions))
            if let tasks {
                let keptForEver = [
                    NewTopic.Setting("cleanup.policy", "delete"), .init("retention.ms", "-1"),
                    .init("max.message.bytes", String(InternalTopics.recordBytesMax)),
                ]
                topics.append(NewTopic(name: internals.exchange, partitions: tasks, settings: keptForEver))
            }
            for topic in topics { try admin.createTopic(topic, timeout: .seconds(30)) }
            return try internals.prepare(for: topology, with: admin, requests: .blocking())
        }
        state.withLock { $0.layout = layout }
    }

    // MARK: - Members

    func join(_ name: String) async throws -> DrivenMember {
        let (settings, layout) = state.withLock { ($0.settings, $0.layout) }
        let interval: Duration = cluster is MemoryCluster ? .milliseconds(2) : .zero
        return DrivenMember(
            name, cluster: cluster, topology: topology, settings: settings, layout: try #require(layout),
            pause: interval)
    }

    /// A process with a stream thread of each name, as `tideline process` runs them.
    func start(_ names: [String], on cluster: any Cluster, _ events: EventLog) throws -> StreamApplication {
        let (settings, layout) = state.withLock { ($0.settings, $0.layout) }
        let clock: any StreamClock = self.cluster is MemoryCluster ? IteratingClock() : SystemClock()
        return StreamApplication(
            names: names, cluster: cluster, topology: topology, settings: settings, clock: clock,
            layout: try #require(layout), observer: events.note)
    }

    /// Lets the group miss a member that died: in memory at once, a broker waits for the session time-out.
    func expel(_ member: DrivenMember) {
        (cluster as? MemoryCluster)?.expel(clientId: "\(settings.applicationId)-\(member.name)")
    }

    /// Waits until a task, or all, run at these members.
    func eventuallyRunning(_ members: [DrivenMember], atLeast count: Int = 1) async -> Bool {
        await eventually(within: .seconds(180)) { members.allSatisfy { $0.events.count("running") >= count } }
    }

    // MARK: - Inputs

    /// Writes so many records to every partition, with keys that belong to all tasks.
    func append(_ count: Int, keys: Int = 13) async throws {
        try await onThread { [self] in try appendBlocking(count, keys: keys) }
    }

    /// As `append`, for a thread that must not wait for its turn meanwhile.
    func appendBlocking(_ count: Int, keys: Int = 13) throws {
        let producer = try cluster.makePlainProducer(clientId: "input")
        defer { producer.close() }
        for number in 0..<count { try appendRow(number, keys: keys, producer) }
        try producer.flush(timeout: .seconds(120))
    }

    /// Writes `rate` records a second to every partition until it is told to end.
    func append(rate: Int, until isOver: @escaping @Sendable () -> Bool) async throws {
        try await onThread { [self] in
            let producer = try cluster.makePlainProducer(clientId: "input")
            defer { producer.close() }
            let began = ContinuousClock.now
            var written = 0
            while !isOver() {
                let elapsed = (ContinuousClock.now - began) / .seconds(1)
                while written < Int(elapsed * Double(rate)) {
                    try appendRow(written, keys: 101, producer)
                    written += 1
                }
                pause(.milliseconds(10))
            }
            try producer.flush(timeout: .seconds(120))
        }
    }

    private func appendRow(_ number: Int, keys: Int, _ producer: any PlainProducer) throws {
        let key = Array("key-\(number % keys)".utf8)
        for partition in 0..<Partition(partitions) {
            try key.withUnsafeBytes {
                try producer.produce(
                    topic: topology.sources[0].topic, partition: partition, key: $0, value: $0, headers: [])
            }
            state.withLock { $0.appended[Int(partition)] += 1 }
        }
    }

    /// All that was written, as `partition/offset`: nobody else writes, so offsets have no holes.
    var inputs: [String] {
        let appended = state.withLock { $0.appended }
        return appended.indices.flatMap { partition in (0..<appended[partition]).map { "\(partition)/\($0)" } }
    }

    // MARK: - What came of them

    /// Waits until every input has left all its traces.
    func eventuallyComplete(within timeout: Duration) async throws -> Bool {
        let inputs = inputs
        return try await onThread { [self] in
            let reader = try LedgerReader(self)
            defer { reader.close() }
            let deadline = ContinuousClock.now + timeout
            while ContinuousClock.now < deadline {
                try reader.readToEnd(by: deadline)
                if reader.audit.isComplete(inputs: inputs) { return true }
                pause(.milliseconds(100))
            }
            return false
        }
    }

    /// All there is now.
    func audit() async throws -> LedgerAudit {
        try await onThread { [self] in
            let reader = try LedgerReader(self)
            defer { reader.close() }
            try reader.readToEnd(by: ContinuousClock.now + .seconds(180))
            return reader.audit
        }
    }
}
