import RecordLog
import Simulation
import SplitMix

/// Calls that fail.
extension World {
    /// - Returns: false if the kind is no failure of a call.
    func order(_ kind: Misfortune) -> Bool {
        if let (call, moment) = kind.transactionalCall {
            guard let process = processes.randomElement(using: &random) else { return true }
            let broken = LogError(.other, name: "TEST", "ordered")
            // A record that was written although its call failed is in the transaction: only dropping that is right.
            let canRepeat = !(call == .produce && moment == .afterEffect)
            let errors: [TransactionError] =
                (canRepeat ? [.retriable(broken)] : []) + [.abortable(broken), .fenced(broken), .fatal(broken)]
            let error = errors.randomElement(using: &random) ?? .abortable(broken)
            let times = Int.random(in: 1...3, using: &random)
            let fault = cluster.inject(error, into: call, moment, times: times, client: process.clientId)
            orders.append((fault, kind))
            return true
        }
        guard let call = kind.logCall else { return false }
        let timedOut = LogError(.timedOut, name: "_TIMED_OUT", "no answer", isRetriable: true)
        let moment: FaultMoment = Bool.random(using: &random) ? .beforeEffect : .afterEffect
        let fault = cluster.inject(timedOut, into: call, moment, times: Int.random(in: 1...4, using: &random))
        orders.append((fault, kind))
        return true
    }
}

extension Misfortune {
    var transactionalCall: (TransactionalCall, FaultMoment)? {
        switch self {
        case .initialiseFails: (.initialise, .beforeEffect)
        case .produceFails: (.produce, .beforeEffect)
        case .sendOffsetsFails: (.sendOffsets, .beforeEffect)
        case .commitFails: (.commit, .beforeEffect)
        case .abortFails: (.abort, .beforeEffect)
        case .initialiseAnswerLost: (.initialise, .afterEffect)
        case .produceAnswerLost: (.produce, .afterEffect)
        case .sendOffsetsAnswerLost: (.sendOffsets, .afterEffect)
        case .commitAnswerLost: (.commit, .afterEffect)
        case .abortAnswerLost: (.abort, .afterEffect)
        default: nil
        }
    }

    var logCall: LogCall? {
        switch self {
        case .pollFails: .poll
        case .committedFails: .committed
        case .watermarksFails: .endOffsets
        case .seekFails: .seek
        case .deleteRecordsFails: .deleteRecords
        case .describeTopicsFails: .describeTopics
        default: nil
        }
    }
}
