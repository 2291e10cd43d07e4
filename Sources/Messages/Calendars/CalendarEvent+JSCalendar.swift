internal import Agendas
internal import Timelines

/// Reads JSCalendar objects (RFC 8984): an Event becomes an event and one more for each of its overrides that changes
/// something; of a Group every Event.
struct JSCalendarReader {
    let key: CalendarRecordKey

    func batch(_ fields: MessageFields) throws(MessageProblem) -> CalendarEventBatch {
        guard case .string("Group")? = fields["@type"] else {
            return CalendarEventBatch(.resource, events: try events(fields))
        }
        var batch = CalendarEventBatch(.collection)
        for entry in try fields.objects("entries") ?? [] {
            // Tasks have no place in an agenda.
            if case .string("Task")? = entry["@type"] { continue }
            do throws(MessageProblem) {
                batch.events += try events(entry)
            } catch {
                batch.leaveOut(error)
            }
        }
        if batch.events.isEmpty, let problem = batch.problems.first { throw problem }
        return batch
    }

    private func events(_ fields: MessageFields) throws(MessageProblem) -> [CalendarEvent] {
        let calendarId = try key.calendarId(in: fields)
        let master = try JSCalendarEvent(fields)
        if let original = try fields.jsLocal("recurrenceId") {
            let zone = try fields.text("recurrenceIdTimeZone") ?? master.timeZone
            return [try master.event(calendarId, recurrenceId: master.moment(original, zone), recurrence: [])]
        }
        var lines = try fields.jsRules(isAllDay: master.isAllDay)
        var overrides: [CalendarEvent] = []
        for member in try fields.fields("recurrenceOverrides")?.members.members ?? [] {
            let path = fields.path(to: "recurrenceOverrides.\(member.key)")
            guard case .local? = EventTime(text: member.key), let original = EventTime(text: member.key) else {
                throw .notAllowed(path, "keyed by a local date-time")
            }
            let patch = try MessageFields(member.value, path: path)
            if try patch.bool("excluded") == true {
                lines.append(master.line("EXDATE", original))
                continue
            }
            // It may name a start that no rule makes.
            lines.append(master.line("RDATE", original))
            guard !patch.members.isEmpty else { continue }
            var patched = try JSCalendarEvent(fields.patched(by: patch, start: member.key, path: path))
            patched.sequence = max(patched.sequence, master.sequence)
            overrides.append(
                try patched.event(
                    calendarId, recurrenceId: master.moment(original, master.timeZone), recurrence: []))
        }
        return [try master.event(calendarId, recurrenceId: nil, recurrence: lines)] + overrides
    }
}

/// The fields of an Event that one `CalendarEvent` has.
private struct JSCalendarEvent {
    let fields: MessageFields
    let uid: String
    let start: EventTime
    let duration: CalendarDuration
    /// The zone of the start; `nil` means that the time is floating.
    let timeZone: String?
    let isAllDay: Bool
    var sequence: Int

    init(_ fields: MessageFields) throws(MessageProblem) {
        self.fields = fields
        uid = try fields.requiredIdentifier("uid")
        let local = try fields.require("start", fields.jsLocal("start"))
        timeZone = try fields.text("timeZone")
        let text = try fields.text("duration") ?? "PT0S"
        guard let duration = CalendarDuration(iso8601: text) else {
            throw .notAllowed(fields.path(to: "duration"), "an ISO 8601 duration, such as PT1H30M or P1D")
        }
        self.duration = duration
        sequence = Int(try fields.integer("sequence", in: 0...Int64(Int32.max), "a whole number, 0 or more") ?? 0)
        // An all-day event is a date in iCalendar. In JSCalendar it is whole days from midnight, shown without time.
        isAllDay =
            try fields.bool("showWithoutTime") == true && duration.time == .zero && duration.days > 0
            && local.isMidnight
        start = isAllDay ? .date(local.day) : local
    }

    func event(
        _ calendarId: String, recurrenceId: EventTime?, recurrence: [String]
    ) throws(MessageProblem) -> CalendarEvent {
        let status = try fields.name("status", of: EventStatus.self) ?? .confirmed
        let (title, updated) = (try fields.text("title") ?? "", try fields.instant("updated"))
        let location = try fields.jsLocation()
        do throws(CalendarEventProblem) {
            return try CalendarEvent(
                calendarId: calendarId, uid: uid, recurrenceId: recurrenceId, sequence: sequence, updatedAt: updated,
                title: title, location: location, start: start, end: .after(duration),
                timeZone: isAllDay ? nil : timeZone, status: status, recurrence: recurrence)
        } catch {
            throw MessageProblem(.notAllowed, field: fields.path(to: error.field), error.reason)
        }
    }

    /// The time of a recurrenceId: an instant if its zone is known, as a key cannot name a zone.
    func moment(_ original: EventTime, _ zone: String?) -> EventTime {
        if isAllDay { return .date(original.day) }
        guard let zone = zone.flatMap({ LocalCalendar($0) }) else { return original }
        return .instant(original.instant(in: zone))
    }

    func line(_ name: String, _ time: EventTime) -> String {
        "\(name):\(isAllDay ? String(time.basic.prefix(8)) : time.basic)"
    }
}

extension EventTime {
    /// The date of a local time; of an instant the date in UTC.
    fileprivate var day: LocalDate {
        switch self {
        case .local(let date, _), .date(let date): date
        case .instant(let instant): LocalCalendar.utc.date(at: instant)
        }
    }

    fileprivate var isMidnight: Bool {
        if case .local(_, .midnight) = self { true } else { false }
    }
}
