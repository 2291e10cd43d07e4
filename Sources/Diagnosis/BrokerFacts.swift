/// An address at which a broker should answer, and what came of it.
package struct BrokerFacts: Hashable, Sendable {
    package var address: String
    package var origin: Origin
    package var answer: Answer

    package enum Origin: Hashable, Sendable {
        /// It stands in the setting `bootstrap`.
        case bootstrap
        /// The cluster named it, with the broker's id.
        case cluster(id: Int32)
    }

    package enum Answer: Hashable, Sendable {
        /// The newest versions of requests that it answers, by name; empty if it did not say.
        case reached(versions: [String: Int])
        case failed(String)
    }

    package init(address: String, origin: Origin, answer: Answer) {
        self.address = address
        self.origin = origin
        self.answer = answer
    }

    package var isReached: Bool { if case .reached = answer { true } else { false } }

    package var finding: Finding {
        switch (answer, origin) {
        case (.reached(let versions), _):
            Finding(.brokers, name, .good, "answers\(Self.support(versions))")
        case (.failed(let reason), .bootstrap):
            Finding(
                .brokers, name, .bad, "does not answer: \(reason)",
                remedy:
                    "Correct --bootstrap, or start the broker: a process that starts meanwhile may not find another.")
        case (.failed(let reason), .cluster):
            Finding(
                .brokers, name, .bad, "does not answer: \(reason)",
                remedy: "The cluster names this address to its clients (advertised.listeners): it must be one that is"
                    + " reached from here.")
        }
    }

    private var name: String {
        switch origin {
        case .bootstrap: "\(address) (bootstrap)"
        case .cluster(let id): "\(address) (broker \(id))"
        }
    }

    /// Brokers do not say their release; it shows in what they answer.
    private static func support(_ versions: [String: Int]) -> String {
        if versions.isEmpty { return ", and does not say what it supports" }
        let shown = ["Produce", "Fetch", "OffsetCommit", "InitProducerId"].compactMap { name in
            versions[name].map { "\(name) \($0)" }
        }
        return "; it supports \(versions.count.counted("request")), the newest \(shown.joined(separator: ", "))"
    }
}
