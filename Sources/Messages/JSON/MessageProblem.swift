/// Why a message cannot be read. What happens next: the record goes to the dead letters with this reason, its bytes
/// unchanged, and processing goes on.
package struct MessageProblem: Error, Hashable, Sendable {
    package var kind: Kind
    /// The path of the field (`speed`, `series.fuel[2].at`); nil where the message as a whole cannot be read.
    package var field: String?
    /// What is wrong and what is allowed, such as "must be true or false".
    package var message: String

    package init(_ kind: Kind, field: String? = nil, _ message: String) {
        self.kind = kind
        self.field = field
        self.message = message
    }

    package enum Kind: String, CaseIterable, Sendable {
        /// Not JSON, or not the kind of value that the topic carries.
        case unreadable
        case missing
        case wrongType
        /// The right type, but outside what is allowed.
        case notAllowed
        /// More bytes than this application takes, or than the topic that it belongs on.
        case tooLarge
    }

    static func missing(_ field: String) -> MessageProblem {
        MessageProblem(.missing, field: field, "is missing")
    }

    static func wrongType(_ field: String, _ allowed: String) -> MessageProblem {
        MessageProblem(.wrongType, field: field, "must be \(allowed)")
    }

    static func notAllowed(_ field: String, _ allowed: String) -> MessageProblem {
        MessageProblem(.notAllowed, field: field, "must be \(allowed)")
    }
}

extension MessageProblem: CustomStringConvertible {
    package var description: String {
        field.map { "\($0): \(message)" } ?? message
    }
}
