package import Messages
package import RecordLog
internal import Timelines

/// The records that cannot be read and so are missing in what is shown: by topic, with the first of each.
package struct UnreadRecords: Hashable, Sendable {
    package struct Topic: Hashable, Sendable {
        package var name: String
        package var count: Int
        /// The place of the first one that was met, and why it cannot be read, secrets masked.
        package var first: SourceOffset
        package var problem: String
    }

    /// In the order in which their first records were met.
    package private(set) var topics: [Topic] = []

    package init() {}

    package mutating func add(_ view: RecordView, of topic: String, _ problem: MessageProblem) {
        if let index = topics.firstIndex(where: { $0.name == topic }) {
            topics[index].count += 1
        } else {
            topics.append(
                Topic(
                    name: topic, count: 1, first: SourceOffset(topic, view),
                    problem: SecretMask.masked(text: "\(problem)")))
        }
    }
}
