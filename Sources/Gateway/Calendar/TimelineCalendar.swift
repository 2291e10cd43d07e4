import Messages
import Timelines

/// A timeline's events as a calendar to subscribe to: each occurrence that an entry shows, once.
///
/// An occurrence is an event of its own, also one of a series: a timeline knows a part of the series alone. Its UID is
/// made of the event's key and the instance's original start, so it stays the same when the timeline is made again.
struct TimelineCalendar {
    private let record: TimelineRecord
    private let name: String
    private var events: [String: Event] = [:]

    private struct Event {
        var occurrence: Occurrence
        var isTentative: Bool
    }

    /// - Parameter name: the name that calendar programs show.
    init(_ record: TimelineRecord, name: String) {
        self.record = record
        self.name = name
        for entry in record.timeline.entries {
            if let event = entry.event { add(event, isTentative: entry.isTentative) }
            for event in entry.ongoing ?? [] { add(event, isTentative: false) }
            if let event = entry.next { add(event, isTentative: false) }
        }
    }

    private mutating func add(_ occurrence: Occurrence, isTentative: Bool) {
        let uid = Self.uid(of: occurrence)
        // Only an entry of its own says whether it is tentative.
        guard let known = events[uid] else {
            events[uid] = Event(occurrence: occurrence, isTentative: isTentative)
            return
        }
        if isTentative, !known.isTentative { events[uid]?.isTentative = true }
    }

    /// The event's calendar, UID and original start, percent-encoded: a UID may hold anything, and must be one text.
    static func uid(of occurrence: Occurrence) -> String {
        var parts = [occurrence.calendarId, occurrence.uid]
        switch occurrence.recurrenceId {
        case .instant(let instant): parts.append(CalendarText.basic(instant.rfc3339))
        case .date(let date): parts.append(CalendarText.basic(date.iso8601))
        case nil: break
        }
        return parts.map(encoded).joined(separator: "/") + "@tideline"
    }

    private static func encoded(_ part: String) -> String {
        var result = ""
        for byte in part.utf8 {
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// The calendar object (RFC 5545 section 3.4, names by RFC 7986): same timeline, same bytes.
    var bytes: [UInt8] {
        var text = CalendarText()
        text.line("BEGIN:VCALENDAR")
        text.line("VERSION:2.0")
        text.text("PRODID", "-//Tideline//Tideline \(ContractVersion.release)//EN")
        text.line("CALSCALE:GREGORIAN")
        text.line("METHOD:PUBLISH")
        text.text("NAME", name)
        text.text("X-WR-CALNAME", name)
        text.line("REFRESH-INTERVAL;VALUE=DURATION:PT15M")
        text.line("X-PUBLISHED-TTL:PT15M")
        // A calendar object has one component at least.
        if events.isEmpty { Self.writeZone(to: &text) }
        for (uid, event) in events.sorted(by: Self.precedes) { write(event, uid: uid, to: &text) }
        text.line("END:VCALENDAR")
        return text.bytes
    }

    private static func precedes(_ left: (key: String, value: Event), _ right: (key: String, value: Event)) -> Bool {
        let (one, other) = (left.value.occurrence.start, right.value.occurrence.start)
        return one == other ? left.key.precedesByUTF8(right.key) : one.precedesByUTF8(other)
    }

    private func write(_ event: Event, uid: String, to text: inout CalendarText) {
        text.line("BEGIN:VEVENT")
        text.text("UID", uid)
        text.instant("DTSTAMP", record.generatedAt)
        switch event.occurrence.when {
        case .timed(let start, let end):
            text.instant("DTSTART", start)
            // Without an end it lasts no time; DTEND must be later than DTSTART (section 3.6.1).
            if end > start { text.instant("DTEND", end) }
        case .allDay(let start, let end):
            text.date("DTSTART", start)
            if end > start { text.date("DTEND", end) }
        }
        text.text("SUMMARY", event.occurrence.title)
        if let location = event.occurrence.location { text.text("LOCATION", location) }
        text.line("STATUS:\(event.isTentative ? "TENTATIVE" : "CONFIRMED")")
        text.line("END:VEVENT")
    }

    private static func writeZone(to text: inout CalendarText) {
        for line in [
            "BEGIN:VTIMEZONE", "TZID:Etc/UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0000",
            "TZOFFSETTO:+0000", "TZNAME:UTC", "END:STANDARD", "END:VTIMEZONE",
        ] {
            text.line(line)
        }
    }
}

extension Occurrence {
    /// The start as text, which sorts as the starts do.
    fileprivate var start: String {
        switch when {
        case .timed(let start, _): start.rfc3339
        case .allDay(let start, _): start.iso8601
        }
    }
}
