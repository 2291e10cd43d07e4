import Messages
import RecordLog
import TestSupport
import Timelines

/// Calendar records as other systems write them; all times are instants.
extension PipelineFixture {
    /// A whole iCalendar text.
    func iCalendar(_ key: String, _ events: ICalendarEvent..., partition: Partition? = nil) {
        iCalendar(key, text: Self.iCalendarText(events), partition: partition)
    }

    func iCalendar(_ key: String, text: String, partition: Partition? = nil) {
        put(
            topics.calendarEvents, key: key, text, headers: [Header("content-type", "text/calendar; charset=utf-8")],
            partition: partition)
    }

    static func iCalendarText(_ events: [ICalendarEvent]) -> String {
        let lines = ["BEGIN:VCALENDAR", "VERSION:2.0"] + events.flatMap(\.lines) + ["END:VCALENDAR", ""]
        return lines.joined(separator: "\r\n")
    }

    /// A Google Calendar event resource. What is in `fields` follows the rest.
    func google(
        _ key: String, id: String, _ start: String, _ end: String, title: String? = nil, _ fields: String = "",
        partition: Partition? = nil
    ) {
        let members = [
            #""kind": "calendar#event""#, #""id": "\#(id)""#, #""iCalUID": "\#(id)@google.com""#,
            #""summary": "\#(title ?? id)""#, #""start": {"dateTime": "\#(at(start).rfc3339)"}"#,
            #""end": {"dateTime": "\#(at(end).rfc3339)"}"#, fields,
        ]
        put(
            topics.calendarEvents, key: key, "{" + members.filter { !$0.isEmpty }.joined(separator: ", ") + "}",
            partition: partition)
    }

    /// A JSCalendar Event of an hour in UTC.
    func jsCalendar(_ key: String, uid: String, _ start: String, _ fields: String = "") {
        let members = [
            #""@type": "Event""#, #""uid": "\#(uid)""#, #""title": "\#(uid)""#, #""duration": "PT1H""#,
            #""timeZone": "Etc/UTC""#, #""start": "\#(at(start).rfc3339.dropLast())""#, fields,
        ]
        put(topics.calendarEvents, key: key, "{" + members.filter { !$0.isEmpty }.joined(separator: ", ") + "}")
    }
}

/// A VEVENT.
struct ICalendarEvent {
    var lines: [String]

    init(_ uid: String, _ start: String, _ end: String, title: String? = nil, _ others: String...) {
        lines =
            [
                "BEGIN:VEVENT", "UID:\(uid)", "DTSTART:\(Self.basic(start))", "DTEND:\(Self.basic(end))",
                "SUMMARY:\(title ?? uid)",
            ] + others + ["END:VEVENT"]
    }

    /// `20260302T120000Z`
    static func basic(_ time: String) -> String { at(time).rfc3339.filter { $0 != "-" && $0 != ":" } }
}
