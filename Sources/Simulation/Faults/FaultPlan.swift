package import RecordLog
import Synchronization

/// Decides which faults happen. The cluster has no randomness of its own: it asks at each opportunity, in the order of
/// the calls, so that the same answers give the same run.
package protocol FaultPlan: AnyObject, Sendable {
    /// Decides about one opportunity. It is called without the cluster's lock, and may ask the cluster.
    ///
    /// - Returns: `nil` if the fault does not happen here; otherwise how long it lasts, which kinds without a length
    ///   leave out of account.
    func length(of kind: FaultKind, at opportunity: Opportunity) -> Duration?
}

/// A call of a port at which a fault may happen.
package struct Opportunity: Hashable, Sendable {
    package var call: PortCall
    /// Before the call's effect, or after it.
    package var moment: FaultMoment
    /// The client id of the port; admins have none.
    package var client: String?
    /// The name of the process that calls; empty for ports that the cluster itself has made.
    package var process: String
    package var timeout: Duration?
    /// The time of the cluster's clock.
    package var now: Instant
}

/// A call of a port.
package enum PortCall: Hashable, Sendable, CustomStringConvertible {
    case log(LogCall)
    case transactional(TransactionalCall)

    package var description: String {
        switch self {
        case .log(let call): call.rawValue
        case .transactional(let call): call.rawValue
        }
    }
}

extension MemoryCluster {
    /// From now on a plan is asked.
    ///
    /// - Parameters:
    ///   - plan: `nil` ends it.
    ///   - kinds: the plan is asked about these only; those of another origin than `plan` are not asked about.
    package func follow(_ plan: (any FaultPlan)?, kinds: Set<FaultKind> = Set(FaultKind.allCases)) {
        faults.withLock { state in
            state.plan = plan
            state.kinds = kinds.reduce(0) { $0 | (plan == nil ? 0 : 1 << UInt64($1.index)) }
        }
    }

    /// How often each kind has really happened, in the order of the kinds; those that have not are left out.
    package var happened: [(kind: FaultKind, count: Int)] {
        let counts = withBroker { $0.happened }
        return FaultKind.allCases.compactMap { counts[$0.index] > 0 ? ($0, counts[$0.index]) : nil }
    }

    package func timesHappened(_ kind: FaultKind) -> Int {
        withBroker { $0.happened[kind.index] }
    }

    /// Counts a fault that only the owner of the schedule sees, such as late input.
    package func note(_ kind: FaultKind) {
        withBroker { $0.note(kind) }
    }

    /// Asks the plan, and counts the answer.
    func length(of kind: FaultKind, at opportunity: Opportunity) -> Duration? {
        let plan = faults.withLock { $0.kinds & (1 << UInt64(kind.index)) == 0 ? nil : $0.plan }
        guard let length = plan?.length(of: kind, at: opportunity) else { return nil }
        precondition(length >= .zero, "\(kind) lasts \(length)")
        note(kind)
        return length
    }

    /// Ends what lasts: coordinators are back, markers are written, ordered failures are taken back, and the plan is
    /// followed no more. What is under way arrives when it is due.
    package func heal() {
        follow(nil)
        cancelFaults()
        delaysMarkers = false
        withBroker { $0.healCoordinators() }
    }
}

/// The plan that is followed.
struct PlannedFaults: Sendable {
    var plan: (any FaultPlan)?
    /// By `FaultKind.index`.
    var kinds: UInt64 = 0
}
