internal import Agendas
package import Timelines

/// The inputs that others write as JSON objects, one for each record, and the keys of those records (M2).
package enum InputContent: String, CaseIterable, Sendable {
    /// Keyed by `vehicleId`.
    case telemetry
    /// Keyed by `calendarId`, `uid` and, where there is one, `recurrenceId`.
    case calendarEvents
    /// Keyed by `configurationId`.
    case configurations
    /// Keyed by `readerId`, `configurationId` and, where there is one, `deviceId`.
    case positions

    /// A member of an object, as far as a key needs it.
    package enum Member {
        case absent, null
        /// A string, or a number as it is written: an identifier may be either.
        case text(String)
        case other
    }

    /// The key of the record that an object stands for.
    ///
    /// - Parameter member: gives a member of the object by its name.
    /// - Throws: if the object does not name its key. The problem's message follows the field's name.
    package func key(_ member: (String) -> Member) throws(MessageProblem) -> String {
        switch self {
        case .telemetry: return try Self.identifier("vehicleId", member)
        case .calendarEvents:
            return EventKey(
                calendarId: try Self.identifier("calendarId", member), uid: try Self.identifier("uid", member),
                recurrenceId: try Self.recurrenceId(member)
            ).text
        case .configurations: return try Self.identifier("configurationId", member)
        case .positions:
            let reader = ReaderKey(
                readerId: try Self.identifier("readerId", member),
                configurationId: try Self.identifier("configurationId", member))
            // An empty name is none, as in the key.
            if case .text(let deviceId) = member("deviceId"), !deviceId.isEmpty {
                return PositionKey(reader, deviceId: deviceId).text
            }
            return PositionKey(reader).text
        }
    }

    /// The key of the record that an object stands for.
    ///
    /// - Throws: if the object does not name its key. The problem's message follows the field's name.
    package func key(of object: Parameters) throws(MessageProblem) -> String {
        try key { name in
            switch object[name] {
            case nil: .absent
            case .null?: .null
            case .string(let text)?, .number(let text)?: .text(text)
            default: .other
            }
        }
    }

    private static func identifier(_ name: String, _ member: (String) -> Member) throws(MessageProblem) -> String {
        if case .text(let text) = member(name), !text.isEmpty { return text }
        throw MessageProblem(
            .missing, field: name, "is missing; it has to be a text that is not empty, or a number")
    }

    private static func recurrenceId(_ member: (String) -> Member) throws(MessageProblem) -> EventTime? {
        switch member("recurrenceId") {
        case .absent, .null: return nil
        case .text(let text):
            if let time = EventTime(text: text) { return time }
            if let milliseconds = Int64(text) { return .instant(Instant(milliseconds: milliseconds)) }
        case .other: break
        }
        throw MessageProblem(
            .notAllowed, field: "recurrenceId", "has to be an RFC 3339 date-time, a local date-time or a date")
    }
}
