/// How far a thread has come in joining its group, and what a rebalance callback leaves to the iteration.
struct GroupMembership {
    private(set) var hasSubscribed = false
    /// True once the group has given the thread tasks, or none.
    private(set) var wasEverAssigned = false
    /// False from when tasks were given up until the group assigns again, tasks or none: meanwhile they may be
    /// nobody's.
    /// librdkafka has a revocation followed by an assignment of none at once, so it is a loss that this tells of.
    private(set) var isSettled = false
    /// True while a rebalance callback commits: then nothing is asked (R16).
    private(set) var isInCallback = false
    /// A failure inside a rebalance callback, thrown by the iteration that polled.
    private(set) var failure: StreamFailure?

    /// True if the group was joined, and has not answered yet (R12).
    var awaitsAssignment: Bool { hasSubscribed && !wasEverAssigned }

    mutating func subscribe() { hasSubscribed = true }
    mutating func noteAssignment() { (wasEverAssigned, isSettled) = (true, true) }
    mutating func noteGivenUp() { isSettled = false }
    mutating func beginCallback() { isInCallback = true }
    mutating func endCallback() { isInCallback = false }

    /// What was assigned cannot be taken.
    mutating func refuse(_ failure: StreamFailure) { self.failure = failure }
}
