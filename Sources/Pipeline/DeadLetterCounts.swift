package import Messages
package import StreamCore
import Timelines

/// The dead letters of one topic for one reason.
package struct DeadLetterCounts: Hashable, Sendable {
    package var topic: String
    package var reason: MessageProblem.Kind
    package var count: Int

    /// The name of its counters.
    static let name = "deadLetters"
}

extension TaskCounters {
    /// By topic (UTF-8 bytes), then reason in the order of its declaration; a pair that was never counted is left out.
    package var deadLetters: [DeadLetterCounts] {
        let found = labelled.compactMap { key, count -> DeadLetterCounts? in
            guard key.name == DeadLetterCounts.name, let reason = MessageProblem.Kind(rawValue: key.other)
            else { return nil }
            return DeadLetterCounts(topic: key.label, reason: reason, count: count)
        }
        let order = MessageProblem.Kind.allCases
        return found.sorted { left, right in
            left.topic == right.topic
                ? order.firstIndex(of: left.reason) ?? 0 < order.firstIndex(of: right.reason) ?? 0
                : left.topic.precedesByUTF8(right.topic)
        }
    }
}
