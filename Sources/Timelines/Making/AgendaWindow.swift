/// The window of local days that `events` looks at (STRATEGIES.md 2, events): which occurrences belong to it, and when.
package struct AgendaWindow: Sendable {
    package let calendar: LocalCalendar
    /// The midnights that begin its days, today's first.
    package let midnights: [Instant]
    /// The midnight after its last day; not part of it.
    package let end: Instant
    /// The lead of timed occurrences whose event names none.
    package let preEventLead: CalendarDuration

    package init(at: Instant, days: Int, preEventLead: CalendarDuration, in calendar: LocalCalendar) {
        precondition(days >= 1)
        self.calendar = calendar
        self.preEventLead = preEventLead
        var day = calendar.day(at: at)
        var midnights: [Instant] = []
        for _ in 0..<days {
            midnights.append(day.start)
            day = calendar.day(after: day)
        }
        self.midnights = midnights
        self.end = day.start
    }

    package var begin: Instant { midnights[0] }

    /// The first midnight later than the instant for which the window was made.
    package var nextMidnight: Instant { midnights.count > 1 ? midnights[1] : end }

    /// All that an occurrence of the window can overlap: an occurrence outside it is not shown.
    ///
    /// - Parameter lead: the longest lead of an event; nil: the configuration's.
    package func range(lead: CalendarDuration? = nil) -> Range<Instant> {
        let lead = lead ?? preEventLead
        // A lead's days are taken off a start, not added to the end: one day more covers what clocks skip between.
        let margin = CalendarDuration(days: lead.days > 0 ? 1 : 0)
        return begin..<calendar.adding(margin, to: calendar.adding(lead, to: end))
    }

    /// Whether an occurrence belongs to the window: it ends after the window begins (one of no length starts then or
    /// later), and its start minus its lead is before the window's end.
    package func includes(_ occurrence: Occurrence) -> Bool {
        includes(place(occurrence))
    }

    /// The window's occurrences by start, calendarId, uid.
    package func placed(_ occurrences: [Occurrence]) -> [PlacedOccurrence] {
        occurrences.map(place).filter(includes).sorted { $0.precedes($1) }
    }

    /// From when on an occurrence is announced; nil where no lead comes before its start.
    func announcement(of placed: PlacedOccurrence) -> Instant? {
        let lead = placed.occurrence.preEventLead ?? (placed.occurrence.isAllDay ? nil : preEventLead)
        guard let lead, !lead.isZero else { return nil }
        return calendar.subtracting(lead, from: placed.start)
    }

    private func place(_ occurrence: Occurrence) -> PlacedOccurrence {
        let (start, end) = calendar.interval(of: occurrence.when)
        return PlacedOccurrence(occurrence: occurrence, start: start, end: end)
    }

    private func includes(_ placed: PlacedOccurrence) -> Bool {
        let isNotOver = placed.hasLength ? placed.end > begin : placed.start >= begin
        return isNotOver && announcement(of: placed) ?? placed.start < end
    }
}

/// An occurrence with its start and end in a configuration's zone.
package struct PlacedOccurrence: Hashable, Sendable {
    package var occurrence: Occurrence
    package var start: Instant
    /// Not before `start`; exclusive.
    package var end: Instant

    package var hasLength: Bool { end > start }

    /// By start, calendarId and uid; then by what else tells occurrences apart, so that the order is one.
    func precedes(_ other: PlacedOccurrence) -> Bool {
        if start != other.start { return start < other.start }
        return occurrence.precedes(other.occurrence) ?? (end < other.end)
    }
}

extension SourceNeeds.AgendaNeed {
    /// The window of a timeline made at `at`.
    package func window(at: Instant, in calendar: LocalCalendar) -> AgendaWindow {
        AgendaWindow(at: at, days: days, preEventLead: preEventLead, in: calendar)
    }

    /// What to expand so that no occurrence of the window is missing. Give the longest lead of the events.
    package func range(at: Instant, in calendar: LocalCalendar, lead: CalendarDuration? = nil) -> Range<Instant> {
        window(at: at, in: calendar).range(lead: lead)
    }

    /// Whether a timeline made at `at` shows the occurrence. Of many occurrences ask one `window`.
    package func includes(_ occurrence: Occurrence, at: Instant, in calendar: LocalCalendar) -> Bool {
        window(at: at, in: calendar).includes(occurrence)
    }
}
