internal import Agendas
internal import Timelines

extension CalendarEvent {
    /// Reads the JSON of the contract.
    init(_ fields: MessageFields) throws(MessageProblem) {
        let status = try fields.name("status", of: EventStatus.self) ?? .confirmed
        // What is cancelled is never shown, and sources leave its title out.
        let title = try fields.text("title") ?? (status == .cancelled ? "" : nil)
        let sequence = try fields.integer("sequence", in: 0...Int64(Int32.max), "a whole number, 0 or more")
        let calendarId = try fields.requiredIdentifier("calendarId")
        let uid = try fields.requiredIdentifier("uid")
        let start = try fields.require("start", fields.time("start"))
        let requiredTitle = try fields.require("title", title)
        let recurrenceId = try fields.time("recurrenceId")
        let range = try fields.name("range", of: EventRange.self)
        let updatedAt = try fields.instant("updatedAt")
        let location = try fields.text("location")
        let end = try fields.end()
        let timeZone = try fields.text("timeZone")
        let allDay = try fields.bool("allDay")
        let recurrence = try fields.texts("recurrence") ?? []
        let preEventLead = try fields.lead("preEventLead")
        let vehicleId = try fields.identifier("vehicleId")
        do throws(CalendarEventProblem) {
            try self.init(
                calendarId: calendarId, uid: uid, recurrenceId: recurrenceId,
                isThisAndFuture: range == .thisAndFuture, sequence: Int(sequence ?? 0), updatedAt: updatedAt,
                title: requiredTitle, location: location, start: start, end: end, timeZone: timeZone, allDay: allDay,
                status: status, recurrence: recurrence, preEventLead: preEventLead, vehicleId: vehicleId)
        } catch {
            throw MessageProblem(.notAllowed, field: error.field, error.reason)
        }
    }
}

/// Which instances an override stands for besides its own.
enum EventRange: String, CaseIterable {
    case thisAndFuture
}

extension MessageFields {
    /// RFC 3339 or milliseconds since 1970, a local date-time, or a date.
    fileprivate func time(_ key: String) throws(MessageProblem) -> EventTime? {
        guard case .string(let text)? = self[key] else { return try instant(key).map(EventTime.instant) }
        guard let time = EventTime(text: text) else {
            throw .notAllowed(path(to: key), "an RFC 3339 date-time, a local date-time or a date that exists")
        }
        return time
    }

    fileprivate func end() throws(MessageProblem) -> EventEnd? {
        let end = try time("end")
        guard let text = try text("duration") else { return end.map(EventEnd.at) }
        guard end == nil else { throw .notAllowed(path(to: "duration"), "absent where there is an end") }
        guard let duration = CalendarDuration(iso8601: text) else {
            throw .notAllowed(path(to: "duration"), "an ISO 8601 duration, such as PT1H30M or P1D")
        }
        return .after(duration)
    }
}
