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
        text.add("BEGIN:VCALENDAR")
        text.add("VERSION:2.0")
        text.add("PRODID:-//Tideline//Tideline//EN")
        text.add("BEGIN:VTIMEZONE")
        text.add("TZID:\(definedZone.name.escaped)")
        for line in definedZone.lines { text.add(line) }
        text.add("END:VTIMEZONE")
        text.add("BEGIN:VEVENT")
        text.add("UID:\(uid.escaped)")
        if let recurrenceId { text.add("RECURRENCE-ID", recurrenceId, in: definedZone) }
        if let updatedAt { text.add("DTSTAMP:\(EventTime.instant(updatedAt).basic)") }
        if sequence > 0 { text.add("SEQUENCE:\(sequence)") }
        if !title.isEmpty { text.add("SUMMARY:\(title.escaped)") }
        if let location { text.add("LOCATION:\(location.escaped)") }
        if status != .confirmed { text.add("STATUS:\(status.rawValue.uppercased())") }
        text.add("DTSTART", start, in: definedZone)
        switch end {
        case .at(let end): text.add("DTEND", end, in: definedZone)
        case .after(let duration): text.add("DURATION:\(duration.iso8601)")
        case nil: break
        }
        for line in recurrence { text.add(line) }
        text.add("END:VEVENT")
        text.add("END:VCALENDAR")
        return text.bytes
    }
}

/// Content lines, one after the other.
private struct ICalendarText {
    private(set) var bytes: [UInt8] = []

    private static let widthMax = 75

    /// Folds between characters (RFC 5545 §3.1).
    mutating func add(_ line: String) {
        var width = 0
        for character in line.unicodeScalars {
            let scalar = UTF8.encode(character)!
            if width + scalar.count > Self.widthMax {
                bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: " ")]
                width = 1
            }
            bytes += scalar
            width += scalar.count
        }
        bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    mutating func add(_ name: String, _ time: EventTime, in zone: DefinedZone) {
        switch time {
        case .instant: add("\(name):\(time.basic)")
        // Names of zones hold colons and commas at times; quotation marks they never hold.
        case .local: add("\(name);TZID=\"\(zone.name)\":\(time.basic)")
        case .date: add("\(name);VALUE=DATE:\(time.basic)")
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
