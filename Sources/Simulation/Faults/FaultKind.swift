/// A kind of thing that goes wrong in a cluster. `MemoryCluster.happened` counts each.
///
/// The order of the cases is the order of the table of faults. A raw value is the kind's name in reports.
package enum FaultKind: String, CaseIterable, Hashable, Comparable, Sendable, CustomStringConvertible {
    // MARK: Calls

    /// A call takes so long, at most its time-out, and then does its work.
    case slowCall = "slow call"
    /// A call takes its whole time-out and has done nothing: the request was lost.
    case lostRequest = "lost request"
    /// A call takes its whole time-out and has done its work: the answer was lost.
    case lostAnswer = "lost answer"
    /// A call fails at once: no broker is reachable.
    case unreachable = "unreachable"
    /// What a thread asks in the background is asked and answered so much later.
    case lateInquiry = "late inquiry"

    // MARK: Processes

    /// A process dies in a call, before its effect or after it.
    case crash
    /// A process is stopped in a call for so long, before its effect or after it. It sends no heartbeats meanwhile,
    /// and goes on with its memory and its clients as they were.
    case pause

    // MARK: Groups

    /// The group of the calling process begins a new generation.
    case rebalance
    /// The group of the calling process begins two new generations, one right after the other.
    case rebalanceAgain = "rebalance back to back"
    /// The coordinator throws the calling process out of its group.
    case expulsion
    /// The group coordinator moves, and cannot be reached for so long. The members stay members.
    case groupCoordinatorMove = "group coordinator moves"
    /// The group coordinator loses the members of all groups: each of them has to join again.
    case groupForgotten = "group forgotten"

    // MARK: Producers

    /// A record, and those behind it, wait so long in the client before they are sent.
    case lateDelivery = "late delivery"
    /// A record is refused for good after so long. The client's next call says so, and only abort is left.
    case failedDelivery = "failed delivery"
    /// A record is given up by the client itself. Only the commit says so, and only abort is left.
    case expiredDelivery = "expired delivery"
    /// Records on their way are written so long after their producer was destroyed or has died.
    case survivingRequest = "request outlives producer"
    /// A commit or an abort reaches the coordinator so late; the client's call waits at most its time-out for it.
    case lateDecision = "late decision"
    /// A commit or an abort never reaches the coordinator, however often the call is repeated.
    case lostDecision = "lost decision"
    /// The markers of a transaction are written so long after its decision.
    case lateMarkers = "late markers"
    /// The transaction coordinator moves, and cannot be reached for so long.
    case transactionCoordinatorMove = "transaction coordinator moves"

    // MARK: What the owner of the schedule does

    case processPaused = "process paused"
    case processCrashed = "process crashed"
    case compaction = "log compacted"
    case tombstonesRemoved = "tombstones removed"
    case retention
    case topicDeleted = "topic deleted"
    case topicRecreated = "topic recreated"
    case partitionsAdded = "partitions added"
    case offsetsExpired = "offsets expired"
    case clockJump = "clock jump"
    case clockSkew = "clock skew"
    case foreignPartitioner = "foreign partitioner"
    case duplicateInput = "duplicate input"
    case lateInput = "late input"
    case futureInput = "future input"

    // MARK: What follows from the others

    /// A member has sent no heartbeats for the session time-out.
    case sessionTimeout = "session timed out"
    /// A member has not polled for max.poll.interval.ms.
    case pollIntervalExceeded = "poll interval exceeded"
    /// A transaction has lasted too long: it was aborted and its producer fenced.
    case transactionTimeout = "transaction timed out"
    /// A call has met a transaction of its own id of which the markers are not written.
    case concurrentTransactions = "concurrent transactions"
    /// A request came after its producer was destroyed or had died, and took effect.
    case requestAfterDestroy = "request after destroy"
    /// A request that was under way met a newer epoch, and had no effect.
    case requestAfterEpoch = "request after epoch"
    /// A call was refused because of a newer producer of its id, or after a time-out.
    case fencedCall = "fenced call"
    /// Offsets were refused as those of a stale member or generation.
    case staleOffsets = "stale offsets"
    /// A process came back after its session had ended.
    case zombie
    /// Records were removed before a reader had read them.
    case readerOvertaken = "reader overtaken"
    /// Records of kept partitions were dropped by a rebalance.
    case droppedRecords = "dropped records"

    package enum Origin: Hashable, Sendable { case plan, schedule, consequence }

    /// The one who causes it: a `FaultPlan`, a method of the cluster, or another fault.
    package var origin: Origin {
        if self < .processPaused { return .plan }
        return self < .sessionTimeout ? .schedule : .consequence
    }

    package var description: String { rawValue }

    package static func < (left: FaultKind, right: FaultKind) -> Bool { left.index < right.index }

    /// Its place among all cases.
    var index: Int { Self.indices[self]! }

    private static let indices = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
