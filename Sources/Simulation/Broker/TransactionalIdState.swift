import RecordLog

/// What the coordinator knows of one transactional id.
struct TransactionalIdState: Sendable {
    /// Rises with each `initialise` and each time-out; who has an older one is fenced.
    var epoch = 0
    var transaction: Transaction?
    /// How the last transaction of this epoch ended, so that a repeated request gets the same answer.
    var lastOutcome: Outcome?

    enum Outcome: Sendable { case commit, abort }

    struct Transaction: Sendable {
        var number: Int
        /// The time of its first record or offsets: `begin` is local to the client.
        var startedAt: Instant
        /// With the identity of each topic, for another one may get its name.
        var partitions: [TopicPartition: Int] = [:]
        /// By group.
        var offsets: [String: [TopicPartition: CommittedOffset]] = [:]
        /// Decided, but its markers are not written.
        var decision: Outcome?
        /// When the markers of what is decided are written; `nil` waits for somebody to let them.
        var markersAt: Instant?
        /// When that of the groups' offsets is, if before the others: each partition gets its own from its leader.
        var offsetMarkersAt: Instant?
    }
}
