import Foundation
import SplitMix

/// What can happen. The raw value is the name in reports and in `--without`.
package enum FaultKind: String, CaseIterable, Sendable {
    // A process of the pipeline.
    case processKill = "process kill -9"
    case processTerminate = "process SIGTERM"
    case processPause = "process stopped past the session"
    case processCut = "process cut off (connections closed)"
    case processSilence = "process cut off (nothing passes)"
    case processDelay = "process behind a slow network"
    // The sink.
    case sinkKill = "sink kill -9"
    case sinkTerminate = "sink SIGTERM"
    case sinkDiskFull = "sink disk full"
    // Brokers.
    case brokerKill = "broker kill -9"
    case brokerStall = "broker stopped (SIGSTOP)"
    case brokerBounce = "broker bounced in order"
    case leaderKill = "leader of a partition kill -9"
    case allKill = "all brokers kill -9"
    case allStall = "all brokers stopped (SIGSTOP)"
    case topicRecreated = "topic deleted, made again, filled again"

    package enum Victim: Sendable { case process, sink, broker }

    package var victim: Victim {
        switch self {
        case .processKill, .processTerminate, .processPause, .processCut, .processSilence, .processDelay: .process
        case .sinkKill, .sinkTerminate, .sinkDiskFull: .sink
        default: .broker
        }
    }

    /// True if the victim is asked to end in order.
    var isSignalToEnd: Bool { self == .processTerminate || self == .sinkTerminate }

    /// True if brokers do not answer a program meanwhile.
    var isOfConnection: Bool {
        switch self {
        case .processCut, .processSilence, .processDelay: true
        default: victim == .broker && self != .topicRecreated
        }
    }

    /// How often it is drawn beside the others of its schedule.
    var weight: Int {
        switch self {
        case .processKill: 8
        case .processTerminate: 5
        case .processPause, .processCut, .processSilence, .processDelay: 2
        case .sinkKill: 2
        case .sinkTerminate, .sinkDiskFull: 1
        case .brokerKill, .brokerStall, .brokerBounce: 4
        case .leaderKill: 3
        case .allKill, .allStall, .topicRecreated: 1
        }
    }

    /// How long it lasts, in seconds; of a kill, how long until the victim is started again.
    func seconds(session: Double) -> ClosedRange<Double> {
        switch self {
        case .processKill: 0...2
        case .processTerminate: 0...1
        case .processPause: session + 1...session + 4
        case .processCut, .processSilence: 2...session + 4
        case .processDelay: 3...8
        case .sinkKill, .sinkTerminate: 0...1
        case .sinkDiskFull: 2...6
        case .brokerKill, .leaderKill, .brokerBounce: 0.5...5
        case .brokerStall: 1...8
        case .allKill, .allStall: 1...5
        case .topicRecreated: 0...1
        }
    }
}

/// One fault, as it was drawn.
package struct DrawnFault: Sendable, Equatable {
    package var kind: FaultKind
    /// The process, broker or partition that it hits, modulo how many there are.
    package var target: Int
    /// The time since the one before it was drawn, and its own length, in seconds.
    package var wait: Double
    package var seconds: Double
}

/// An endless sequence of faults that its seed alone decides.
package struct FaultSchedule: Sendable {
    private var numbers: SplitMix64
    private let kinds: [FaultKind]
    private let every: Double
    private let session: Double

    /// - Parameter every: the mean time between two, in seconds.
    package init(seed: UInt64, kinds: [FaultKind], every: Double, session: Double) {
        numbers = SplitMix64(seed: seed)
        self.kinds = kinds.flatMap { Array(repeating: $0, count: $0.weight) }
        self.every = every
        self.session = session
    }

    package mutating func next() -> DrawnFault? {
        guard !kinds.isEmpty else { return nil }
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &numbers)]
        // One in four comes right after the one before: a second fault in the middle of a recovery.
        let isTight = Int.random(in: 0..<4, using: &numbers) == 0
        return DrawnFault(
            kind: kind, target: Int.random(in: 0..<64, using: &numbers),
            wait: isTight ? 0.1 : Double.random(in: 0...every * 2.6, using: &numbers),
            seconds: Double.random(in: kind.seconds(session: session), using: &numbers))
    }
}
