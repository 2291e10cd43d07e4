package import RecordLog
package import StreamCore
import Tracing

/// One stream thread: a group consumer, a transactional producer and the tasks of its partitions. Not Sendable: all
/// calls are made on one OS thread, where they block; `stop` flags and clocks are injected.
package final class StreamThread {
    let cluster: any Cluster
    let topology: Topology
    var settings: StreamSettings
    let clock: any StreamClock
    let observer: StreamObserver
    /// What is known of owners that the group has struck off.
    var abandoned = AbandonedOwners.Knowledge()
    var unowned = UnownedTasks.Knowledge()
    /// They are looked for as soon as the thread has come.
    var hasLookedForMembers = false
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
    /// What it shares with the other threads of its application.
    let ports: SharedPorts
    /// Reads changelogs, read_committed.
    let restorer: ChangelogReader
    /// Asks for what taking over needs, for ends and for members.
    let inquiry: BrokerInquiry
    /// The name of the thread's member of the group; `nil` stands for none.
    let instance: String?
    let standbys: StandbyTasks
    var lastStandbyLook: Duration
    /// The tasks of the last round of taking over, by their serials, and when it was asked.
    var lastRound: (serials: Set<Int>, at: Duration) = ([], .zero)
    var producer: any TransactionalProducer
    var admin: any Admin { ports.admin }

    var tasks: [Partition: TaskRuntime] = [:]
    /// Partition counts of the sources, by source.
    var sourcePartitions: [Int32]
    var cursors: [TopicPartition: PartitionCursor] = [:]
    /// By the consumer's topic index, then partition: for the hot path; made from `cursors` when asked for.
    var cursorTable: [[PartitionCursor?]] = []

    /// See `ThreadState`; changed by `enter` alone, but for what belongs to a state.
    var state = ThreadState.initialising
    /// How often each of `ThreadState.transitions` was gone.
    var stepCounts = Array(repeating: 0, count: ThreadState.transitions.count)
    /// The number of the last commit that was tried; in its claims (R15).
    var commitNumber: Int64 = 0
    /// See `TaskRuntime.serial`.
    var lastSerial = 0
    /// Exchange partitions whose claims could not be read, each told once.
    var unreadableClaims: Set<TopicPartition> = []
    /// A flush left work for the next transaction (R17).
    var hasMoreToFlush = false
    /// The portions of timers since the last commit behind which more were due.
    var leftTimerPortions = 0
    var exchangeOutputs = OutputBuffer()
    /// Tasks to which this transaction sent through the exchange.
    var sentThroughExchange: Set<Partition> = []
    var localMessages: [LocalMessage] = []
    /// The ends of exchange partitions were asked for in this iteration.
    var hasAskedForBarriers = false
    /// Until then they are not asked for again: the last question had no answer.
    var barriersPausedUntil = Duration.zero
    var lastCommit: Duration
    var recordsSinceCommit = 0
    var lastMaintenance: Duration
    var lastOffsetsRefresh: Duration
    var failuresInARow = 0
    var refusals = Refusals()
    var wasEverAssigned = false
    /// True while a rebalance callback commits.
    var isInCallback = false
    private(set) var isReleasingHeld = false
    /// True if a commit has released what was held since.
    var hasReleasedHeld = false
    /// A failure inside a rebalance callback, thrown by the iteration that polled.
    var pendingFailure: StreamFailure?
    var committedCounters = TaskCounters()
    var commitsCount = 0
    /// Commits that held more than claims.
    var advancingCommitsCount = 0
    var abortsCount = 0
    var measures = StreamMeasures()
    /// The trim of caches that was done last (`MemoryState.trimCount`).
    var seenTrims = 0
    /// The spans of the open transaction; `nil` if nobody traces.
    let trace: WorkTrace?
    var lastMeasured: Duration?
    var lastCommitted: Duration?
    /// See `StreamProgress`.
    var progress = StreamProgress()
    var lastObserved = Duration.zero
    /// When the broker was last asked whether it answers.
    var lastAsked: Duration
    var lastAnswer: Duration?
    var isUnanswered = false
    var abortsWhenWatched = 0
    /// The watches over the partitions of this thread's tasks. They stay when a task is taken over anew.
    var stallWatches: [TopicPartition: StallWatch] = [:]
    var hasSubscribed = false

    /// Compares the records before positions; made when there is one to compare.
    var comparer: PositionComparer?
    /// Positions that were not gone on from, since the thread began.
    var lostPositions = 0
    /// When the ends of the inputs, and the records before the positions, were last looked at.
    var lastPositionCheck: Duration
    var lastComparison: Duration
    /// Something was read that makes one of the two worth another look.
    var (areEndsSuspect, areRecordsSuspect) = (false, false)

    struct LocalMessage {
        var partition: Partition
        var envelope: [UInt8]
    }

    /// - Parameters:
    ///   - name: makes the transactional id unique, and is kept for as long as the thread lives (R4).
    ///   - instance: the name of the thread's member of the group; `nil` stands for none.
    ///   - partitions: of the exchange and the changelog, which exist.
    ///   - sourcePartitions: by source of the topology.
    ///   - ports: what its application's threads share, of which it is one user; `nil` makes some for it alone.
    ///   - background: where the ports that are made for it alone ask questions that may wait for brokers.
    package init(
        name: String, instance: String? = nil, cluster: any Cluster, topology: Topology, settings: StreamSettings,
        clock: any StreamClock, partitions: Int32, sourcePartitions: [Int32],
        targets: [TopicPartition: Offset]? = nil,
        ports: SharedPorts? = nil, background: any Background = InlineBackground(),
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
        self.instance = instance
        let id = settings.clientId(ofThread: name, instance: instance)
        trace = settings.makeTrace(clientId: id)
        consumer = try cluster.makeMember(of: settings.applicationId, instance: instance, clientId: id)
        self.ports =
            if let ports { ports } else {
                try SharedPorts(cluster, settings: settings, clientId: id, background: background)
            }
        standbys = StandbyTasks(changelog: settings.stateTopic) { () throws(LogError) in
            try cluster.makeConsumer(group: nil, isolation: .readCommitted, clientId: "\(id)-standby")
        }
        restorer = self.ports.restorer.makeReader()
        inquiry = BrokerInquiry(self.ports)
        producer = try cluster.makeTransactionalProducer(transactionalId: id, clientId: id)
        let now = clock.monotonic()
        lastCommit = now
        lastMaintenance = now
        lastOffsetsRefresh = now
        lastAsked = now
        lastStandbyLook = now
        // Taking over comes first.
        abandoned.lastAsked = now
        lastPositionCheck = now
        lastComparison = now
    }

    /// From now on every commit releases what waits for a time that will not come (`HoldingProcessor.releaseHeld`).
    package func releaseHeld() { isReleasingHeld = true }

    /// One iteration: settle what is owed, read the clock, poll, restore, process, punctuate, commit.
    ///
    /// - Throws: when the producer failed too often in a row (R6); everything else is recovered from.
    package func runOnce() throws(StreamFailure) {
        try settle()
        guard state.mayProcess, !isPausing else { return try serveRebalances() }
        hasAskedForBarriers = false
        let now = readClock()
        seekWhereNeeded()
        let pollBegan = trace?.now()
        let batch = consumer.poll(maximum: pollMaximum, timeout: pollTimeout(now: now))
        tracePoll(batch, since: pollBegan)
        try note(batch.failures)
        if batch.rebalanced { distrustKeptPartitions() }
        // A callback may have left something to settle: what was read is not used then.
        guard state.mayProcess else { return noteUnused(batch) }
        try restore()
        readStandbys()
        // A stalled task may have been let go just now: what was read belongs to what is settled first.
        guard state.mayProcess else { return noteUnused(batch) }
        if !batch.rebalanced { try tracedProcess(batch) }
        recordsSinceCommit += batch.records.count
        if state.mayProcess && !isNameless { punctuate() }
        if state.mayProcess && isCommitDue { commit() }
        trimWhereAsked()
        if state.mayProcess { beginClaimed() }
        if state.mayProcess { try maintain() }
        noteProgress()
    }

    /// What an iteration does while something is owed: rebalances go on, records wait (R16).
    private func serveRebalances() throws(StreamFailure) {
        willWait()
        let batch = consumer.poll(maximum: settings.pollMaximum, timeout: settings.pollTimeoutMax)
        try note(batch.failures)
        noteUnused(batch)
    }

    private func noteUnused(_ batch: borrowing ConsumedBatch) {
        if batch.rebalanced || !batch.records.isEmpty || !batch.ends.isEmpty { distrustKeptPartitions() }
        noteProgress()
    }

    private func note(_ failures: [LogError]) throws(StreamFailure) {
        if let pendingFailure { throw pendingFailure }
        for failure in failures {
            observer(.failed(failure, doing: "reading"))
            if failure.code == .unknownTopicOrPartition || failure.code == .offsetOutOfRange {
                areRecordsSuspect = true
            }
            // The handle is of no use any more; such as after another member of the same instance has joined.
            if failure.code == .fatal { throw StreamFailure("cannot read on: \(failure)") }
        }
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
}
