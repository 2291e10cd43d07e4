import Timelines

/// The recurrence lines of a VEVENT on their way into the contract: IANA names for zones, instants in zones that only
/// the text knows.
struct RecurrenceLines {
    private(set) var lines: [String] = []
    private(set) var remarks: [ICalendarProblem] = []
    private let isAllDay: Bool
    private let calendar: LocalCalendar?

    /// - Parameter calendar: the local time of X-WR-TIMEZONE.
    init(isAllDay: Bool, calendar: LocalCalendar?) {
        self.isAllDay = isAllDay
        self.calendar = calendar
    }

    /// Adds a line of the event.
    ///
    /// - Throws: a problem if a rule can't be read; dates that can't be read are left out and remarked.
    mutating func add(_ line: ContentLine, _ zones: inout ICalendarZones) throws(ICalendarProblem) {
        switch line.property {
        case .rule: try addRule(line)
        case .dates, .exceptionDates: addDates(line, &zones)
        default: remark(line, "\(line.property.rawValue) is not supported and left out")
        }
    }

    private mutating func addRule(_ line: ContentLine) throws(ICalendarProblem) {
        // Some write the rule as a text with escapes.
        let text = line.value.unescaped
        do throws(CalendarEventProblem) {
            let rule = try RecurrenceRule(text: text)
            for remark in rule.remarks { self.remark(line, remark) }
        } catch {
            throw ICalendarProblem(line: line.number, reason: error.description)
        }
        lines.append("RRULE:\(text)")
    }

    private mutating func addDates(_ line: ContentLine, _ zones: inout ICalendarZones) {
        let name = line.parameter("TZID")
        let zone = name.flatMap { zones.zone($0) }
        if let name, zone == nil { remark(line, "TZID \"\(name)\" is not known; such times float") }
        var values: [String] = []
        for value in line.value.split(separator: ",").map({ $0.trimmed }) where !value.isEmpty {
            // Some exclude periods, of which the start says enough.
            let said = line.property == .dates ? value : String(value.prefix { $0 != "/" })
            guard let written = written(said, zone) else {
                remark(line, "\(line.property.rawValue) \(value) can't be read and is left out")
                continue
            }
            values.append(written)
        }
        guard !values.isEmpty else { return }
        var head = line.property.rawValue
        if case .iana(let calendar)? = zone, !isAllDay { head += ";TZID=\(calendar.timeZone)" }
        lines.append("\(head):\(values.joined(separator: ","))")
    }

    /// A time or a period as a record says it; `nil` means that it can't be read.
    private func written(_ value: String, _ zone: ICalendarZones.Zone?) -> String? {
        let sides = value.uppercased().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = EventTime(basic: sides[0]) else { return nil }
        if isAllDay { return EventTime.date(start.day(in: calendar)).basic }
        let first = said(start, zone)
        guard sides.count == 2 else { return first.basic }
        if CalendarDuration(iso8601: String(sides[1])) != nil { return "\(first.basic)/\(sides[1])" }
        // A period whose end can't be read, or lies before its start, is as long as the others.
        guard let end = EventTime(basic: sides[1]) else { return first.basic }
        return "\(first.basic)/\(said(end, zone).basic)"
    }

    private func said(_ time: EventTime, _ zone: ICalendarZones.Zone?) -> EventTime {
        guard let zone else { return time }
        guard case .defined = zone else { return time.withoutUTC }
        return zone.instant(time.withoutUTC)
    }

    private mutating func remark(_ line: ContentLine, _ reason: String) {
        remarks.append(ICalendarProblem(line: line.number, reason: reason, isLeftOut: false))
    }

    // MARK: - Zones of the text

    /// Puts the local times of RDATEs and EXDATEs into instants of the zone that the text defines.
    mutating func settleInstants(of zone: DefinedZone) {
        lines = lines.map { line in
            guard !line.hasPrefix("RRULE"), !line.contains(";TZID="), let colon = line.firstIndex(of: ":") else {
                return line
            }
            let values = line[line.index(after: colon)...].split(separator: ",").map { value in
                value.split(separator: "/").map { side in
                    EventTime(basic: side).map { ICalendarZones.Zone.defined(zone).instant($0).basic } ?? String(side)
                }
                .joined(separator: "/")
            }
            return line[...colon] + values.joined(separator: ",")
        }
    }
}

extension EventTime {
    /// The time as it is written, without the mark of UTC.
    var withoutUTC: EventTime {
        guard case .instant(let instant) = self else { return self }
        let wall = WallClock(seconds: instant.milliseconds.floored(by: 1000))
        return .local(wall.date, wall.time)
    }

    /// The day on which it is: of an instant, in a calendar's zone or else in UTC.
    func day(in calendar: LocalCalendar?) -> LocalDate {
        if case .instant(let instant) = self { return (calendar ?? .utc).date(at: instant) }
        return writtenDate
    }
}
