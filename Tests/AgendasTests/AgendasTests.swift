import Agendas
import Foundation
import TestSupport
import Testing
import Timelines

// What the tests of this module share: short ways to say events, instants and answers.

func time(_ text: String) throws -> EventTime {
    try #require(EventTime(text: text), "\(text)")
}

func zone(_ name: String) throws -> LocalCalendar {
    try #require(LocalCalendar(name), "\(name)")
}

func event(
    _ uid: String = "e", of original: String? = nil, start: String, end: String? = nil, duration: String? = nil,
    zone: String? = nil, title: String = "", sequence: Int = 0, updatedAt: String? = nil,
    status: EventStatus = .confirmed, recurrence: [String] = [], lead: String? = nil
) throws -> CalendarEvent {
    let length =
        try end.map { EventEnd.at(try time($0)) }
        ?? duration.map { EventEnd.after(try #require(CalendarDuration(iso8601: $0))) }
    return try CalendarEvent(
        calendarId: "c", uid: uid, recurrenceId: try original.map { try time($0) }, sequence: sequence,
        updatedAt: updatedAt.map { at($0) }, title: title, start: try time(start), end: length, timeZone: zone,
        status: status, recurrence: recurrence,
        preEventLead: try lead.map { try #require(CalendarDuration(iso8601: $0)) })
}

func calendar(_ events: CalendarEvent...) -> EventCalendar {
    var calendar = EventCalendar()
    for event in events { calendar.apply(event) }
    return calendar
}

extension EventCalendar {
    /// `start/end` of the occurrences, in UTC or as dates.
    func extents(_ from: String, _ to: String, in view: String = "UTC") throws -> [String] {
        try occurrences(from: at(from), to: at(to), in: zone(view)).map(\.extent)
    }

    /// The starts as the wall shows them in a zone: `1997-09-02T09:00:00`.
    func starts(_ from: String, _ to: String, in view: String) throws -> [String] {
        let calendar = try zone(view)
        return occurrences(from: at(from), to: at(to), in: calendar).map { occurrence in
            let start = calendar.interval(of: occurrence.when).start
            return EventTime.local(calendar.date(at: start), calendar.time(at: start)).text
        }
    }
}

extension Occurrence {
    var extent: String {
        switch when {
        case .timed(let start, let end): "\(start.rfc3339)/\(end.rfc3339)"
        case .allDay(let start, let end): "\(start.iso8601)/\(end.iso8601)"
        }
    }

    var original: String? {
        switch recurrenceId {
        case .instant(let instant): instant.rfc3339
        case .date(let date): date.iso8601
        case nil: nil
        }
    }
}
