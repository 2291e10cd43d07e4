/// A failure of a call to the log, in words and as a code that callers may decide by.
package struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: Code
    /// The implementation's own name of the error, e.g. `_TIMED_OUT`.
    package var name: String
    private var reason: String
    package var isRetriable: Bool
    /// The permission that is missing, as far as it is known; `nil` if the error is about something else.
    package internal(set) var permission: Permission?
    /// What grants the permission; `nil` if the cluster is not known.
    var grants: Grants?
    /// The record that is too large, as far as it is known; `nil` if the error is about something else.
    package internal(set) var record: RefusedRecord?

    package init(_ code: Code, name: String, _ message: String, isRetriable: Bool = false) {
        self.code = code
        self.name = name
        reason = message
        self.isRetriable = isRetriable
    }

    /// The failure in words. A permission that is missing is named, with the line that grants it: the verb where verbs
    /// need the permission, else the command of Kafka's own tools.
    package var message: String {
        guard let permission else { return reason }
        let line = grants?.line(for: permission) ?? permission.grant(at: "HOST:PORT")
        return "\(reason); needs \(permission.name), granted with: \(line)"
    }

    /// The message and the name; a message that ends with the name, as the last of several answers, has it once.
    package var description: String { message.hasSuffix("(\(name))") ? message : "\(message) (\(name))" }

    /// True if the same call would fail in the same way until somebody changes the cluster or the program.
    package var lasts: Bool { [.notAuthorised, .invalidSetting, .invalidRecord].contains(code) }

    package enum Code: Hashable, Sendable {
        case timedOut
        /// No broker can be reached.
        case unreachable
        case unknownTopicOrPartition
        case topicAlreadyExists
        case offsetOutOfRange
        case recordTooLarge
        /// The broker refuses a record for its form, such as one without a key in a compacted topic.
        case invalidRecord
        case queueFull
        /// The partition is not being fetched yet, or no more.
        case wrongState
        case unstableOffsets
        case notAuthorised
        case invalidSetting
        case unsupported
        case fatal
        case other
    }
}

/// The failure of a transactional call. Its case says what to do next (librdkafka's order of decision).
package enum TransactionError: Error, Hashable, Sendable {
    /// Repeat the same call.
    case retriable(LogError)
    /// Abort the transaction, drop the overlay, rewind.
    case abortable(LogError)
    /// A newer producer of this transactional id exists, or the group has moved on for good: make a new producer.
    case fenced(LogError)
    /// This producer is of no use any more: make a new one.
    case fatal(LogError)

    package var cause: LogError {
        switch self {
        case .retriable(let error), .abortable(let error), .fenced(let error), .fatal(let error): error
        }
    }
}
