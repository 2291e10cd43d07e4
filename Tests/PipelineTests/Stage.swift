import RecordLog
import StreamCore
import StreamRuntime

/// A cluster with stream threads on it, which a fixture drives.
protocol Stage: AnyObject {
    var cluster: any Cluster { get }

    /// Writes records as a producer does, in this order.
    func put(_ records: [InputSpec]) async throws

    /// Starts a stream thread; returns its number. Threads run, or are stepped, until they are stopped.
    func start(_ plan: ThreadPlan) async throws -> Int

    /// Lets a thread commit, leave the group and end.
    func stop(_ thread: Int) async throws

    /// Returns when nothing is left to read and to do until somebody writes, or the clock moves.
    func settle(_ plan: ThreadPlan) async throws

    /// What is committed in these topics, by topic, partition, offset.
    func committedRecords(_ topics: [String]) async throws -> [Record]

    /// Makes blocking calls to the cluster, off Swift's pool where they really block.
    func blocking<Result>(_ body: @escaping () throws -> Result) async throws -> Result

    /// What the threads have told.
    var events: StreamEvents { get }

    func close() async throws
}

/// A record that a test puts in; without a partition, where Java's partitioner puts its key.
struct InputSpec: Sendable {
    var topic: String
    var key: [UInt8]?
    var value: [UInt8]?
    var headers: [Header] = []
    var partition: Partition?
    /// `nil` stands for the fixture's clock in memory, and for the time on a broker; `noTimestamp` for none, in memory.
    var timestamp: Instant?
}

/// What a stream thread is made of.
struct ThreadPlan: Sendable {
    var topology: Topology
    var settings: StreamSettings
    var clock: FixtureClock
    var layout: InternalTopics.Layout
    var targets: [TopicPartition: Offset]?

    var inputs: [TopicPartition] {
        zip(topology.sources, layout.sourcePartitions).flatMap { source, count in
            (0..<Partition(count)).map { TopicPartition(source.topic, $0) }
        }
    }

    var exchange: [TopicPartition] {
        (0..<Partition(layout.partitions)).map { TopicPartition(settings.exchangeTopic, $0) }
    }

    func makeThread(_ number: Int, on cluster: any Cluster, _ events: StreamEvents) throws(LogError) -> StreamThread {
        try StreamThread(
            name: "thread-\(number)", cluster: cluster, topology: topology, settings: settings, clock: clock,
            partitions: layout.partitions, sourcePartitions: layout.sourcePartitions, targets: targets,
            observer: events.observer)
    }
}

/// Why a fixture cannot go on.
struct FixtureFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
