package import Agendas
internal import Timelines

extension CalendarEvent {
    /// The value of a record that is this event, and its content type; `nil` stands for JSON.
    package var message: (value: [UInt8], contentType: String?) {
        if let text = iCalendarText { return (text, "text/calendar") }
        var json = JSONWriter()
        write(to: &json)
        return (json.bytes, nil)
    }

    /// Writes the JSON of the contract (M4); defaults are left out.
    ///
    /// An event whose zone has no IANA name has no `timeZone`, but the member `iCalendar`, the text that its record
    /// holds and that is read in place of the other members.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.string("calendarId", calendarId)
        json.string("uid", uid)
        json.string("recurrenceId", recurrenceId?.text)
        json.string("range", isThisAndFuture ? "thisAndFuture" : nil)
        json.integer("sequence", sequence == 0 ? nil : sequence)
        json.instant("updatedAt", updatedAt)
        json.string("title", title)
        json.string("location", location)
        json.string("start", start.text)
        switch end {
        case .at(let end): json.string("end", end.text)
        case .after(let duration): json.string("duration", duration.iso8601)
        case nil: break
        }
        json.string("timeZone", definedZone == nil ? timeZone : nil)
        json.bool("allDay", isAllDay ? true : nil)
        json.string("status", status == .confirmed ? nil : status.rawValue)
        json.strings("recurrence", recurrence.isEmpty ? nil : recurrence)
        json.string("preEventLead", preEventLead?.iso8601)
        json.string("vehicleId", vehicleId)
        json.string("iCalendar", iCalendarText.map { String(decoding: $0, as: UTF8.self) })
        json.endObject()
    }
}

extension CalendarEvent {
    /// Reads the JSON of the contract.
    ///
    /// - Throws: the first one of `problems(_:)`.
    init(_ fields: MessageFields) throws(MessageProblem) {
        if let event = try Self.carried(fields) {
            self = event
        } else {
            self = try CalendarEventReading(fields).event()
        }
    }

    /// All problems of an event in the JSON of the contract; empty if the event can be used.
    static func problems(_ fields: MessageFields) -> [MessageProblem] {
        do throws(MessageProblem) {
            return try carried(fields) == nil ? CalendarEventReading(fields).allProblems() : []
        } catch {
            return [error]
        }
    }

    /// Reads the text that says what the other members can't: an event in a zone of its own.
    ///
    /// - Returns: the event; `nil` if there is no such text.
    private static func carried(_ fields: MessageFields) throws(MessageProblem) -> CalendarEvent? {
        guard let text = try fields.text("iCalendar") else { return nil }
        let (calendarId, uid) = (try fields.requiredIdentifier("calendarId"), try fields.requiredIdentifier("uid"))
        let found = ICalendar.events(in: text.utf8, calendarId: calendarId)
        guard let event = found.events.first, found.events.count == 1, event.uid == uid else {
            let reason = found.problems.first { $0.isLeftOut }.map { ": \($0.description)" } ?? ""
            throw .notAllowed(fields.path(to: "iCalendar"), "an iCalendar text that holds this event alone\(reason)")
        }
        return event
    }
}

/// Reads all fields of an event, also behind one that is wrong.
private struct CalendarEventReading {
    private var problems: [MessageProblem] = []
    private var calendarId = ""
    private var uid = ""
    private var recurrenceId: EventTime?
    private var isThisAndFuture = false
    private var sequence: Int64?
    private var updatedAt: Instant?
    private var title = ""
    private var location: String?
    private var start = EventTime.instant(Instant(milliseconds: 0))
    private var end: EventEnd?
    private var timeZone: String?
    private var allDay: Bool?
    private var status = EventStatus.confirmed
    private var recurrence: [String] = []
    private var preEventLead: CalendarDuration?
    private var vehicleId: String?

