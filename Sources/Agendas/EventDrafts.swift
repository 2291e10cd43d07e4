import Timelines

/// The events of a text, one for each key.
struct EventDrafts {
    private var drafts: [EventDraft] = []
    private var byKey: [EventKey: Int] = [:]
    private(set) var problems: [ICalendarProblem] = []

    /// Of two with one key the newer counts, of two of the same version the first.
    mutating func take(_ draft: EventDraft) {
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
            problems.append(
                ICalendarProblem(
                    line: unused.line, reason: "the same event comes in line \(used.line), which counts instead"))
        }
    }

    /// The events, in the order of the text. What overrides name is put into the form of their series: a date of an
    /// all-day one, a floating time in the zone of one that has a zone.
    var events: [CalendarEvent] {
        drafts.map { draft in
            guard let original = draft.original, let index = byKey[draft.event.key.ofMaster] else { return draft.event }
            let master = drafts[index].event
            if master.isAllDay { return draft.event.replacing(.date(original.time.writtenDate)) }
            guard case .local = original.time, original.zone == nil, let name = master.timeZone,
                let zone = LocalCalendar(name)
            else { return draft.event }
            return draft.event.replacing(.instant(original.time.instant(in: zone)))
        }
    }
}

extension EventKey {
    fileprivate var ofMaster: EventKey { EventKey(calendarId: calendarId, uid: uid) }
}

extension CalendarEvent {
    /// The same for another instance.
    fileprivate func replacing(_ original: EventTime) -> CalendarEvent {
        guard original != recurrenceId else { return self }
        let event = try? CalendarEvent(
            calendarId: calendarId, uid: uid, recurrenceId: original, isThisAndFuture: isThisAndFuture,
            sequence: sequence, updatedAt: updatedAt, title: title, location: location, start: start, end: end,
            timeZone: timeZone, status: status, preEventLead: preEventLead, vehicleId: vehicleId)
        guard let event else { preconditionFailure("an event stays possible when it names another instance") }
        return event
    }
}
