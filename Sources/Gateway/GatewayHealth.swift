import Synchronization

/// The state of the server that supervisors ask for. Any thread uses it.
package final class GatewayHealth: Sendable {
    private let stopping = Atomic<Bool>(false)
    /// When the views' thread saw the brokers away first, on the gateway's clock; `nil` while they answer.
    private let awaySince = Mutex<Duration?>(nil)

    private let topics = Mutex(Topics())

    /// What keeps the views from following the topics, although the brokers answer.
    private struct Topics {
        var absent: [String] = []
        var refusal: String?
        /// By topic the sentence that says why it may not be read.
        var unreadable: [String: String] = [:]
    }

    /// An outage is told after this time: a broker that restarts is no reason to move clients elsewhere.
    private static let patience = Duration.seconds(10)

    package init() {}

    /// True from the moment when the process was told to end.
    package var isStopping: Bool { stopping.load(ordering: .relaxed) }

    package func stop() { stopping.store(true, ordering: .relaxed) }

    func brokersAreAway(now: Duration) {
        awaySince.withLock { $0 = $0 ?? now }
    }

    func brokersAnswer() {
        awaySince.withLock { $0 = nil }
    }

    package func isOutage(at now: Duration) -> Bool {
        awaySince.withLock { since in since.map { now - $0 >= Self.patience } ?? false }
    }

    // MARK: - Topics

    /// Replaces the topics that do not exist; an empty list says that all are there.
    func topicsAreAbsent(_ names: [String]) { topics.withLock { $0.absent = names } }

    /// Notes what the brokers refuse to tell about the topics, in a sentence; `nil` says that they tell all.
    func lookIsRefused(_ sentence: String?) { topics.withLock { $0.refusal = sentence } }

    /// Notes that a topic may not be read. It counts until `mayRead`.
    func readingIsRefused(of topic: String, _ sentence: String) {
        topics.withLock { $0.unreadable[topic] = sentence }
    }

    func mayRead(_ topic: String) { topics.withLock { $0.unreadable[topic] = nil } }

    /// The topics that may not be read, ascending.
    var unreadableTopics: [String] { topics.withLock { $0.unreadable.keys.sorted() } }

    /// A sentence that names the topics which cannot be followed, and what to do; `nil` if all can be.
    package var topicTrouble: String? {
        topics.withLock { topics in
            if !topics.absent.isEmpty {
                let names = topics.absent.joined(separator: ", ")
                let subject = topics.absent.count == 1 ? "topic \(names) is" : "topics \(names) are"
                return "The \(subject) gone, and what is served is old: 'tideline topics' makes anew what is missing."
            }
            let refusals = topics.unreadable.sorted { $0.key < $1.key }.map(\.value)
            guard let sentence = topics.refusal ?? refusals.first else { return nil }
            return "The server \(sentence). What is served may be old."
        }
    }
}
