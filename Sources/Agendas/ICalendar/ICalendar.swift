package import Timelines

/// Reads iCalendar text (RFC 5545), as `.ics` files hold it.
package enum ICalendar {
    /// Reads the events of an iCalendar text.
    ///
    /// A component that can't be read is left out and reported; all others are used. Times with a TZID become local
    /// times in an IANA zone. If the text alone defines the zone, they become instants, but a series recurs in an IANA
    /// zone of the same clocks, or else stays in the text's zone. If the text has an X-WR-TIMEZONE, floating times are
    /// in that zone, and series in UTC recur in it. The newest of several components with one UID and RECURRENCE-ID
    /// counts. The call runs on the caller's thread: some 100 ms for 5,000 events.
    ///
    /// - Parameter calendarId: the calendar that the events are of.
    package static func events(in text: some Sequence<UInt8>, calendarId: String) -> ICalendarImport {
        var reader = ICalendarReader(calendarId: calendarId)
        let bytes = Array(text)
        for (number, bytes) in ContentLines(bytes) {
            if let line = ContentLine(number: number, bytes: bytes) { reader.read(line) }
        }
        return reader.finish(isEmpty: bytes.isEmpty)
    }
}

/// The events of an iCalendar text.
package struct ICalendarImport: Hashable, Sendable {
    /// The events in the order of the text, each key once.
    package var events: [CalendarEvent]
    /// The problems in the order of the text.
    package var problems: [ICalendarProblem]
    /// The IANA name of the zone of floating times, which X-WR-TIMEZONE says.
    package var timeZone: String?

    /// The occurrences of the text that overlap `[from, to)`, as `tideline agenda` lists them.
    ///
    /// - Parameter calendar: the local time of all-day dates, and of floating times for which the text names no zone.
    package func agenda(from: Instant, to: Instant, in calendar: LocalCalendar) -> Agenda {
        var events = EventCalendar()
        for event in self.events { events.apply(event) }
        return events.agenda(from: from, to: to, in: calendar)
    }
}

/// A part of an iCalendar text that could not be used as it is.
package struct ICalendarProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1 on.
    package var line: Int
    package var reason: String
    /// True if a component was left out. Otherwise it is used, but not exactly as it is written.
    package var isLeftOut: Bool

    package init(line: Int, reason: String, isLeftOut: Bool = true) {
        self.line = line
        self.reason = reason
        self.isLeftOut = isLeftOut
    }

    package var description: String { "line \(line): \(reason)" }
}
