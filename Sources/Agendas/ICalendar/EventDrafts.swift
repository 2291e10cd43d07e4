import Timelines

/// The events of a text, one for each key.
struct EventDrafts {
    private var drafts: [EventDraft] = []
    private var byKey: [EventKey: Int] = [:]
    private(set) var problems: [ICalendarProblem] = []

    /// Adds a draft, unless there is one with the same key that is newer, or as new.
    mutating func add(_ draft: EventDraft) {
        let key = draft.event.key
        guard let index = byKey[key] else {
            byKey[key] = drafts.count
            drafts.append(draft)
            return
        }
        let isNewer = draft.event.isNewer(than: drafts[index].event)
        let (used, unused) = isNewer ? (draft, drafts[index]) : (drafts[index], draft)
        drafts[index] = used
        if used.event != unused.event {
            // It is what the rule of versions makes of both: nothing is lost.
            problems.append(
                ICalendarProblem(
                    line: unused.line, reason: "the same event comes in line \(used.line), which counts instead",
                    isLeftOut: false))
        }
    }

    /// The events, in the order of the text. What overrides name is put into the form of their series: a date of an
    /// all-day one, a floating time in the zone of one that has a zone.
    func events() -> [CalendarEvent] {
        var checks = 0
        return drafts.compactMap { draft in
            guard let original = draft.original, let index = byKey[draft.event.key.ofMaster] else { return draft.event }
            let master = drafts[index].event
            let form = Self.original(original, of: master) ?? draft.event.recurrenceId
            // Of the first and the last day that can be written, the other form may be of a year that cannot.
            let event = draft.event.replacing(form) ?? draft.event
            guard draft.hasRecurrence, event.sequence < master.sequence, checks < Self.checksMax else { return event }
            checks += 1
            return Self.isObsolete(event, beside: master) ? nil : event
        }
    }

    /// Each expands a series: more than any calendar needs would only keep a thread busy.
    private static let checksMax = 200

    private static func original(_ said: EventTimes.Said, of master: CalendarEvent) -> EventTime? {
        if master.isAllDay { return .date(said.time.writtenDate) }
        guard case .local = said.time, said.zone == nil, let zone = master.zone else { return nil }
        return .instant(said.time.instant(in: zone))
    }

    /// True if an event that recurs, and yet names an instance, stands for no instance. Such an event is a former
    /// master of the series; it counts only if the series still has the instance.
    private static func isObsolete(_ event: CalendarEvent, beside master: CalendarEvent) -> Bool {
        guard let original = event.recurrenceId else { return false }
        var calendar = EventCalendar()
        calendar.apply(master)
        let zone = master.zone ?? .utc
        let instant = original.instant(in: zone)
        let found = calendar.occurrences(from: instant - .hours(1), to: instant + .hours(1), in: zone)
        return !found.contains { occurrence in
            switch occurrence.recurrenceId {
            case .instant(let start): start == instant
            case .date(let date): .date(date) == original
            case nil: false
            }
        }
    }
}

extension EventKey {
    fileprivate var ofMaster: EventKey { EventKey(calendarId: calendarId, uid: uid) }
}

extension CalendarEvent {
    /// The same for another instance; `nil` if there can be no such instance.
    fileprivate func replacing(_ original: EventTime?) -> CalendarEvent? {
        guard original != recurrenceId else { return self }
        return try? CalendarEvent(
            calendarId: calendarId, uid: uid, recurrenceId: original, isThisAndFuture: isThisAndFuture,
            sequence: sequence, updatedAt: updatedAt, title: title, location: location, start: start, end: end,
            timeZone: timeZone, definedZone: definedZone, status: status, preEventLead: preEventLead,
            vehicleId: vehicleId)
    }
}
