package import Agendas

/// The key of a record of `calendar.events`: `calendarId`, or `calendarId/…` with whatever names the record within the
/// calendar; both with `%` and `/` percent-encoded.
package struct CalendarRecordKey: Hashable, Sendable {
    /// The calendar; `nil` means that the key names none.
    package let calendarId: String?
    /// The event that a key of the contract names; `nil` if the key names no event.
    package let event: EventKey?
    /// The key in its one spelling; empty if it names no calendar.
    package let text: String

    /// - Parameter bytes: the key as it lies in the topic; `nil` if the record has none.
    package init(_ bytes: UnsafeRawBufferPointer?) {
        // Bytes are compared, not characters: a part may begin with a mark that combines with the `/` before it.
        guard let text = bytes.flatMap({ String(validating: $0, as: UTF8.self) }), !text.isEmpty,
            let head = RecordKeyPart.parts(of: text).first, let named = try? EventKey(text: "\(head)/-")
        else {
            calendarId = nil
            event = nil
            self.text = ""
            return
        }
        calendarId = named.calendarId
        event = try? EventKey(text: text)
        self.text = event?.text ?? RecordKeyPart.encoded(named.calendarId) + text[head.endIndex...]
    }

    /// True if the key names a record within the calendar.
    package var namesRecord: Bool { text.utf8.contains(UInt8(ascii: "/")) }

    func requiredCalendarId() throws(MessageProblem) -> String {
        guard let calendarId else {
            throw MessageProblem(
                .missing, field: "key", "must be calendarId or calendarId/uid, as the value names none")
        }
        return calendarId
    }

    /// The calendar that the value names, else the one that the key names.
    func calendarId(in fields: MessageFields) throws(MessageProblem) -> String {
        if let named = try fields.identifier("calendarId"), !named.isEmpty { return named }
        return try requiredCalendarId()
    }
}

extension EventKey {
    /// Reads the key of a tombstone on `calendar.events`, which has nothing else to say what it removes.
    ///
    /// - Throws: if it is neither `calendarId/uid` nor `calendarId/uid/recurrenceId`.
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
