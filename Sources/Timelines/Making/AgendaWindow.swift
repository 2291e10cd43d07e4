/// The window of local days that `events` looks at (T20): which occurrences belong to it, and when.
package struct AgendaWindow: Sendable {
    package let calendar: LocalCalendar
    /// The midnight that began today.
    package let begin: Instant
    /// The midnights at which the days of the window begin, today's first.
    package let midnights: [Instant]
    /// The midnight after the last day, which is not part of the window. A window of no days ends at `begin`, and
    /// nothing belongs to it.
    package let end: Instant
    /// How long before its start a timed occurrence is announced whose event has no lead of its own.
    package let preEventLead: CalendarDuration

    package init(at: Instant, days: Int, preEventLead: CalendarDuration, in calendar: LocalCalendar) {
        precondition(days >= 0)
        self.calendar = calendar
        self.preEventLead = preEventLead
        var day = calendar.day(at: at)
        begin = day.start
        var midnights: [Instant] = []
        for _ in 0..<days {
            midnights.append(day.start)
            day = calendar.day(after: day)
        }
        self.midnights = midnights
        self.end = day.start
    }

    /// The first midnight later than the instant for which the window was made.
    package var nextMidnight: Instant { midnights.count > 1 ? midnights[1] : end }

    /// The stretch of time that every occurrence of the window overlaps.
    ///
    /// - Parameter lead: the longest lead of an event; `nil` stands for the configuration's.
    package func range(lead: CalendarDuration? = nil) -> Range<Instant> {
        let lead = lead ?? preEventLead
        // A lead's days are taken off a start, not added to the end: one day more covers what clocks skip between.
        let margin = CalendarDuration(days: lead.days > 0 ? 1 : 0)
        return begin..<calendar.adding(margin, to: calendar.adding(lead, to: end))
    }

    /// True if an occurrence belongs to the window: it ends after the window begins (one of no length starts then or
    /// later), and its start minus its lead is before the window's end.
    package func includes(_ occurrence: Occurrence) -> Bool {
        let (start, end) = calendar.interval(of: occurrence.when)
        return includes(occurrence, from: start, to: end)
    }

    /// The occurrences that belong to the window, in the order of start, calendarId, uid.
    package func placed(_ occurrences: [Occurrence]) -> [PlacedOccurrence] {
        // Occurrences are large: their places are sorted, then each is copied once.
        struct Place {
            var start: Instant
            var end: Instant
            var index: Int
        }
        var places: [Place] = []
        places.reserveCapacity(occurrences.count)
        for index in occurrences.indices {
            let (start, end) = calendar.interval(of: occurrences[index].when)
            if includes(occurrences[index], from: start, to: end) {
                places.append(Place(start: start, end: end, index: index))
            }
        }
        places.sort { left, right in
            if left.start != right.start { return left.start < right.start }
            return occurrences[left.index].precedes(occurrences[right.index]) ?? (left.end < right.end)
        }
        return places.map { PlacedOccurrence(occurrence: occurrences[$0.index], start: $0.start, end: $0.end) }
    }

    /// The instant from which on an occurrence is announced; `nil` means that no lead comes before its start.
    func announcement(of occurrence: Occurrence, startingAt start: Instant) -> Instant? {
        let lead = occurrence.preEventLead ?? (occurrence.isAllDay ? nil : preEventLead)
        guard let lead, !lead.isZero else { return nil }
        return calendar.subtracting(lead, from: start)
    }

    private func includes(_ occurrence: Occurrence, from start: Instant, to occurrenceEnd: Instant) -> Bool {
        let isNotOver = occurrenceEnd > start ? occurrenceEnd > begin : start >= begin
        return begin < end && isNotOver && announcement(of: occurrence, startingAt: start) ?? start < end
    }
}

/// An occurrence with its start and end in a configuration's zone.
public struct PlacedOccurrence: Hashable, Sendable {
    /// The occurrence.
    public var occurrence: Occurrence
    /// The start in the configuration's zone.
    public var start: Instant
    /// The exclusive end, not before `start`.
    public var end: Instant

    /// An occurrence with its start and end; see `LocalCalendar.interval(of:)`.
    public init(occurrence: Occurrence, start: Instant, end: Instant) {
        self.occurrence = occurrence
        self.start = start
        self.end = end
    }

    /// False if the occurrence ends when it starts.
    public var hasLength: Bool { end > start }
}

extension SourceNeeds.AgendaNeed {
    /// The window of a timeline made at `at`.
    package func window(at: Instant, in calendar: LocalCalendar) -> AgendaWindow {
        AgendaWindow(at: at, days: days, preEventLead: preEventLead, in: calendar)
    }
}
