package import RecordLog
package import StreamCore

/// One stream thread: a group consumer, a transactional producer and the tasks of its partitions. Not Sendable: all
/// calls are made on one OS thread, where they block; `stop` flags and clocks are injected.
package final class StreamThread {
    let cluster: any Cluster
    let topology: Topology
    let settings: StreamSettings
    let clock: any StreamClock
    let observer: StreamObserver
    /// Called before the thread waits for a broker for long, so that its status is reported as it is by then.
    var willWait: () -> Void = {}
    /// Returns true if the thread is to end: then it waits no longer for a broker that does not answer.
    var shouldEnd: () -> Bool = { false }
    /// *P*, the exchange's partition count.
    let partitions: Int32
    /// The ends of the input partitions when a run began that ends once it has caught up; `nil` if the run goes on for
    /// ever.
    let targets: [TopicPartition: Offset]?

    /// Member of the group; reads exchange and inputs, read_committed.
    let consumer: any Consumer
    /// Reads changelogs, read_committed.
    let restorer: any Consumer
    /// Asks for ends and last claims, read_uncommitted (R2 and R4).
    let probe: any Consumer
    var producer: any TransactionalProducer
    let admin: any Admin

    var tasks: [Partition: TaskRuntime] = [:]
    /// Partition counts of the sources, by source.
    var sourcePartitions: [Int32]
    var cursors: [TopicPartition: PartitionCursor] = [:]
    /// By the consumer's topic index, then partition: for the hot path; made from `cursors` when asked for.
    var cursorTable: [[PartitionCursor?]] = []

    var isTransactionOpen = false
    var exchangeOutputs = OutputBuffer()
    /// Tasks to which this transaction sent through the exchange.
    var sentThroughExchange: Set<Partition> = []
    var localMessages: [LocalMessage] = []
    var lastCommit: Duration
    var recordsSinceCommit = 0
    var lastMaintenance: Duration
    var lastOffsetsRefresh: Duration
    var failuresInARow = 0
    var wasEverAssigned = false
    private(set) var isReleasingHeld = false
    /// True if a commit has released what was held since.
    var hasReleasedHeld = false
    /// A failure inside a rebalance callback, thrown by the iteration that polled.
    var pendingFailure: StreamFailure?
    var committedCounters = TaskCounters()
    var commitsCount = 0
    var abortsCount = 0
    var lastCommitted: Duration?
    /// See `StreamProgress`.
    var progress = StreamProgress()
    var lastObserved = Duration.zero
    /// When the broker was last asked whether it answers.
    var lastAsked: Duration
    var lastAnswer: Duration?
    var isUnanswered = false

    struct LocalMessage {
        var partition: Partition
        var envelope: [UInt8]
    }

    /// - Parameters:
    ///   - name: makes the transactional id unique, and is kept for as long as the thread lives (R4).
    ///   - partitions: of the exchange and the changelog, which exist.
    ///   - sourcePartitions: by source of the topology.
    package init(
        name: String, cluster: any Cluster, topology: Topology, settings: StreamSettings, clock: any StreamClock,
        partitions: Int32, sourcePartitions: [Int32], targets: [TopicPartition: Offset]? = nil,
        observer: @escaping StreamObserver = { _ in }
    ) throws(LogError) {
        settings.check()
        precondition(sourcePartitions.count == topology.sources.count, "Every source has a partition count.")
        precondition(partitions > 0, "There is a task.")
        self.cluster = cluster
        self.topology = topology
        self.settings = settings
        self.clock = clock
        self.partitions = partitions
        self.sourcePartitions = sourcePartitions
        self.targets = targets
        self.observer = observer
        let group = settings.applicationId
        consumer = try cluster.makeConsumer(group: group, isolation: .readCommitted, clientId: "\(group)-\(name)")
        restorer = try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: "\(group)-\(name)-restore")
        probe = try cluster.makeConsumer(group: group, isolation: .readUncommitted, clientId: "\(group)-\(name)-probe")
        producer = try cluster.makeTransactionalProducer(
            transactionalId: "\(group)-\(name)", clientId: "\(group)-\(name)")
        admin = try cluster.makeAdmin()
        let now = clock.monotonic()
        lastCommit = now
        lastMaintenance = now
        lastOffsetsRefresh = now
        lastAsked = now
    }

    /// Initialises the producer and joins the group. Call once, before the first iteration.
    package func start() throws(StreamFailure) {
        try initialiseProducer()
        do throws(LogError) {
            try consumer.subscribe(to: settings.exchangeTopic, listener: self)
        } catch {
            throw StreamFailure("cannot join the group: \(error)")
        }
    }

    /// From now on every commit releases what waits for a time that will not come (`HoldingProcessor.releaseHeld`).
    package func releaseHeld() { isReleasingHeld = true }

    /// One iteration: read the clock, poll, restore, process, punctuate, commit.
    ///
    /// - Throws: when the producer failed too often in a row (R6); everything else is recovered from.
    package func runOnce() throws(StreamFailure) {
        let now = readClock()
        seekWhereNeeded()
        let batch = consumer.poll(maximum: settings.pollMaximum, timeout: pollTimeout(now: now))
        if let pendingFailure { throw pendingFailure }
        if batch.rebalanced { distrustKeptPartitions() }
        for failure in batch.failures { observer(.failed(failure, doing: "reading")) }
        try restore()
        if !batch.rebalanced { try process(batch) }
        recordsSinceCommit += batch.records.count
        try punctuate()
        if clock.monotonic() - lastCommit >= commitInterval { try commit() }
        try maintain()
        noteProgress()
    }

    /// Commits what is done, leaves the group and ends. Nothing may be called afterwards.
    package func close() {
        // Closing before the first assignment can crash librdkafka 2.0.2 (R12).
        let deadline = clock.monotonic() + settings.leaveTimeout
        while !wasEverAssigned && clock.monotonic() < deadline {
            _ = consumer.poll(maximum: 1, timeout: settings.pollTimeoutMax)
        }
        do throws(StreamFailure) { try commit() } catch { observer(.failed(asLogError(error), doing: "leaving")) }
        consumer.close()
        producer.destroy()
        restorer.close()
        probe.close()
        admin.close()
    }

    /// The status of now; to be called on the stream's thread like everything else.
    package var status: StreamStatus { makeStatus() }

    /// In the order of their numbers, so that nothing depends on the order of a dictionary.
    var runningTasks: [TaskRuntime] {
        tasks.values.filter(\.isRunning).sorted { $0.task.partition < $1.task.partition }
    }

    func asLogError(_ failure: StreamFailure) -> LogError {
        LogError(.fatal, name: "_FATAL", failure.description)
    }

    private var commitInterval: Duration {
        guard recordsSinceCommit >= settings.backlogRecords else { return settings.commitInterval }
        return max(settings.commitInterval, settings.backlogCommitInterval)
    }

    private func pollTimeout(now: Instant) -> Duration {
        if tasks.values.contains(where: { !$0.isRunning }) || cursors.values.contains(where: \.needsSeek) {
            return .milliseconds(5)
        }
        var timeout = min(settings.pollTimeoutMax, commitInterval - (clock.monotonic() - lastCommit))
        for runtime in tasks.values {
            if let due = runtime.task.nextDue { timeout = min(timeout, Duration(due - now)) }
        }
        return max(timeout, .zero)
    }
}
