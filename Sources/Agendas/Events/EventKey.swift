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
        var text = RecordKeyPart.encoded(calendarId) + "/" + RecordKeyPart.encoded(uid)
        if let recurrenceId { text += "/" + RecordKeyPart.encoded(recurrenceId.text) }
        return text
    }

    /// Reads a key's text.
    /// - Throws: a problem of the field `key` or `recurrenceId`.
    package init(text: some StringProtocol) throws(CalendarEventProblem) {
        let parts = RecordKeyPart.parts(of: text)
        let decoded = parts.compactMap { RecordKeyPart.decoded($0) }
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
}
