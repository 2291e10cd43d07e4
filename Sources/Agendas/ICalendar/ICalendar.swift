package import Timelines

/// iCalendar text (RFC 5545), as `.ics` files hold it.
package enum ICalendar {
    /// Reads the events of an iCalendar text.
    ///
    /// What can be used is used: a component that can't be read is left out and reported. Times with a TZID become
    /// local times in an IANA zone. Where the text alone defines the zone they become instants, but a series recurs in
    /// an IANA zone of the same clocks, or else stays in the text's zone; floating times are those of
    /// the text's X-WR-TIMEZONE, where it has one, and series in UTC recur in it. Of components with one UID and
    /// RECURRENCE-ID the newest counts. Runs on the caller's thread: some 100 ms for 5,000 events.
    ///
    /// - Parameter calendarId: the calendar that the events are of.
    package static func events(in text: some Sequence<UInt8>, calendarId: String) -> ICalendarImport {
        var reader = ICalendarReader(calendarId: calendarId)
        let bytes = Array(text)
        for (number, bytes) in ContentLines(bytes) {
            if let line = ContentLine(number: number, bytes: bytes) { reader.take(line) }
        }
        return reader.finish(isEmpty: bytes.isEmpty)
    }
}

/// What an iCalendar text holds.
package struct ICalendarImport: Hashable, Sendable {
    /// In the order of the text, each key once.
    package var events: [CalendarEvent]
    /// In the order of the text.
    package var problems: [ICalendarProblem]
    /// X-WR-TIMEZONE: where the calendar's floating times count. An IANA name.
    package var timeZone: String?

    /// The occurrences of the text that overlap `[from, to)`, as `tideline agenda` lists them.
    ///
    /// - Parameter calendar: where all-day dates count, and floating times that the text names no zone for.
    package func agenda(from: Instant, to: Instant, in calendar: LocalCalendar) -> Agenda {
        var events = EventCalendar()
        for event in self.events { events.apply(event) }
        return events.agenda(from: from, to: to, in: calendar)
    }
}

/// What of an iCalendar text could not be used as it is.
package struct ICalendarProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    package var line: Int
    package var reason: String
    /// Whether a component was left out. Otherwise it is used, but not all that it says as it says it.
    package var isLeftOut: Bool

    package init(line: Int, reason: String, isLeftOut: Bool = true) {
        self.line = line
        self.reason = reason
        self.isLeftOut = isLeftOut
    }

    package var description: String { "line \(line): \(reason)" }
}
