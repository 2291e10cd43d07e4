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
        let named = topic(of: error, among: topics)
        let list = named.map { "the topic \($0)" } ?? "the topics \(topics.joined(separator: ", "))"
        return .notAuthorised(
            "may not read \(list): an ACL that allows READ and DESCRIBE on it to this client's principal is missing"
                + " (\(error.name))")
    }

    /// The topic that a failure is about; `nil` if it names none of these.
    static func topic(of error: LogError, among topics: [String]) -> String? {
        if case .topic(let name)? = error.permission?.resource, topics.contains(name) { return name }
        // The name of one topic may begin that of another.
        return topics.filter { error.message.contains($0) }.max { $0.count < $1.count }
    }

    /// What the brokers refuse for good, in words that follow "the server"; `nil` if this is no such refusal.
    var refusal: String? {
        switch self {
        case .notAuthorised(let sentence): sentence
        case .log(let error) where error.lasts: "is refused by the brokers when it looks at its topics (\(error.name))"
        default: nil
        }
    }
}

extension GatewayHealth {
    /// The notice of a failure of the consumer. A topic that it may not read counts as such from here on.
    func notice(of failure: LogError, reading topics: [String]) -> ViewNotice {
        let notice = ViewNotice.failure(failure, reading: topics)
        if case .notAuthorised(let sentence) = notice, let topic = ViewNotice.topic(of: failure, among: topics) {
            readingIsRefused(of: topic, sentence)
        }
        return notice
    }
}
