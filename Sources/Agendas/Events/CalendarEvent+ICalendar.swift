import Timelines

extension CalendarEvent {
    /// The event as an iCalendar text of its own with its VTIMEZONE (RFC 5545), if it recurs in a zone that IANA's
    /// database does not have: its record holds that text. The result is `nil` for all others, which JSON can say.
    ///
    /// The same event gives the same bytes, and `ICalendar.events` reads the event out of them again. Lines end with
    /// CRLF and are folded after 75 bytes.
    package var iCalendarText: [UInt8]? {
        guard let definedZone else { return nil }
        var text = ICalendarText()
        text.line("BEGIN:VCALENDAR")
        text.line("VERSION:2.0")
        text.line("PRODID:-//Tideline//Tideline//EN")
        text.line("BEGIN:VTIMEZONE")
        text.line("TZID:\(definedZone.name.escaped)")
        for line in definedZone.lines { text.line(line) }
        text.line("END:VTIMEZONE")
        text.line("BEGIN:VEVENT")
        text.line("UID:\(uid.escaped)")
        if let recurrenceId { text.add("RECURRENCE-ID", recurrenceId, in: definedZone) }
        if let updatedAt { text.line("DTSTAMP:\(EventTime.instant(updatedAt).basic)") }
        if sequence > 0 { text.line("SEQUENCE:\(sequence)") }
        if !title.isEmpty { text.line("SUMMARY:\(title.escaped)") }
        if let location { text.line("LOCATION:\(location.escaped)") }
        if status != .confirmed { text.line("STATUS:\(status.rawValue.uppercased())") }
        text.add("DTSTART", start, in: definedZone)
        switch end {
        case .at(let end): text.add("DTEND", end, in: definedZone)
        case .after(let duration): text.line("DURATION:\(duration.iso8601)")
        case nil: break
        }
        for line in recurrence { text.line(line) }
        text.line("END:VEVENT")
        text.line("END:VCALENDAR")
        return text.bytes
    }
}

extension ICalendarText {
    fileprivate mutating func add(_ name: String, _ time: EventTime, in zone: DefinedZone) {
        switch time {
        case .instant: line("\(name):\(time.basic)")
        // Names of zones hold colons and commas at times; quotation marks they never hold.
        case .local: line("\(name);TZID=\"\(zone.name)\":\(time.basic)")
        case .date: line("\(name);VALUE=DATE:\(time.basic)")
        }
    }
}

extension String {
    /// A TEXT value (RFC 5545 §3.3.11); line ends of any kind as one kind.
    fileprivate var escaped: String {
        replacing("\\", with: "\\\\").replacing(";", with: "\\;").replacing(",", with: "\\,")
            .replacing("\r\n", with: "\\n").replacing("\n", with: "\\n").replacing("\r", with: "\\n")
    }
}
