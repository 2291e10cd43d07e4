/// iCalendar text (RFC 5545), as `.ics` files hold it.
package enum ICalendar {
    /// Reads the events of an iCalendar text.
    ///
    /// What can be used is used: a component that can't be read is left out and reported. Times with a TZID become
    /// local times in an IANA zone, or instants where the text defines the zone itself; floating times are those of
    /// the text's X-WR-TIMEZONE, where it has one. Runs on the caller's thread: about a second for 5,000
    /// events.
    ///
    /// - Parameter calendarId: the calendar that the events are of.
    package static func events(in text: some Sequence<UInt8>, calendarId: String) -> ICalendarImport {
        var reader = ICalendarReader(calendarId: calendarId)
        for line in ContentLine.lines(of: text) { reader.take(line) }
        return reader.finish()
    }
}

/// What an iCalendar text holds.
package struct ICalendarImport: Hashable, Sendable {
    /// In the order of the text.
    package var events: [CalendarEvent]
    /// In the order of the text.
    package var problems: [ICalendarProblem]
    /// X-WR-TIMEZONE: where the calendar's floating times and all-day events are at home. An IANA name.
    package var timeZone: String?
}

/// What of an iCalendar text could not be used as it is.
package struct ICalendarProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    package var line: Int
    package var reason: String

    package var description: String { "line \(line): \(reason)" }
}
