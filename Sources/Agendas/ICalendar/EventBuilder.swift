import Timelines

/// Makes an event of a VEVENT component.
struct EventBuilder {
    private let component: ICalendarReader.Component
    private let calendarId: String
    private let isCancelled: Bool
    /// The parts that are used, but not as they are, if the event could be made.
    private(set) var remarks: [ICalendarProblem] = []

    /// - Parameter isCancelled: METHOD:CANCEL, which takes back what it holds (RFC 5546 §3.2.5).
    init(_ component: ICalendarReader.Component, calendarId: String, isCancelled: Bool) {
        self.component = component
        self.calendarId = calendarId
        self.isCancelled = isCancelled
    }

    /// - Throws: why the component is left out.
    mutating func draft(_ zones: inout ICalendarZones) throws(ICalendarProblem) -> EventDraft {
        guard let startLine = line(.start) else { throw problem(nil, "DTSTART is missing") }
        let start = try time(startLine, &zones)
        var times = EventTimes(start: start, end: try end(&zones), calendar: zones.calendar)
        for reason in times.remarks { remark(startLine, reason) }
        let originalLine = line(.recurrenceId)
        let original = try originalLine.map { (line) throws(ICalendarProblem) in try time(line, &zones) }
        let recurrence = try recurrence(of: &times, isOverride: original != nil, &zones)
        do throws(CalendarEventProblem) {
            let event = try CalendarEvent(
                calendarId: calendarId, uid: uid(), recurrenceId: original.map { $0.zone?.instant($0.time) ?? $0.time },
                isThisAndFuture: originalLine?.parameter("RANGE")?.uppercased() == "THISANDFUTURE",
                sequence: sequence, updatedAt: updatedAt, title: line(.summary)?.textValue ?? "",
                location: line(.location)?.textValue, start: times.start, end: times.end, timeZone: times.timeZone,
                definedZone: times.definedZone, status: status, recurrence: recurrence)
            let hasRecurrence = component.lines.contains { $0.property.isRecurrence }
            return EventDraft(event: event, line: component.line, original: original, hasRecurrence: hasRecurrence)
        } catch {
            throw problem(error.field, error.description)
        }
    }

    // MARK: - Times

    private mutating func time(
        _ line: ContentLine, _ zones: inout ICalendarZones
    ) throws(ICalendarProblem) -> EventTimes.Said {
        let value = line.value
        guard let time = EventTime(basic: value.uppercased()) else {
            throw ICalendarProblem(
                line: line.number,
                reason: "\(line.property.rawValue) \"\(value)\" can't be read, allowed is a date or date-time")
        }
        if case .date = time { return EventTimes.Said(time: time) }
        let name = line.parameter("TZID")
        // A time in UTC has no TZID (RFC 5545 §3.2.19). Programs that write one nevertheless mean the local time.
        if let zone = name.flatMap({ zones.zone($0) }) { return EventTimes.Said(time: time.withoutUTC, zone: zone) }
        guard case .local = time else { return EventTimes.Said(time: time) }
        if let name, !name.isEmpty { remark(line, "TZID \"\(name)\" is not known; such times float") }
        return EventTimes.Said(time: time, zone: zones.calendar.map { .iana($0) })
    }

    private mutating func end(_ zones: inout ICalendarZones) throws(ICalendarProblem) -> EventTimes.End? {
        if let line = line(.endTime) { return .at(try time(line, &zones)) }
        guard let line = line(.duration) else { return nil }
        guard let duration = SignedDuration(line.value) else {
            throw ICalendarProblem(
                line: line.number,
                reason: "DURATION \"\(line.value)\" can't be read, allowed is a duration such as PT30M")
        }
        return .after(duration)
    }

    private mutating func recurrence(
        of times: inout EventTimes, isOverride: Bool, _ zones: inout ICalendarZones
    ) throws(ICalendarProblem) -> [String] {
        let said = component.lines.filter { $0.property.isRecurrence && !$0.isEmpty }
        if isOverride {
            if let rule = said.first(where: { $0.property == .rule || $0.property == .dates }) {
                remark(rule, "an event with RECURRENCE-ID does not recur; its recurrence is left out")
            }
            times.settleSingle()
            return []
        }
        var isAllDay = false
        if case .date = times.start { isAllDay = true }
        var lines = RecurrenceLines(isAllDay: isAllDay, calendar: zones.calendar)
        for line in said { try lines.add(line, &zones) }
        remarks += lines.remarks
        guard case .defined(let zone)? = times.zone, case .local(let date, _) = times.start, !lines.lines.isEmpty
        else {
            times.settleSingle()
            return lines.lines
        }
        if let twin = zones.twin(of: zone, from: date.year) {
            times.settleSeries(in: twin)
        } else {
            times.settleSeries(in: zone)
        }
        lines.settleInstants(of: zone)
        return lines.lines
    }

    private var updatedAt: Instant? {
        let said = line(.lastModified) ?? line(.stamp)
        guard let said, let time = EventTime(basic: said.value.uppercased()) else { return nil }
        if case .date = time { return nil }
        return time.instant(in: .utc)
    }

    // MARK: - Other properties

    /// The name of an event without UID, made of its content, so that it has the same name tomorrow.
    private mutating func uid() -> String {
        if let uid = line(.uid)?.textValue { return uid }
        remark(nil, "UID is missing; the event is named by what it says")
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
        for line in component.lines where [.start, .endTime, .duration, .summary].contains(line.property) {
            for byte in line.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        return "unnamed-" + String(hash, radix: 16)
    }

    private var sequence: Int {
        // What is no number, or more than can be, is none.
        max(0, line(.sequence).flatMap { Int32($0.value) }.map { Int($0) } ?? 0)
    }

    private var status: EventStatus {
        if isCancelled { return .cancelled }
        return switch line(.status)?.value.uppercased() {
        case "CANCELLED", "CANCELED": .cancelled
        case "TENTATIVE": .tentative
        default: .confirmed
        }
    }

    // MARK: - Lines

    private func line(_ property: CalendarProperty) -> ContentLine? {
        component.lines.first { $0.property == property && !$0.isEmpty }
    }

    /// - Parameter field: of the contract.
    private func problem(_ field: String?, _ reason: String) -> ICalendarProblem {
        let properties: [String: CalendarProperty] = [
            "start": .start, "end": .endTime, "duration": .duration, "timeZone": .start, "recurrence": .rule,
            "recurrenceId": .recurrenceId,
        ]
        let said = field.flatMap { properties[$0] }.flatMap { line($0) }
        return ICalendarProblem(line: said?.number ?? component.line, reason: reason)
    }

    private mutating func remark(_ line: ContentLine?, _ reason: String) {
        remarks.append(ICalendarProblem(line: line?.number ?? component.line, reason: reason, isLeftOut: false))
    }
}

/// An event of a text before it is known what else the text says of its series.
struct EventDraft {
    var event: CalendarEvent
    /// The line at which the component begins.
    var line: Int
    /// RECURRENCE-ID as it is written.
    var original: EventTimes.Said?
    /// True if the event says how it recurs, which an override can't.
    var hasRecurrence: Bool
}
