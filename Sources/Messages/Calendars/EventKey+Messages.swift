package import Agendas

extension EventKey {
    /// Reads the key of a tombstone on `calendar.events`, which has nothing else to say what it removes.
    ///
    /// - Throws: where it is no `calendarId/uid` or `calendarId/uid/recurrenceId`.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(MessageProblem) -> EventKey {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw MessageProblem(.unreadable, field: "key", "must be UTF-8")
        }
        do throws(CalendarEventProblem) {
            return try EventKey(text: text)
        } catch {
            throw MessageProblem(.notAllowed, field: error.field, error.reason)
        }
    }
}
