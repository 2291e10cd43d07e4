import RecordLog

/// Why a stream thread ended by itself.
package struct StreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, and what is to be done if the kind says it.
    package var description: String
    package var kind: Kind

    package enum Kind: Hashable, Sendable {
        /// It is not to be tried again as it is; the remedy says what is to be done.
        case refused(remedy: String)
        /// What was tried has failed too often, or can never succeed.
        case givenUp
    }

    package init(_ description: String) {
        self.description = description
        kind = .givenUp
    }

    /// A refusal: the program cannot go on without doing harm.
    ///
    /// - Parameter remedy: a sentence that says what is to be done.
    package init(refused reason: String, remedy: String) {
        description = "\(reason). \(remedy)"
        kind = .refused(remedy: remedy)
    }
}

extension StreamFailure {
    /// A topic does not take a record that the inputs would make again and again (R11).
    ///
    /// - Parameter limit: `max.message.bytes` of the topic; `nil` if it is not known.
    static func tooLarge(_ cause: LogError, limit: Int?) -> StreamFailure {
        guard let record = cause.record else {
            return StreamFailure(
                refused: "a record is too large: \(cause)", remedy: "Raise max.message.bytes of its topic")
        }
        let key = record.key.map { "with the key \($0)" } ?? "without a key"
        let takes = limit.map { ", which takes at most \($0)" } ?? ""
        return StreamFailure(
            refused: "a record \(key) has \(record.bytes) bytes: it or its batch is too large for"
                + " \(record.topic)\(takes): \(cause)",
            remedy: "Raise max.message.bytes of \(record.topic) ('tideline topics --apply' for what tideline makes) and"
                + " kafka.message.max.bytes, and start again: nothing of its transaction was committed")
    }
}
