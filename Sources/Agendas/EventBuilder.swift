import CIcal
import Timelines

/// Makes an event of a VEVENT component.
struct EventBuilder {
    let component: ICalendarReader.Component
    let calendarId: String
    let zones: ICalendarZones
    /// What was not taken over, of an event that could be made.
    private(set) var remarks: [ICalendarProblem] = []

    /// What this program reads itself, as the text says it.
    private static let recurrenceNames: Set<String> = ["RRULE", "RDATE", "EXDATE", "EXRULE"]

    init(_ component: ICalendarReader.Component, calendarId: String, zones: ICalendarZones) {
        self.component = component
        self.calendarId = calendarId
        self.zones = zones
    }

    mutating func event() throws(ICalendarProblem) -> CalendarEvent {
        let own = component.lines.filter { !Self.recurrenceNames.contains($0.name) }
        guard let ical = IcalComponent("VEVENT", lines: own) else {
            throw ICalendarProblem(line: component.line, reason: "VEVENT can't be read")
        }
        do throws(CalendarEventProblem) {
            return try event(ical)
        } catch {
            throw ICalendarProblem(line: line(of: error.field), reason: error.description)
        }
    }

    private mutating func event(_ ical: borrowing IcalComponent) throws(CalendarEventProblem) -> CalendarEvent {
        guard let uid = ical.text(ICAL_UID_PROPERTY), !uid.isEmpty else {
            throw CalendarEventProblem(field: "UID", reason: "is missing")
        }
        guard let said = ical.time(ICAL_DTSTART_PROPERTY) else { throw unreadable("DTSTART", "a date or date-time") }
        var times = EventTimes(start: said.time, zone: try zones.zone(said.zoneName), end: try end(ical))
        let recurrenceId = try originalStart(ical)
        var lines = try recurrenceLines()
        if recurrenceId != nil, !lines.isEmpty {
            remark("RRULE", "an event with RECURRENCE-ID does not recur; its recurrence is left out")
            lines = []
        }
        if let remark = try times.settle(&lines) { self.remark("DTSTART", remark) }
        return try CalendarEvent(
            calendarId: calendarId, uid: uid, recurrenceId: recurrenceId, sequence: ical.sequence,
            updatedAt: updatedAt(ical), title: ical.text(ICAL_SUMMARY_PROPERTY) ?? "",
            location: ical.text(ICAL_LOCATION_PROPERTY), start: times.start, end: times.end, timeZone: times.timeZone,
            status: ical.status, recurrence: lines)
    }

    // MARK: - Properties

    private func end(_ ical: borrowing IcalComponent) throws(CalendarEventProblem) -> EventTimes.End? {
        if has("DTEND") {
            guard let said = ical.time(ICAL_DTEND_PROPERTY) else { throw unreadable("DTEND", "a date or date-time") }
            return .at(said.time, try zones.zone(said.zoneName))
        }
        guard has("DURATION") else { return nil }
        guard let duration = ical.duration else { throw unreadable("DURATION", "a positive duration such as PT30M") }
        return .after(duration)
    }

    /// An instant where the text's time has a zone, as a key can't name it.
    private mutating func originalStart(
        _ ical: borrowing IcalComponent
    ) throws(CalendarEventProblem) -> EventTime? {
        guard has("RECURRENCE-ID") else { return nil }
        guard let said = ical.time(ICAL_RECURRENCEID_PROPERTY) else {
            throw unreadable("RECURRENCE-ID", "a date or date-time")
        }
        if ical.has(ICAL_RANGE_PARAMETER, on: ICAL_RECURRENCEID_PROPERTY) {
            remark("RECURRENCE-ID", "RANGE is not supported; the event stands for this one instance")
        }
        return try zones.zone(said.zoneName)?.instant(said.time) ?? said.time
    }

    private func updatedAt(_ ical: borrowing IcalComponent) -> Instant? {
        let said = ical.time(ICAL_LASTMODIFIED_PROPERTY) ?? ical.time(ICAL_DTSTAMP_PROPERTY)
        return said?.time.instant(in: .utc)
    }

    /// The recurrence lines with IANA names for zones, and with instants in zones that the text defines.
    private mutating func recurrenceLines() throws(CalendarEventProblem) -> [String] {
        var result: [String] = []
        for line in component.lines where Self.recurrenceNames.contains(line.name) {
            switch line.name {
            case "EXRULE": remark("EXRULE", "EXRULE is not supported and left out")
            case "RDATE", "EXDATE": result.append(try line.inContractZones(zones))
            default: result.append(line.text)
            }
        }
        return result
    }

    // MARK: - Reports

    private func has(_ name: String) -> Bool {
        component.lines.contains { $0.name == name }
    }

    private func line(of property: String) -> Int {
        let names = [
            "start": "DTSTART", "end": "DTEND", "duration": "DURATION", "timeZone": "DTSTART", "TZID": "DTSTART",
        ]
        let name = names[property] ?? property
        let found = component.lines.first {
            name == "recurrence" ? Self.recurrenceNames.contains($0.name) : $0.name == name
        }
        return found?.number ?? component.line
    }

    private func unreadable(_ property: String, _ allowed: String) -> CalendarEventProblem {
        let said = component.lines.first { $0.name == property }?.value
        return CalendarEventProblem(
            field: property, reason: said.map { "\"\($0)\" can't be read, allowed is \(allowed)" } ?? "is missing")
    }

    private mutating func remark(_ property: String, _ reason: String) {
        remarks.append(ICalendarProblem(line: line(of: property), reason: reason))
    }
}

extension ContentLine {
    /// An RDATE or EXDATE line with the IANA name of its zone, or in UTC where the text defines the zone.
    fileprivate func inContractZones(_ zones: ICalendarZones) throws(CalendarEventProblem) -> String {
        guard let said = zoneName, let zone = try zones.zone(said) else { return text }
        switch zone {
        case .iana(let calendar): return "\(name);TZID=\(calendar.timeZone)\(otherParameters):\(value)"
        case .defined: return inUTC(zone)
        }
    }

    /// An RDATE or EXDATE line whose local times, of a zone, have become instants.
    func inUTC(_ zone: ICalendarZones.Zone) -> String {
        let values = value.split(separator: ",").map { value in
            value.split(separator: "/").map { side in
                EventTime(basic: side).map { zone.instant($0).basic } ?? String(side)
            }
            .joined(separator: "/")
        }
        return "\(name)\(otherParameters):" + values.joined(separator: ",")
    }
}
