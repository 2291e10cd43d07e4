package import Timelines

/// The documented fields of a value of the topic `timeline.reloads`, for who keeps them (M8).
///
/// Values of later releases are read as well: a reason that this one does not know stays the text that it is, and what
/// is not documented is left to the value.
package struct ReloadFields: Hashable, Sendable {
    package var recipient: String
    package var kind: String
    /// At least one, in the order of the value.
    package var configurationIds: [String]
    package var reason: String
    package var revision: Int64
    package var issuedAt: Instant
    package var budget: ReloadBudget

    /// - Throws: if a field is missing or not allowed; the problem names it.
    package init(_ bytes: UnsafeRawBufferPointer, with parser: inout JSONParser) throws(MessageProblem) {
        let fields = MessageFields(try parser.object(bytes))
        let ids = try fields.require("configurationIds", fields.identifiers("configurationIds"))
        guard !ids.isEmpty else { throw .notAllowed("configurationIds", "a list that is not empty") }
        recipient = try fields.requiredIdentifier("recipient")
        kind = try fields.require("kind", fields.text("kind"))
        configurationIds = ids
        reason = try fields.require("reason", fields.text("reason"))
        revision = try fields.require("revision", fields.integer("revision", in: 0...Int64.max, "a whole number"))
        issuedAt = try fields.require("issuedAt", fields.instant("issuedAt"))
        budget = try ReloadBudget(fields.require("budget", fields.fields("budget")))
    }
}
