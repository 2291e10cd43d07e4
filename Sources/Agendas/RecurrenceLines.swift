import Timelines

/// The recurrence lines of a VEVENT on their way into the contract: IANA names for zones, instants in zones that only
/// the text knows.
struct RecurrenceLines {
    private(set) var lines: [String] = []
    private(set) var remarks: [ICalendarProblem] = []
    private let isAllDay: Bool
    private let calendar: LocalCalendar?

    /// - Parameter calendar: X-WR-TIMEZONE.
    init(isAllDay: Bool, calendar: LocalCalendar?) {
        self.isAllDay = isAllDay
        self.calendar = calendar
    }

    /// - Throws: where a rule can't be read; dates that can't be are left out and remarked.
    mutating func take(_ line: ContentLine, _ zones: inout ICalendarZones) throws(ICalendarProblem) {
        switch line.property {
        case .rule: try takeRule(line)
        case .dates, .exceptionDates: takeDates(line, &zones)
        default: remark(line, "\(line.property.rawValue) is not supported and left out")
        }
    }

    private mutating func takeRule(_ line: ContentLine) throws(ICalendarProblem) {
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

    private mutating func takeDates(_ line: ContentLine, _ zones: inout ICalendarZones) {
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

    /// A time or a period as a record says it; nil, where it can't be read.
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

    /// Puts the local times of a series into instants of the zone that its text defines.
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

    /// How many instances of a series are listed at most.
    private static let listed = 5000

    /// Lists the instances of a series in a zone that agrees with no IANA zone.
    ///
    /// - Parameter listable: how many there may be; what is listed is taken off.
    /// - Returns: what is lost thereby.
    mutating func settleList(
        from first: WallClock, in zone: DefinedZone, _ listable: inout Int
    ) throws(CalendarEventProblem) -> String {
        guard listable > 0 else {
            throw RecurrenceRule.problem(
                "TZID \"\(zone.name)\" agrees with no IANA zone, and more series in such zones than can be listed")
        }
        let set = try RecurrenceSet(lines: lines)
        let horizon = LocalDate(year: min(first.date.year + 50, 9999), month: first.date.month, day: 1)
        let request = StartRequest(
            first: first, window: first...max(first, WallClock(horizon, .midnight)), isAllDay: false,
            maximum: Self.listed, exists: { _ in true },
            isUntil: { start, until in
                switch until {
                case .instant(let instant): zone.instant(of: start) <= instant
                case .local(let date, let time): start <= WallClock(date, time)
                case .date(let date): start.date <= date
                }
            })
        var steps = ExpansionLimit.steps
        var starts: Set<WallClock> = []
        var isComplete = true
        for rule in set.rules {
            do throws(ExpansionLimit) {
                starts.formUnion(try rule.starts(request, steps: &steps))
            } catch {
                isComplete = false
            }
        }
        let times = starts.sorted().prefix(Self.listed).map { EventTime.instant(zone.instant(of: $0)).basic }
        isComplete = isComplete && starts.count < Self.listed
        listable -= times.count
        lines.removeAll { $0.hasPrefix("RRULE") }
        settleInstants(of: zone)
        if !times.isEmpty { lines.append("RDATE:" + times.joined(separator: ",")) }
        return "TZID \"\(zone.name)\" agrees with no IANA zone; the series is kept as a list of "
            + "\(times.count) instances" + (isComplete ? "" : " and ends there")
    }
}

extension EventTime {
    /// What is written, without saying that it is in UTC.
    var withoutUTC: EventTime {
        guard case .instant(let instant) = self else { return self }
        let wall = WallClock(seconds: instant.milliseconds.flooredDivision(by: 1000))
        return .local(wall.date, wall.time)
    }

    /// The day on which it is: of an instant, in a calendar's zone or else in UTC.
    func day(in calendar: LocalCalendar?) -> LocalDate {
        if case .instant(let instant) = self { return (calendar ?? .utc).date(at: instant) }
        return writtenDate
    }
}
