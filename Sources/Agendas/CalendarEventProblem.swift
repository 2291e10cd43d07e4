/// Why a record is no calendar event: the field, and what is allowed there.
package struct CalendarEventProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field's name in the contract, such as `end`.
    package let field: String
    package let reason: String

    package init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }

    package var description: String { "\(field): \(reason)" }
}
