internal import Agendas

/// The calendar that a record's events are of, and the name under which the record is filed: the next one of that name
/// replaces it, a tombstone removes it.
package struct CalendarFiling: Sendable {
    package let calendarId: String
    /// A key of the topic: `calendarId/…`, or the calendar's alone.
    package let name: String

    /// The contract's JSON is filed under the ids that it names (M4), what other systems say under the record's key:
    /// their ids are not always those of the events here. One resource under a key that only
    /// names its calendar, or none, has nothing but its ids.
    ///
    /// - Throws: where the events are of several calendars, or of another than the key of all that it holds.
    package init(_ batch: CalendarEventBatch, _ key: CalendarRecordKey) throws(MessageProblem) {
        let first = batch.events.first
        if let first, batch.events.contains(where: { $0.calendarId != first.calendarId }) {
            throw MessageProblem(.notAllowed, field: "calendarId", "must be the same of all events of a record")
        }
        guard let calendarId = first?.calendarId ?? key.calendarId else {
            throw MessageProblem(.missing, field: "key", "must be calendarId or calendarId/…, as the value names none")
        }
        self.calendarId = calendarId
        let isOfKey = key.calendarId == calendarId
        switch (batch.form, first) {
        case (.event, let event?):
            name = event.key.text
        case (.resource, let event?):
            name = isOfKey && key.namesRecord ? key.text : event.key.text
        default:
            guard isOfKey else {
                throw MessageProblem(
                    .notAllowed, field: "key", "must begin with the calendarId that the value names, \(calendarId)")
            }
            name = key.text
        }
    }
}
