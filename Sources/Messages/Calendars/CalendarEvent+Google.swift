internal import Agendas
internal import Timelines

extension CalendarEvent {
    /// Reads an event resource as the Google Calendar API returns it.
    ///
    /// The UID is the resource's `id`, of an instance of a series that of the series: `iCalUID` is not in all of them.
    /// A cancelled resource says little more than that; it becomes a cancelled event.
    ///
    /// - Parameter calendarZone: the zone of a resource that names none.
    init(google fields: MessageFields, key: CalendarRecordKey, calendarZone: String? = nil) throws(MessageProblem) {
        let calendarId = try key.calendarId(in: fields)
        let series = try fields.identifier("recurringEventId")
        let id = try fields.requiredIdentifier("id")
        let uid = series ?? id
        let status = try fields.googleStatus()
        let original = try fields.googleTime("originalStartTime", calendarZone)
        if series != nil, original == nil { throw .missing(fields.path(to: "originalStartTime")) }
        let updatedAt = try fields.instant("updated")
        let said = try fields.googleTime("start", calendarZone)
        let start = said ?? (status == .cancelled ? original : nil)
        let isGone = status == .cancelled && start == nil
        let end = isGone ? nil : try fields.googleTime("end", calendarZone)
        let hasNoEnd = try fields.bool("endTimeUnspecified") ?? false
        let sequence = try fields.integer("sequence", in: 0...Int64(Int32.max), "a whole number, 0 or more")
        let placeholder = EventTime.instant(updatedAt ?? Instant(milliseconds: 0))
        guard let when = start?.time ?? (isGone ? placeholder : nil) else { throw .missing(fields.path(to: "start")) }
        let (title, location) = (try fields.text("summary") ?? "", try fields.text("location"))
        let lines = original == nil ? try fields.googleRecurrence() : []
        do throws(CalendarEventProblem) {
            try self.init(
                calendarId: calendarId, uid: uid, recurrenceId: series == nil ? nil : original?.moment,
                sequence: Int(sequence ?? 0), updatedAt: updatedAt, title: title, location: location, start: when,
                end: hasNoEnd ? nil : end.map { .at($0.in(start)) }, timeZone: start?.timeZone, status: status,
                recurrence: lines)
        } catch {
            throw MessageProblem(.notAllowed, field: fields.path(to: error.field), error.reason)
        }
    }
}

/// A `date` or `dateTime` with `timeZone`.
private struct GoogleTime {
    var time: EventTime
    var timeZone: String?

    /// The time as a key has it: an instant if its zone is known, as a key cannot name a zone.
    var moment: EventTime {
        guard case .local = time, let zone = timeZone.flatMap({ LocalCalendar($0) }) else { return time }
        return .instant(time.instant(in: zone))
    }

    /// The time as an end: an instant if it is local in another zone than the start's.
    func `in`(_ start: GoogleTime?) -> EventTime {
        timeZone == start?.timeZone ? time : moment
    }
}

extension MessageFields {
    fileprivate func googleTime(_ key: String, _ calendarZone: String?) throws(MessageProblem) -> GoogleTime? {
        guard let fields = try fields(key) else { return nil }
        if let date = try fields.date("date") { return GoogleTime(time: .date(date)) }
        let said = try fields.require("dateTime", fields.text("dateTime"))
        let time = EventTime(text: said)
        if case .date = time { throw .notAllowed(fields.path(to: "dateTime"), "a date-time") }
        guard let time else { throw .notAllowed(fields.path(to: "dateTime"), "an RFC 3339 date-time") }
        return GoogleTime(time: time, timeZone: try fields.text("timeZone") ?? calendarZone)
    }

    fileprivate func googleStatus() throws(MessageProblem) -> EventStatus {
        try name("status", of: EventStatus.self) ?? .confirmed
    }

    /// The lines of the recurrence, without those that RFC 5545 has given up (EXRULE).
    fileprivate func googleRecurrence() throws(MessageProblem) -> [String] {
        (try texts("recurrence") ?? []).filter { !$0.uppercased().hasPrefix("EXRULE") }
    }
}
