import Timelines

extension CalendarEvent {
    func check(saidAllDay: Bool?) throws(CalendarEventProblem) {
        if calendarId.isEmpty { throw CalendarEventProblem(field: "calendarId", reason: "is empty") }
        if uid.isEmpty { throw CalendarEventProblem(field: "uid", reason: "is empty") }
        if sequence < 0 {
            throw CalendarEventProblem(field: "sequence", reason: "is \(sequence), allowed is 0 and more")
        }
        try checkExists(start, field: "start")
        if let recurrenceId { try checkExists(recurrenceId, field: "recurrenceId") }
        if isThisAndFuture, recurrenceId == nil {
            throw CalendarEventProblem(field: "range", reason: "is allowed beside recurrenceId only")
        }
        if let saidAllDay, saidAllDay != isAllDay {
            let allowed = saidAllDay ? "a date (2019-02-10), as allDay is true" : "a date-time, as allDay is false"
            throw CalendarEventProblem(field: "start", reason: "is \(start.text), allowed is \(allowed)")
        }
        let zone = try checkedZone()
        try checkEnd(zone)
        try checkLead()
        try checkRecurrence()
    }

    private func checkExists(_ time: EventTime, field: String) throws(CalendarEventProblem) {
        switch time {
        case .instant(let instant):
            guard !Self.years.contains(instant.milliseconds) else { return }
        case .local(let date, let clock):
            guard !date.isValid || !Self.isTimeOfDay(clock) else { return }
        case .date(let date):
            guard !date.isValid else { return }
        }
        throw CalendarEventProblem(field: field, reason: "is no day of the years 0001 to 9999, or no time of a day")
    }

    private static func isTimeOfDay(_ time: LocalTime) -> Bool {
        0...23 ~= time.hour && 0...59 ~= time.minute && 0...59 ~= time.second
    }

    /// The years 0001 to 9999, in milliseconds.
    private static let years: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000

    private func checkedZone() throws(CalendarEventProblem) -> LocalCalendar? {
        guard let timeZone else { return definedZone?.calendar }
        if let zone = LocalCalendar(timeZone) { return zone }
        throw CalendarEventProblem(
            field: "timeZone", reason: "\"\(timeZone)\" is not known, allowed are IANA names such as Europe/Berlin")
    }

    private func checkEnd(_ zone: LocalCalendar?) throws(CalendarEventProblem) {
        switch (start, end) {
        case (_, nil):
            return
        case (_, .after(let duration)):
            guard Self.allowsLength(duration) else {
                throw CalendarEventProblem(field: "duration", reason: "allowed is PT0S to P36525D")
            }
            guard !isAllDay || duration.time == .zero else {
                throw CalendarEventProblem(field: "duration", reason: "of an all-day event is whole days, such as P1D")
            }
        case (.date(let first), .at(.date(let last))):
            try checkExists(.date(last), field: "end")
            if last < first { throw endBeforeStart(last.iso8601) }
        case (.date, .at(let other)):
            throw CalendarEventProblem(field: "end", reason: "is \(other.text), allowed is a date, as start is one")
        case (_, .at(.date(let date))):
            throw CalendarEventProblem(
                field: "end", reason: "is \(date.iso8601), allowed is a date-time, as start is one")
        case (.local(let date, let time), .at(.local(let endDate, let endTime))):
            // Compared on the wall clock: an end that a gap puts before its start is no mistake of the record.
            try checkExists(.local(endDate, endTime), field: "end")
            if (endDate, endTime) < (date, time) { throw endBeforeStart(WallClock(endDate, endTime).text) }
        case (_, .at(let other)):
            try checkExists(other, field: "end")
            guard zone != nil || isInstant(start) && isInstant(other) else {
                throw CalendarEventProblem(
                    field: "timeZone", reason: "is needed where one of start and end is local and the other is not")
            }
            let zone = zone ?? .utc
            if other.instant(in: zone) < start.instant(in: zone) { throw endBeforeStart(other.text) }
        }
    }

    /// True if an event may be so long: a hundred years at most.
    static func allowsLength(_ duration: CalendarDuration) -> Bool {
        0...36_525 ~= duration.days && .zero ... .hours(876_600) ~= duration.time
    }

    private func isInstant(_ time: EventTime) -> Bool {
        if case .instant = time { true } else { false }
    }

    private func endBeforeStart(_ end: String) -> CalendarEventProblem {
        CalendarEventProblem(field: "end", reason: "\(end) lies before start \(start.text), allowed is start or later")
    }

    private func checkLead() throws(CalendarEventProblem) {
        guard let preEventLead else { return }
        guard preEventLead.days >= 0, preEventLead.time >= .zero, preEventLead.nominal <= .hours(31 * 24) else {
            throw CalendarEventProblem(field: "preEventLead", reason: "allowed is PT0S to P31D")
        }
    }

    private func checkRecurrence() throws(CalendarEventProblem) {
        guard !recurrence.isEmpty else { return }
        if recurrenceId != nil {
            throw CalendarEventProblem(field: "recurrence", reason: "is not allowed beside recurrenceId")
        }
        let set = try RecurrenceSet(lines: recurrence)
        if isAllDay, let rule = set.rules.first(where: { $0.frequency < .daily }) {
            throw CalendarEventProblem(
                field: "recurrence",
                reason: "FREQ=\(rule.frequency.name) of an all-day event, allowed is DAILY, WEEKLY, MONTHLY or YEARLY")
        }
    }
}

/// Why a record is no calendar event: the field, and what is allowed there.
package struct CalendarEventProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field's name in the contract, such as `end`.
    package let field: String
    package let reason: String

    package init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }

    package var description: String { "\(field): \(reason)" }
}
