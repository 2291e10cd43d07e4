import Timelines

/// An event's recurrence lines, read: which starts there are besides its own, and which there are not.
struct RecurrenceSet: Sendable {
    private(set) var rules: [RecurrenceRule] = []
    private(set) var dates: [Date] = []
    private(set) var excluded: [Time] = []

    /// A start that an RDATE names, with an end if it names a period.
    struct Date: Sendable {
        var start: Time
        var end: EventEnd?
    }

    /// A time with the zone that its line names, else the event's.
    struct Time: Sendable {
        var time: EventTime
        var zone: LocalCalendar?
    }

    /// - Throws: a problem of the field `recurrence` that quotes what can't be read and says what is allowed.
    init(lines: [String]) throws(CalendarEventProblem) {
        for line in lines {
            let line = try RecurrenceLine(line)
            switch line.name {
            case "RRULE":
                rules.append(try RecurrenceRule(text: line.value))
            case "RDATE":
                for value in line.values { dates.append(try Self.date(value, zone: line.zone)) }
            case "EXDATE":
                for value in line.values { excluded.append(Time(time: try Self.time(value), zone: line.zone)) }
            default:
                throw RecurrenceRule.problem("\(line.name) is not supported, allowed are RRULE, RDATE and EXDATE lines")
            }
        }
    }

    private static func time(_ text: some StringProtocol) throws(CalendarEventProblem) -> EventTime {
        if let time = EventTime(basic: text) { return time }
        throw RecurrenceRule.problem(
            "\"\(text)\" is no date or time, allowed is 20190331, 20190331T090000 or 20190331T070000Z")
    }

    /// A time, or a period: `start/end` or `start/duration` (RFC 5545 §3.3.9).
    private static func date(_ text: Substring, zone: LocalCalendar?) throws(CalendarEventProblem) -> Date {
        let sides = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let start = Time(time: try time(sides[0]), zone: zone)
        guard sides.count == 2 else { return Date(start: start) }
        if let duration = CalendarDuration(iso8601: String(sides[1])) {
            guard CalendarEvent.allowsLength(duration) else {
                throw RecurrenceRule.problem("\"\(text)\" is too long, allowed is PT0S to P36525D")
            }
            return Date(start: start, end: .after(duration))
        }
        let end = try time(sides[1])
        return Date(start: start, end: .at(zone.map { .instant(end.instant(in: $0)) } ?? end))
    }
}

/// One line of a recurrence: `NAME;PARAMETER=VALUE:value,value`.
struct RecurrenceLine {
    var name: String
    var value: Substring
    var zone: LocalCalendar?

    var values: [Substring] { value.split(separator: ",") }

    init(_ line: String) throws(CalendarEventProblem) {
        guard let colon = line.firstIndex(of: ":") else {
            throw RecurrenceRule.problem("\"\(line)\" is no line such as RRULE:FREQ=DAILY or EXDATE:20190331T070000Z")
        }
        let head = line[..<colon].split(separator: ";", omittingEmptySubsequences: false)
        name = head[0].uppercased()
        value = line[line.index(after: colon)...]
        for parameter in head.dropFirst() where parameter.uppercased().hasPrefix("TZID=") {
            let identifier = parameter.dropFirst("TZID=".utf8.count).filter { $0 != "\"" }
            guard let zone = LocalCalendar(identifier) else {
                throw RecurrenceRule.problem(
                    "TZID=\(identifier) is not known, allowed are IANA names such as Europe/Berlin")
            }
            self.zone = zone
        }
    }
}
