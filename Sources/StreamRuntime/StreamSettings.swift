package import RecordLog
package import StreamCore
package import Tracing

/// How a stream thread runs. Relations between the values are checked when it is made.
package struct StreamSettings: Sendable {
    /// The consumer group, and the prefix of transactional ids and internal topics.
    package var applicationId: String
    /// The name by which the group knows this process again after a restart (KIP-345); `nil` stands for none. Of
    /// several threads each has a name of its own, the process's with `-1`, `-2` and so on.
    package var instance: String?
    package var exchangeTopic: String
    package var stateTopic: String
    package var commitInterval: Duration = .milliseconds(100)
    /// The commit interval while something waits that others may see, and fewer records than `urgentRecordsMax` came in
    /// since the last commit: who waits for a change waits for little else. It is also that of a run that ends, once
    /// all is read. `nil` stands for no interval of its own.
    package var visibleCommitInterval: Duration?
    package var urgentRecordsMax = 200
    /// The commit interval while so much comes in that committing it less often saves work: the changelog gets a key
    /// once per commit, and who is behind has no fresh result to wait for.
    package var backlogCommitInterval: Duration = .milliseconds(500)
    /// So many records within a commit interval are a backlog.
    package var backlogRecords = 10_000
    /// The commit interval while so many records or more are known to wait: of what follows from the records of one
    /// key in that time only the last is made.
    package var farBehindCommitInterval: Duration = .seconds(2)
    package var farBehindRecords = 50_000
    /// So long, while that lasts, nothing is made of what is in state and may wait for records that are still to be
    /// read.
    package var farBehindPatience: Duration = .seconds(5)
    /// After that one transaction flushes so many portions of it, and for so long, at the most.
    package var farBehindFlushPortions = 16
    package var farBehindFlushTime: Duration = .seconds(1)
    /// A transaction ends after so many portions of timers behind which more are due: timers fire fast, and what they
    /// make is written at the commit (R17).
    package var timerPortionsMax = 10
    /// `transaction.timeout.ms` of the producer.
    package var transactionTimeout: Duration = .seconds(10)
    /// `session.timeout.ms` of the consumer.
    package var sessionTimeout: Duration = .seconds(10)
    /// How long stable offsets are waited for before the dead owner's transaction is ended (R4).
    package var stableOffsetsTimeout: Duration = .milliseconds(300)
    /// How soon the same tasks are asked about again that cannot be taken over yet.
    package var roundInterval: Duration = .milliseconds(100)
    /// What a thread that has something to settle waits for at a time (R16); between such attempts it polls. So long it
    /// also waits for an answer that it can do without.
    package var attemptTimeout: Duration = .seconds(1)
    /// How long timers of a task that was taken over wait for what is to be read before (R17).
    package var restorePatience: Duration = .seconds(60)
    /// So many records of changelogs are read in an iteration while other tasks run.
    package var restorePortion = 2_000
    /// How often a restore says how far it has come.
    package var restoreReportInterval: Duration = .seconds(10)
    /// A partition that has records to read, and whose position has not moved for so long, is stalled.
    package var stallTimeout: Duration = .seconds(30)
    /// Any other question to the broker.
    package var callTimeout: Duration = .seconds(5)
    /// How often a thread that commits nothing asks whether the broker answers, and how long it waits for that. So long
    /// it also pauses after a question without an answer that it can do without.
    package var answerInterval: Duration = .seconds(5)
    package var answerTimeout: Duration = .seconds(2)
    /// How often a thread looks whether readers of the outputs stand still, and how often it asks who is in the group
    /// while they do (R15).
    package var standStillInterval: Duration = .seconds(2)
    package var membersInterval: Duration = .milliseconds(500)
    /// So many other processes keep a standby copy of each task: 0 to 15.
    package var standbyReplicas = 0
    /// How often a thread looks who is in the group, and so which copies it is to keep.
    package var standbyInterval: Duration = .seconds(5)
    /// How often a thread with an instance looks whether each task has an owner, and how long one may have none: longer
    /// than a session lasts.
    package var unownedInterval: Duration = .seconds(5)
    package var unownedGrace: Duration = .seconds(15)
    package var pollMaximum = 10_000
    /// The same while memory is short.
    package var shortPollMaximum = 2_000
    package var pollTimeoutMax: Duration = .milliseconds(100)
    /// How often partition counts are read anew (R9) and consumed exchange records are removed (R7).
    package var maintenanceInterval: Duration = .seconds(30)
    /// How soon positions are looked at again after something odd was read, and how often the records before them are
    /// compared if nothing was (R18).
    package var positionCheckInterval: Duration = .seconds(5)
    package var comparisonInterval: Duration = .seconds(300)
    /// How often all offsets are committed anew, moved or not (R5).
    package var offsetsRefreshInterval: Duration = .seconds(3600)
    /// So many failures of the producer in a row end the thread (R6).
    package var failuresMax = 5
    /// Refusals that last are counted together until none came for so long.
    package var refusalMemory: Duration = .seconds(120)
    /// How long a thread waits after the first refusal for a missing permission, before it tries again; twice as long
    /// after each further one, up to the maximum. A permission that is given back meanwhile costs nothing.
    package var refusalPause: Duration = .seconds(1)
    package var refusalPauseMax: Duration = .seconds(8)
    /// How long a thread that is to end waits for its first assignment (R12).
    package var leaveTimeout: Duration = .seconds(5)
    /// True if the exchange's consumed records are removed with DeleteRecords (R7).
    package var removesConsumedRecords = true
    /// Emitted bytes are handed to the producer before the commit when they are more than this.
    package var outputBytesMax = 1 << 20
    /// Returns true if somebody follows each thing that is done (`TaskContext.note`). Called in every iteration, on the
    /// stream's thread.
    package var isFollowed: @Sendable () -> Bool = { false }
    /// How what follows from the states of several tasks is derived.
    package var derivation: any Derivation = SerialDerivation()
    /// How short memory is.
    package var memory: any MemoryState = AmpleMemory()
    /// Gives the intervals that hold from now on; `nil` if they never change. Called in every iteration, on the
    /// stream's thread.
    package var liveIntervals: (@Sendable () -> StreamIntervals)?
    /// True if somebody asks how much the tasks hold (`StreamMeasures`): the look has its price, each second.
    package var measuresTasks = false
    /// Takes the spans of what is done; `nil` if nobody traces.
    package var tracer: Tracer?
    /// What is recorded of this program in the state.
    package var state = StateTerms()
    /// What is done if the state is not that of this program, of this cluster or of these topics (R18).
    package var misfits = MisfitPolicy()

    package init(applicationId: String, exchangeTopic: String, stateTopic: String) {
        self.applicationId = applicationId
        self.exchangeTopic = exchangeTopic
        self.stateTopic = stateTopic
    }

    /// The name of a thread's member of the group.
    ///
    /// - Parameters:
    ///   - index: from 0.
    ///   - threads: of the process.
    package func instance(ofThread index: Int, of threads: Int) -> String? {
        instance.map { threads == 1 ? $0 : "\($0)-\(index + 1)" }
    }

    /// What the client ids of a thread's handles begin with: the coordinator keeps the client id of a static member's
    /// first process (KIP-345), and an instance's name tells more than a random one.
    func clientId(ofThread name: String, instance: String?) -> String {
        "\(applicationId)-" + (instance.map { $0 + "-" } ?? "") + name
    }

    /// min(5 s, half the transaction time-out): what a revoke may take (R6).
    package var revokeTimeout: Duration { min(.seconds(5), transactionTimeout / 2) }
    /// After so long a transaction that holds offsets up, and whose owner is fenced, is none that somebody ends.
    package var unstableOffsetsPatience: Duration { transactionTimeout + .seconds(30) }

    /// After a transaction was seen open for so long, who has committed nothing meanwhile is taken for its owner (R15):
    /// readers wait for it since a look before, and a session and two seconds in all.
    var standStillPatience: Duration {
        let commit = max(commitInterval, liveIntervals?().commit ?? .zero)
        return max(sessionTimeout - .seconds(1), .seconds(3), commit * 3, farBehindInterval + farBehindFlush * 2)
    }

    var backlogInterval: Duration { max(commitInterval, backlogCommitInterval) }
    /// Leaves most of a transaction's time for its flush and its commit.
    var farBehindInterval: Duration { max(backlogInterval, min(farBehindCommitInterval, transactionTimeout / 4)) }

    var farBehindFlush: Duration { min(farBehindFlushTime, transactionTimeout / 8) }

    /// Takes over what may change while a thread runs.
    mutating func adoptIntervals() {
        guard let intervals = liveIntervals?() else { return }
        commitInterval = intervals.commit
        visibleCommitInterval = intervals.visibleCommit
        restorePatience = intervals.restorePatience
    }

    func check() {
        precondition(backlogCommitInterval < transactionTimeout, "A backlog is committed within a transaction, too.")
        precondition(farBehindFlushPortions > 0 && restorePortion > 0, "A flush has a portion, and so has a restore.")
        precondition((0...15).contains(standbyReplicas), "A task has 15 standby copies at most.")
        precondition(commitInterval < transactionTimeout, "A commit interval is shorter than a transaction may last.")
        precondition(stableOffsetsTimeout < transactionTimeout, "A dead owner is ended before its time-out.")
    }
}

/// The intervals of a stream thread that may change while it runs. As in `StreamSettings`; the commit interval is
/// shorter than a transaction may last.
package struct StreamIntervals: Hashable, Sendable {
    package var commit: Duration
    package var visibleCommit: Duration?
    package var restorePatience: Duration

    package init(commit: Duration, visibleCommit: Duration?, restorePatience: Duration) {
        self.commit = commit
        self.visibleCommit = visibleCommit
        self.restorePatience = restorePatience
    }
}

/// Time, injected. `wall` is what timelines count by; `monotonic` measures deadlines and never jumps.
package protocol StreamClock: Sendable {
    func wall() -> Instant
    /// Since some fixed moment.
    func monotonic() -> Duration
    /// Waits between two calls of the same kind; a simulation lets the time pass instead.
    func pause(_ duration: Duration)
}

extension StreamClock {
    package func pause(_ duration: Duration) { StreamRuntime.pause(duration) }
}
