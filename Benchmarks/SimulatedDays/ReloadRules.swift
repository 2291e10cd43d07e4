package import Timelines

/// What holds for the reloads of a kind: its settings, as its declaration and the defaults of L1 to L9 say.
package struct ReloadRules {
    package var limit: Int64
    package var burst: Int64
    package var coalesce: ElapsedTime
    package var announcesRenewals: Bool

    package init(_ kind: WidgetKind?) {
        limit = Int64(kind?.reload.limit ?? 48)
        burst = Int64(kind?.reload.burst ?? 10)
        coalesce = kind?.reload.coalesce ?? .seconds(2)
        announcesRenewals = kind?.reload.scheduled ?? false
    }
}

/// What a reload was told to keep, and did not.
package struct Breach: CustomStringConvertible, Sendable {
    package var rule: Rule
    package var at: Instant
    package var what: String

    package enum Rule: String, CaseIterable, Sendable {
        /// A reload cost a token that was not there.
        case token
        /// More reloads in 24 hours than the limit.
        case limit
        /// The budget in a reload is not what is left.
        case budget
        /// Something visible was not announced when it could be.
        case late
        /// A reload did not wait for what else might come.
        case early
        /// At the end of the day a recipient does not know the last visible state.
        case untold
        /// Nothing was to be seen.
        case invisible
        /// Two reloads where one was right.
        case apart
        case revision
        case reason
        /// Names that do not belong together, or the wrong instant.
        case address
        /// A timeline was not made at its `nextUpdate`.
        case renewal
    }

    package var description: String { "\(at.rfc3339) \(rule.rawValue): \(what)" }
}
