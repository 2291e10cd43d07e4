import RecordLog
import Simulation
import SplitMix
import Synchronization

/// Faults of single calls, each with a probability for every call at which it may happen.
final class DrawnPlan: FaultPlan {
    private let probabilities: [FaultKind: Double]
    private let state: Mutex<State>

    private struct State {
        var random: SplitMix64
        /// By kind: it does not happen again before.
        var restsUntil: [FaultKind: Instant] = [:]
        var delaysOfTransactions = 0
    }

    /// How many calls that a transaction, or the look for its owner, needs were slow, or lost.
    var delaysOfTransactions: Int { state.withLock(\.delaysOfTransactions) }

    /// Who repeats a call that fails asks often: what lasts must end before it may begin again.
    private static let rest = ElapsedTime.seconds(5)

    init(_ probabilities: [FaultKind: Double], seed: UInt64) {
        self.probabilities = probabilities
        state = Mutex(State(random: SplitMix64(seed: seed, stream: 4)))
    }

    func length(of kind: FaultKind, at opportunity: Opportunity) -> Duration? {
        guard let probability = probabilities[kind] else { return nil }
        return state.withLock { state in
            guard Double.random(in: 0..<1, using: &state.random) < probability else { return nil }
            if let until = state.restsUntil[kind], opportunity.now < until { return nil }
            let length = Int64.random(in: 1...Self.longest(kind), using: &state.random)
            if kind.delaysCalls && opportunity.call.isOfTransactions { state.delaysOfTransactions += 1 }
            if Self.lasts(kind) {
                state.restsUntil[kind] = opportunity.now + ElapsedTime(milliseconds: length) + Self.rest
            }
            return .milliseconds(length)
        }
    }

    private static func lasts(_ kind: FaultKind) -> Bool {
        switch kind {
        case .pause, .groupCoordinatorMove, .transactionCoordinatorMove, .unreachable, .lostRequest, .lostAnswer: true
        default: false
        }
    }

    /// In milliseconds.
    private static func longest(_ kind: FaultKind) -> Int64 {
        switch kind {
        case .pause: 25_000
        case .slowCall: 8_000
        case .lateDecision: 15_000
        case .groupCoordinatorMove, .transactionCoordinatorMove, .lateMarkers, .survivingRequest: 5_000
        default: 2_000
        }
    }
}

extension PortCall {
    /// True if a transaction is ended by it, or its owner found.
    fileprivate var isOfTransactions: Bool {
        switch self {
        case .transactional: true
        case .log(let call): [.committed, .describeTopics, .endOffsets, .describeGroup].contains(call)
        }
    }
}
