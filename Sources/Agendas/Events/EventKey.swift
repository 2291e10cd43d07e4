/// The name of an event among all calendars: the key of the topic `calendar.events`. A tombstone has nothing else.
package struct EventKey: Hashable, Sendable {
    package var calendarId: String
    package var uid: String
    /// The original start, if the event stands for one instance of a series.
    package var recurrenceId: EventTime?

    package init(calendarId: String, uid: String, recurrenceId: EventTime? = nil) {
        self.calendarId = calendarId
        self.uid = uid
        self.recurrenceId = recurrenceId
    }

    /// `calendarId/uid`, of an override `calendarId/uid/recurrenceId`, with `%` and `/` inside the parts
    /// percent-encoded.
    package var text: String {
        var text = Self.encoded(calendarId) + "/" + Self.encoded(uid)
        if let recurrenceId { text += "/" + Self.encoded(recurrenceId.text) }
        return text
    }

    /// Reads a key's text.
    /// - Throws: a problem of the field `key` or `recurrenceId`.
    package init(text: some StringProtocol) throws(CalendarEventProblem) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let decoded = parts.compactMap { Self.decoded($0) }
        guard (2...3).contains(parts.count), decoded.count == parts.count, !decoded[0].isEmpty, !decoded[1].isEmpty
        else {
            throw CalendarEventProblem(
                field: "key", reason: "allowed is calendarId/uid or calendarId/uid/recurrenceId, % and / as %25 and %2F"
            )
        }
        calendarId = decoded[0]
        uid = decoded[1]
        guard parts.count == 3 else { return }
        guard let original = EventTime(text: decoded[2]) else {
            throw CalendarEventProblem(
                field: "recurrenceId", reason: "\"\(decoded[2])\" is no RFC 3339 date-time, local date-time or date")
        }
        recurrenceId = original
    }

    private static func encoded(_ part: String) -> String {
        var result = ""
        for character in part.unicodeScalars {
            switch character {
            case "%": result += "%25"
            case "/": result += "%2F"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// The text with every percent-encoded byte decoded, as a producer may have encoded more than it must. The result
    /// is `nil` if `%` is not followed by two hexadecimal digits, or if the bytes are not UTF-8.
    private static func decoded(_ part: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
