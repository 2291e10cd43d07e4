import Synchronization

/// The faults that really happened, when and of which program, and those that could not.
package final class FaultCounts: Sendable {
    /// A fault from its beginning to its end, both in `monotonicSeconds`.
    package struct Episode: Sendable {
        package var kind: FaultKind
        /// The program's or the broker's name.
        package var victim: String
        package var began: Double
        /// Infinite while it lasts.
        package var ended = Double.infinity

        package init(_ kind: FaultKind, _ victim: String, began: Double, ended: Double = .infinity) {
            self.kind = kind
            self.victim = victim
            self.began = began
            self.ended = ended
        }
    }

    private struct State {
        var episodes: [Episode] = []
        var leftOut: [FaultKind: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package var episodes: [Episode] { state.withLock { $0.episodes } }

    /// Has a fault happen, and notes when it began and ended.
    package func during(_ kind: FaultKind, of victim: String, _ work: () throws -> Void) rethrows {
        let number = state.withLock { state in
            state.episodes.append(Episode(kind, victim, began: monotonicSeconds()))
            return state.episodes.count - 1
        }
        defer { state.withLock { $0.episodes[number].ended = monotonicSeconds() } }
        try work()
    }

    /// It was drawn when its victim was still suffering from another.
    package func noteLeftOut(_ kind: FaultKind) { state.withLock { $0.leftOut[kind, default: 0] += 1 } }

    package func count(_ kind: FaultKind) -> Int {
        state.withLock { state in state.episodes.count { $0.kind == kind } }
    }

    package func count(where isMeant: (FaultKind.Victim) -> Bool) -> Int {
        state.withLock { state in state.episodes.count { isMeant($0.kind.victim) } }
    }

    /// A program that has not heard of a broker for longer hangs, unless a fault explains it.
    private static let startSeconds = 10.0

    /// True if a program that ran since then could not begin its work for a fault that was under way meanwhile: no
    /// broker answered it, it was asked to end before one had, or the topic was away that a fault makes anew. It ends
    /// with status 69 then, and a supervisor starts it again.
    ///
    /// - Parameters:
    ///   - status: its exit status; `nil` stands for a signal.
    ///   - message: all that it wrote to standard error.
    package func explain(status: Int32?, _ message: String, of name: String, since start: Double) -> Bool {
        guard status == 69, let end = message.split(separator: "\n").last(where: { $0.hasPrefix("tideline: ") }) else {
            return false
        }
        let meanwhile = episodes.filter { $0.ended >= start && ($0.kind.victim == .broker || $0.victim == name) }
        // Asked to end before a broker had answered it, which may be a moment after its start.
        if end.contains("told to end while no broker answered"),
            meanwhile.contains(where: { $0.kind.isSignalToEnd && $0.began - start < Self.startSeconds })
        {
            return true
        }
        if end.contains(/no broker answer(s|ed)/) {
            return meanwhile.contains { $0.kind.isOfConnection }
        }
        return end.contains("missing topics: widget.configurations. ")
            && meanwhile.contains { $0.kind == .topicRecreated }
    }
}
