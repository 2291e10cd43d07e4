package import Times

/// A sink, as it has told of itself last, and how far it is behind.
package struct SinkFacts: Hashable, Sendable {
    package var name: String
    /// For people, without passwords; empty if it is not known.
    package var target: String
    package var state: State
    /// The number of committed records of its topic that it has not written or sent yet.
    package var lag: Int64
    /// The last error that it has told; `nil` if it has told none.
    package var lastError: String?
    /// The verb that runs it, with its words, such as `sink --to files:out`.
    package var words: String

    package enum State: Hashable, Sendable {
        case running
        /// It waits for its target, or for brokers.
        case waiting
        /// It was told to end, or has caught up.
        case stopped
        /// It cannot go on. Beside other sinks of its process it begins again after a while.
        case failed
        /// It has said nothing of its end, and has told nothing at all for so long.
        case silent(ElapsedTime)
        /// Its ledger alone is known, which does not say whether it runs.
        case untold
    }

    package init(
        name: String, target: String, state: State, lag: Int64, lastError: String? = nil, words: String
    ) {
        self.name = name
        self.target = target
        self.state = state
        self.lag = lag
        self.lastError = lastError
        self.words = words
    }

    /// - Parameter command: makes a whole command line of a verb with its words.
    package func finding(command: (String) -> String) -> Finding {
        let start = command(words)
        switch state {
        case .running: return made(.good, "runs")
        case .waiting:
            return made(
                .bad, "waits for its target or for brokers\(reason)",
                "Mend what the error names: it goes on by itself. If its process is gone: \(start)")
        case .stopped where lag == 0: return made(.good, "has stopped")
        case .stopped:
            return made(.notice, "has stopped", "If it is to go on: \(start)")
        case .failed:
            return made(
                .bad, "has failed\(reason)",
                "Mend what the error names. Beside other sinks of its process it begins again; else start it: \(start)")
        case .silent(let time):
            let text = "has told nothing for \(time.text), and nothing of its end: its process is gone, or hangs"
            return made(lag == 0 ? .notice : .bad, text, start)
        case .untold where lag == 0: return made(.good, "has never told of itself; its ledger is known")
        case .untold:
            return made(
                .notice, "has never told of itself, so that it cannot be told whether it runs",
                "See its permissions above. If it does not run: \(start)")
        }
    }

    private var reason: String { lastError.map { ": \($0)" } ?? "" }

    private func made(_ level: Finding.Level, _ text: String, _ remedy: String = "") -> Finding {
        let waiting = lag == 0 ? "nothing waits" : "\(lag.counted("record")) not written or sent yet"
        return Finding(
            .sinks, target.isEmpty ? name : "\(name) (\(target))", level, "\(text); \(waiting)", remedy: remedy)
    }
}
