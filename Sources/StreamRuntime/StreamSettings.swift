package import RecordLog

/// How a stream thread runs. Relations between the values are checked when it is made.
package struct StreamSettings: Sendable {
    /// The consumer group, and the prefix of transactional ids and internal topics.
    package var applicationId: String
    package var exchangeTopic: String
    package var stateTopic: String
    package var commitInterval: Duration = .milliseconds(100)
    /// The commit interval while so much comes in that committing it less often saves work: the changelog gets a key
    /// once per commit, and who is behind has no fresh result to wait for.
    package var backlogCommitInterval: Duration = .milliseconds(500)
    /// So many records within a commit interval are a backlog.
    package var backlogRecords = 10_000
    /// `transaction.timeout.ms` of the producer.
    package var transactionTimeout: Duration = .seconds(10)
    /// How long stable offsets are waited for before the dead owner's transaction is ended (R4).
    package var stableOffsetsTimeout: Duration = .milliseconds(300)
    /// Any other question to the broker.
    package var callTimeout: Duration = .seconds(5)
    /// How often a thread that commits nothing asks whether the broker answers, and how long it waits for that.
    package var answerInterval: Duration = .seconds(5)
    package var answerTimeout: Duration = .seconds(2)
    package var pollMaximum = 10_000
    package var pollTimeoutMax: Duration = .milliseconds(100)
    /// How often partition counts are read anew (R9) and consumed exchange records are removed (R7).
    package var maintenanceInterval: Duration = .seconds(30)
    /// How often all offsets are committed anew, moved or not (R5).
    package var offsetsRefreshInterval: Duration = .seconds(3600)
    /// So many failures of the producer in a row end the thread (R6).
    package var failuresMax = 5
    /// How long a thread that is to end waits for its first assignment (R12).
    package var leaveTimeout: Duration = .seconds(5)
    /// True if the exchange's consumed records are removed with DeleteRecords (R7).
    package var removesConsumedRecords = true
    /// Emitted bytes are handed to the producer before the commit when they are more than this.
    package var outputBytesMax = 1 << 20

    package init(applicationId: String, exchangeTopic: String, stateTopic: String) {
        self.applicationId = applicationId
        self.exchangeTopic = exchangeTopic
        self.stateTopic = stateTopic
    }

    /// min(5 s, half the transaction time-out): what a revoke may take (R6).
    package var revokeTimeout: Duration { min(.seconds(5), transactionTimeout / 2) }

    func check() {
        precondition(backlogCommitInterval < transactionTimeout, "A backlog is committed within a transaction, too.")
        precondition(commitInterval < transactionTimeout, "A commit interval is shorter than a transaction may last.")
        precondition(stableOffsetsTimeout < transactionTimeout, "A dead owner is ended before its time-out.")
    }
}

/// Time, injected. `wall` is what timelines count by; `monotonic` measures deadlines and never jumps.
package protocol StreamClock: Sendable {
    func wall() -> Instant
    /// Since some fixed moment.
    func monotonic() -> Duration
}

/// Why a stream thread ended by itself.
package struct StreamFailure: Error, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
