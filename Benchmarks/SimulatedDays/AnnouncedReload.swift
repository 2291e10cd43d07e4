package import Messages
package import Timelines

/// A record of `timeline.reloads`, as recipients read it.
package struct AnnouncedReload {
    package var recipient: String
    package var kind: String
    package var configurationIds: [String]
    package var reason: String
    package var revision: Revision
    package var issuedAt: Instant
    package var budget: Budget?

    package struct Budget: Equatable {
        package var limit: Int64
        package var remaining: Int64
        package var resetsAt: Instant
    }

    /// `nil` if the value is no reload.
    package init?(_ value: UnsafeRawBufferPointer, with parser: inout JSONParser) {
        guard let members = try? parser.object(value),
            case .string(let recipient)? = members["recipient"], case .string(let kind)? = members["kind"],
            case .array(let ids)? = members["configurationIds"], case .string(let reason)? = members["reason"],
            let revision = Self.number(members["revision"]), let issuedAt = Self.instant(members["issuedAt"])
        else { return nil }
        self.recipient = recipient
        self.kind = kind
        self.reason = reason
        self.revision = Revision(revision)
        self.issuedAt = issuedAt
        configurationIds = ids.compactMap { if case .string(let id) = $0 { id } else { nil } }
        guard case .object(let budget)? = members["budget"], let limit = Self.number(budget["limit"]),
            let remaining = Self.number(budget["remaining"]), let resetsAt = Self.instant(budget["resetsAt"])
        else { return }
        self.budget = Budget(limit: limit, remaining: remaining, resetsAt: resetsAt)
    }

    private static func number(_ value: ParameterValue?) -> Int64? {
        if case .number(let text)? = value { Int64(text) } else { nil }
    }

    private static func instant(_ value: ParameterValue?) -> Instant? {
        if case .string(let text)? = value { Instant(rfc3339: text) } else { nil }
    }
}
