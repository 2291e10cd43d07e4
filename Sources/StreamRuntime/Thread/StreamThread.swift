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
    /// Called before the thread waits for a broker for long, so that its status is reported as it is by then.
    var willWait: () -> Void = {}
    /// Returns true if the thread is to end: then it waits no longer for a broker that does not answer.
    var shouldEnd: () -> Bool = { false }
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
    var producer: any TransactionalProducer
    var admin: any Admin { ports.admin }

    /// The spans of the open transaction; `nil` if nobody traces.
    let trace: WorkTrace?

    // All that changes while the thread runs. Each value changes by its own functions alone, and says there by which
    // rules.

    // Tasks, and what they read.
    var tasks = TaskTable()
    var layout: TaskLayout
    var cursors = PartitionCursors()
    var positionChecks: PositionChecks

    // The group, and taking over.
    var membership = GroupMembership()
    var rounds = TakeOverRounds()
    var restoreLoad = RestoreLoad()
    var abandoned: AbandonedOwners.Knowledge
    var unowned = UnownedTasks.Knowledge()

    // Transactions.
    var life = ThreadLife()
    var pace: CommitPace
    var outbox = ExchangeOutbox()
    var barrierQuestions = BarrierQuestions()
    var heldRelease = HeldRelease()
    var commitNumbers = CommitNumbers()
    var failures = FailureTally()
    var refusals = Refusals()

    // What is done now and then, and what is seen of the thread.
    var schedule: ThreadSchedule
    var watch = BrokerWatch()
    var counts = ThreadCounts()
    var measures = StreamMeasures()
    var progress = StreamProgress()

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
        self.cluster = cluster
        self.topology = topology
        self.settings = settings
        self.clock = clock
        layout = TaskLayout(
            exchange: settings.exchangeTopic, sources: topology.sources, partitions: partitions,
            counts: sourcePartitions)
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
        pace = CommitPace(at: now)
        schedule = ThreadSchedule(at: now)
        abandoned = AbandonedOwners.Knowledge(at: now)
        positionChecks = PositionChecks(at: now)
    }

    /// From now on every commit releases what waits for a time that will not come (`HoldingProcessor.releaseHeld`).
    package func releaseHeld() { heldRelease.ask() }

    /// One iteration: settle what is owed, read the clock, poll, restore, process, punctuate, commit.
    ///
    /// - Throws: when the producer failed too often in a row (R6); everything else is recovered from.
    package func runOnce() throws(StreamFailure) {
        try settle()
        guard state.mayProcess, !isPausing else { return try serveRebalances() }
        barrierQuestions.beginIteration()
        let now = readClock()
        seekWhereNeeded()
        let pollBegan = trace?.now()
        let batch = consumer.poll(maximum: pollMaximum, timeout: pollTimeout(now: now))
        tracePoll(batch, since: pollBegan)
        try note(batch.failures)
        if batch.rebalanced { cursors.distrust() }
        // A callback may have left something to settle: what was read is not used then.
        guard state.mayProcess else { return noteUnused(batch) }
        try restore()
        readStandbys()
        // A stalled task may have been let go just now: what was read belongs to what is settled first.
        guard state.mayProcess else { return noteUnused(batch) }
        if !batch.rebalanced { try tracedProcess(batch) }
        pace.note(records: batch.records.count)
        pace.note(isCatchingUp: isCatchingUp)
        if state.mayProcess && !tasks.areNameless { punctuate() }
        if state.mayProcess && isCommitDue { commit() }
        trimWhereAsked()
        if state.mayProcess { beginClaimed() }
        if state.mayProcess { try maintain() }
        askWhatIsDue()
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
        if batch.rebalanced || !batch.records.isEmpty || !batch.ends.isEmpty { cursors.distrust() }
        askWhatIsDue()
        noteProgress()
    }

    private func note(_ failures: [LogError]) throws(StreamFailure) {
        if let failure = membership.failure { throw failure }
        for failure in failures {
            observer(.failed(failure, doing: "reading"))
            if failure.code == .unknownTopicOrPartition || failure.code == .offsetOutOfRange {
                positionChecks.suspectRecords()
            }
            // The handle is of no use any more; such as after another member of the same instance has joined.
            if failure.code == .fatal { throw StreamFailure("cannot read on: \(failure)") }
        }
    }

    var state: ThreadState { life.state }

    /// *P*, the exchange's partition count.
    var partitions: Int32 { layout.partitions }

    /// Goes to another state of `ThreadState.transitions`.
    func enter(_ next: ThreadState) { life.enter(next) }

    /// The status of now; to be called on the stream's thread like everything else.
    package var status: StreamStatus { makeStatus() }

    func asLogError(_ failure: StreamFailure) -> LogError {
        LogError(.fatal, name: "_FATAL", failure.description)
    }
}
