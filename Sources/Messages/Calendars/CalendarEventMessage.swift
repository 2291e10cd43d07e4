package import Agendas
internal import Timelines

/// A value of the `calendar.events` topic (M4).
package enum CalendarEventMessage {
    /// Reads all events that a record holds: the contract's JSON or a Google Calendar event resource, which are one
    /// event each, a page of such resources, a JSCalendar object, or a whole iCalendar text.
    ///
    /// If one of several events cannot be used, its problem is reported beside the others. An event belongs to the
    /// calendar that it names itself, else to the one that the record's key names: `calendarId`, or the first part of
    /// `calendarId/uid`.
    ///
    /// - Parameters:
    ///    - contentType: the record's `content-type` header. `text/calendar` announces iCalendar text and
    ///      `application/jscalendar+json` JSCalendar; without them the value itself shows which it is.
    ///    - key: the record's key; `nil` if it has none.
    /// - Throws: if the record as a whole, or the only event in it, cannot be read. The problem names the field and
    ///   what is allowed.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, contentType: String? = nil, key: UnsafeRawBufferPointer?,
        with parser: inout JSONParser
    ) throws(MessageProblem) -> CalendarEventBatch {
        let bytes = ConfluentFraming.skipped(bytes)
        let key = CalendarRecordKey(key)
        if CalendarEventFormat.isICalendar(bytes, contentType: contentType) {
            return try iCalendar(bytes, calendarId: key.requiredCalendarId())
        }
        let fields = MessageFields(try parser.object(bytes))
        switch CalendarEventFormat(fields, contentType: contentType) {
        case .contract: return CalendarEventBatch(.event, events: [try CalendarEvent(fields)])
        case .google: return CalendarEventBatch(.resource, events: [try CalendarEvent(google: fields, key: key)])
        case .googlePage: return try googlePage(fields, key)
        case .jsCalendar: return try JSCalendarReader(key: key).batch(fields)
        }
    }

    /// Reads a record that is one event of the contract's JSON.
    ///
    /// - Throws: if the record cannot be read; the problem names the field and what is allowed.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, contentType: String? = nil, with parser: inout JSONParser
    ) throws(MessageProblem) -> CalendarEvent {
        guard CalendarEventFormat.mediaType(contentType) != "text/calendar" else {
            throw MessageProblem(.unreadable, field: "content-type", "must be application/json")
        }
        return try CalendarEvent(MessageFields(try parser.object(bytes)))
    }

    /// Reads a record that is one event of a calendar, as `CalendarEvent.message` writes it: the contract's JSON, or
    /// iCalendar text.
    ///
    /// - Throws: if the record cannot be read; the problem names the field or the line, and what is allowed.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, of calendarId: String, with parser: inout JSONParser
    ) throws(MessageProblem) -> CalendarEvent {
        guard CalendarEventFormat.isICalendar(bytes, contentType: nil) else { return try decode(bytes, with: &parser) }
        let batch = try iCalendar(bytes, calendarId: calendarId)
        guard let event = batch.events.first, batch.events.count == 1 else {
            throw MessageProblem(.notAllowed, "The iCalendar text must hold one event, not \(batch.events.count).")
        }
        return event
    }

    /// All problems of a JSON record; empty if all of its events can be used.
    ///
    /// - Parameter key: the record's key. An event in the contract's JSON names it itself.
    package static func problems(
        of bytes: UnsafeRawBufferPointer, key: [UInt8]?, with parser: inout JSONParser
    ) -> [MessageProblem] {
        do throws(MessageProblem) {
            let fields = MessageFields(try parser.object(bytes))
            guard case .contract = CalendarEventFormat(fields, contentType: nil) else {
                return try (key ?? []).withUnsafeBufferPointer { name throws(MessageProblem) in
                    let name = UnsafeRawBufferPointer(name)
                    let batch = try decode(bytes, key: name, with: &parser)
                    try batch.checkSteps()
                    if batch.leftOut.isEmpty, key != nil { _ = try CalendarFiling(batch, CalendarRecordKey(name)) }
                    return batch.leftOut
                }
            }
            return CalendarEvent.problems(fields)
        } catch {
            return [error]
        }
    }

    private static func iCalendar(
        _ bytes: UnsafeRawBufferPointer, calendarId: String
    ) throws(MessageProblem) -> CalendarEventBatch {
        let found = ICalendar.events(in: bytes, calendarId: calendarId)
        let problems = found.problems.map { MessageProblem(.notAllowed, field: "line \($0.line)", $0.reason) }
        let isUsable = !found.events.isEmpty || found.problems.allSatisfy { !$0.isLeftOut }
        guard isUsable, !bytes.isEmpty else {
            throw problems.first ?? MessageProblem(.unreadable, "The message is not an iCalendar text.")
        }
        let leftOut = zip(found.problems, problems).filter { $0.0.isLeftOut }.map(\.1)
        return CalendarEventBatch(.collection, events: found.events, problems: problems, leftOut: leftOut)
    }

    /// Reads an answer of `events.list` of the Google Calendar API.
    private static func googlePage(
        _ fields: MessageFields, _ key: CalendarRecordKey
    ) throws(MessageProblem) -> CalendarEventBatch {
        let timeZone = try fields.text("timeZone")
        var batch = CalendarEventBatch(.collection)
        for item in try fields.objects("items") ?? [] {
            do throws(MessageProblem) {
                batch.events.append(try CalendarEvent(google: item, key: key, calendarZone: timeZone))
            } catch {
                batch.leaveOut(error)
            }
        }
        if batch.events.isEmpty, let problem = batch.problems.first { throw problem }
        return batch
    }
}