    init(_ fields: MessageFields) {
        status = value { () throws(MessageProblem) in try fields.name("status", of: EventStatus.self) } ?? status
        let givenTitle = value { () throws(MessageProblem) in try fields.text("title") }
        let isTitleWrong = !problems.isEmpty && problems.last?.field == fields.path(to: "title")
        sequence = value { () throws(MessageProblem) in
            try fields.integer("sequence", in: 0...Int64(Int32.max), "a whole number, 0 or more")
        }
        calendarId = value { () throws(MessageProblem) in try fields.requiredIdentifier("calendarId") } ?? ""
        uid = value { () throws(MessageProblem) in try fields.requiredIdentifier("uid") } ?? ""
        start = value { () throws(MessageProblem) in try fields.require("start", fields.time("start")) } ?? start
        // A cancelled event is never shown, and sources leave its title out.
        if let givenTitle {
            title = givenTitle
        } else if status != .cancelled, !isTitleWrong {
            problems.append(.missing(fields.path(to: "title")))
        }
        recurrenceId = value { () throws(MessageProblem) in try fields.time("recurrenceId") }
        isThisAndFuture =
            value { () throws(MessageProblem) in try fields.name("range", of: EventRange.self) } == .thisAndFuture
        updatedAt = value { () throws(MessageProblem) in try fields.instant("updatedAt") }
        location = value { () throws(MessageProblem) in try fields.text("location") }
        end = value { () throws(MessageProblem) in try fields.end() }
        timeZone = value { () throws(MessageProblem) in try fields.text("timeZone") }
        allDay = value { () throws(MessageProblem) in try fields.bool("allDay") }
        recurrence = value { () throws(MessageProblem) in try fields.texts("recurrence") } ?? []
        preEventLead = value { () throws(MessageProblem) in try fields.lead("preEventLead") }
        vehicleId = value { () throws(MessageProblem) in try fields.identifier("vehicleId") }
    }

    func event() throws(MessageProblem) -> CalendarEvent {
        if let problem = problems.first { throw problem }
        return try possibleEvent()
    }

    /// Finds all problems of an event that is impossible, by leaving out one wrong field after the other.
    consuming func allProblems() -> [MessageProblem] {
        // The stand-in of a wrong field would make other fields wrong.
        guard problems.isEmpty else { return problems }
        while true {
            do throws(MessageProblem) {
                _ = try possibleEvent()
                return problems
            } catch {
                guard !problems.contains(where: { $0.field == error.field }) else { return problems }
                problems.append(error)
                switch error.field {
                case "recurrenceId": recurrenceId = nil
                case "range": isThisAndFuture = false
                case "end", "duration": end = nil
                case "timeZone": timeZone = nil
                case "recurrence": recurrence = []
                case "preEventLead": preEventLead = nil
                default: return problems
                }
            }
        }
    }

    private func possibleEvent() throws(MessageProblem) -> CalendarEvent {
        do throws(CalendarEventProblem) {
            return try CalendarEvent(
                calendarId: calendarId, uid: uid, recurrenceId: recurrenceId, isThisAndFuture: isThisAndFuture,
                sequence: Int(sequence ?? 0), updatedAt: updatedAt, title: title, location: location, start: start,
                end: end, timeZone: timeZone, allDay: allDay, status: status, recurrence: recurrence,
                preEventLead: preEventLead, vehicleId: vehicleId)
        } catch {
            throw MessageProblem(.notAllowed, field: error.field, error.reason)
        }
    }

    private mutating func value<Value>(_ read: () throws(MessageProblem) -> Value?) -> Value? {
        do throws(MessageProblem) {
            return try read()
        } catch {
            problems.append(error)
            return nil
        }
    }
}

/// The instances for which an override stands besides its own.
enum EventRange: String, CaseIterable {
    case thisAndFuture
}

extension MessageFields {
    /// Reads a time: RFC 3339 or milliseconds since 1970, a local date-time, or a date.
    fileprivate func time(_ key: String) throws(MessageProblem) -> EventTime? {
        guard case .string(let text)? = self[key] else { return try instant(key).map(EventTime.instant) }
        guard let time = EventTime(text: text) else {
            throw .notAllowed(path(to: key), "an RFC 3339 date-time, a local date-time or a date that exists")
        }
        return time
    }

    fileprivate func end() throws(MessageProblem) -> EventEnd? {
        let end = try time("end")
        guard let text = try text("duration") else { return end.map(EventEnd.at) }
        guard end == nil else { throw .notAllowed(path(to: "duration"), "absent where there is an end") }
        guard let duration = CalendarDuration(iso8601: text) else {
            throw .notAllowed(path(to: "duration"), "an ISO 8601 duration, such as PT1H30M or P1D")
        }
        return .after(duration)
    }
}
