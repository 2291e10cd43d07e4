package import Messages
package import RecordLog

/// What an operator should know of the reading of the topics. The reading goes on after it.
package enum ViewNotice: Sendable {
    case log(LogError)
    /// Rights are missing; the sentence names the ACL.
    case notAuthorised(String)
    /// A key or value that cannot be read: what was in force before it stays so.
    case unreadable(TopicPartition, Offset, MessageProblem)
    case newPartitions(topic: String, total: Int32)
    /// A topic was made anew under its name: all of it is read again.
    case recreated(topic: String)
    /// A topic does not exist any more. It is waited for.
    case missing(topic: String)
    /// All topics were read to the ends that they had at the start.
    case ready(records: Int, milliseconds: Int64)
    /// The cache file was of other topics or of another release, or cannot be used: it is made anew.
    case cacheRebuilt(reason: String)
    /// The cache could not be written; it is older than what is served.
    case cacheFailed(reason: String)
}

extension ViewNotice {
    /// The notice of a failure that names a topic.
    static func failure(_ error: LogError, reading topics: [String]) -> ViewNotice {
        guard error.code == .notAuthorised else { return .log(error) }
        let named = topics.filter { error.message.contains($0) }
        let list = named.isEmpty ? "the topics \(topics.joined(separator: ", "))" : "the topic \(named[0])"
        return .notAuthorised(
            "may not read \(list): an ACL that allows READ and DESCRIBE on it to this client's principal is missing"
                + " (\(error.name))")
    }
}