/// The events of one record of `calendar.events`.
package struct CalendarEventBatch: Hashable, Sendable {
    package var form: Form
    /// The events that can be used, in the order of the record.
    package var events: [CalendarEvent]
    /// The problems of the record: of events that could not be used, or not as they are.
    package var problems: [MessageProblem]
    /// The problems for which something was left out; a part of `problems`.
    package private(set) var leftOut: [MessageProblem]

    package init(
        _ form: Form = .event, events: [CalendarEvent] = [], problems: [MessageProblem] = [],
        leftOut: [MessageProblem] = []
    ) {
        self.form = form
        self.events = events
        self.problems = problems
        self.leftOut = leftOut
    }

    /// The most steps that finding the occurrences of a record's series may take. Each view of the calendar takes them
    /// at each midnight: more would keep a process from its work.
    package static let stepsMax = 10_000_000

    /// For whoever takes a record in. What was taken in before is read as it is.
    package func checkSteps() throws(MessageProblem) {
        // Of fewer, even the worst take no more.
        guard events.count > Self.stepsMax / CalendarEvent.stepsMax else { return }
        let steps = events.reduce(0) { $0 + $1.steps }
        guard steps > Self.stepsMax else { return }
        throw MessageProblem(
            .notAllowed,
            "The series of the calendar take \(steps) steps to find their instances, at most \(Self.stepsMax) are"
                + " taken: give series with a large COUNT an UNTIL, repeat none each second, or split the calendar."
        )
    }

    mutating func leaveOut(_ problem: MessageProblem) {
        problems.append(problem)
        leftOut.append(problem)
    }

    /// The part of a calendar for which a record stands.
    package enum Form: Hashable, Sendable {
        /// The event of the contract that it names, whatever its key.
        case event
        /// One event, with its overrides perhaps, of another system: a Google Calendar resource, a JSCalendar Event.
        case resource
        /// All that it holds: an iCalendar text, a page of Google Calendar resources, a JSCalendar Group.
        case collection
    }
}

/// The format of events in JSON.
enum CalendarEventFormat {
    case contract
    /// An event resource of the Google Calendar API.
    case google
    /// A list of such resources.
    case googlePage
    /// RFC 8984.
    case jsCalendar

    init(_ fields: MessageFields, contentType: String?) {
        func has(_ key: String, _ texts: String...) -> Bool {
            guard case .string(let text)? = fields[key] else { return false }
            return texts.contains(text)
        }
        let isNamedLikeGoogle = fields["uid"] == nil && fields["id"] != nil
        if Self.mediaType(contentType) == "application/jscalendar+json" || has("@type", "Event", "Group", "jsevent") {
            self = .jsCalendar
        } else if has("kind", "calendar#events") {
            self = .googlePage
        } else if has("kind", "calendar#event") || isNamedLikeGoogle {
            self = .google
        } else {
            self = .contract
        }
    }

    /// The media type of a content type: without parameters, in small letters.
    static func mediaType(_ contentType: String?) -> String? {
        contentType.map { $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " } }
    }

    /// True if a value is iCalendar text, by its content type or by its beginning: no JSON value begins like this.
    static func isICalendar(_ bytes: UnsafeRawBufferPointer, contentType: String?) -> Bool {
        if mediaType(contentType) == "text/calendar" { return true }
        let begin = bytes.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(15)
        return String(decoding: begin, as: UTF8.self).uppercased() == "BEGIN:VCALENDAR"
    }
}
