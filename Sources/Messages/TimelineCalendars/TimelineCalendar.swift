import Agendas
package import Timelines

/// A timeline's events as a calendar to subscribe to: each occurrence that an entry shows, once.
///
/// An occurrence is an event of its own, also one of a series: a timeline knows a part of the series alone. Its UID is
/// made of the event's key and the instance's original start, so it stays the same when the timeline is made again.
/// What an entry shows without an event, such as a vehicle's status, is no part of a calendar.
package struct TimelineCalendar {
    /// The timeline that the calendar shows, by which files of it are told apart.
    package let stamp: TimelineCalendarStamp
    private let name: String
    private let nextUpdate: Instant?
    private var events: [String: Event] = [:]

    private struct Event {
        var occurrence: Occurrence
        var isTentative = false
        /// When a `preEvent` entry announces it.
        var alarm: Instant?
    }

    /// - Parameter name: the name that calendar programs show.
    package init(_ record: TimelineRecord, name: String) {
        stamp = TimelineCalendarStamp(
            configurationId: record.configurationId, recipient: record.recipient, revision: record.revision.rawValue,
            refreshCount: record.refreshCount, generatedAt: record.generatedAt)
        self.name = name
        nextUpdate = record.timeline.nextUpdate
        for entry in record.timeline.entries {
            add(
                entry.event, isTentative: entry.isTentative, alarm: entry.phase == .preEvent ? entry.date : nil,
                others: entry.ongoing, entry.next)
        }
    }

    /// Reads a value of the `timelines` topic. Of a later release's it takes what it knows: phases, families and
    /// policies may be others.
    ///
    /// - Parameter kinds: the names that calendar programs show begin with their display names.
    package init(_ bytes: UnsafeRawBufferPointer, kinds: WidgetKinds) throws(MessageProblem) {
        var parser = JSONParser()
        let fields = MessageFields(try parser.object(bytes))
        stamp = try TimelineCalendarStamp(fields)
        let kind = try fields.require("kind", fields.text("kind"))
        name = Self.name(kind, of: stamp.configurationId, kinds)
        nextUpdate = try fields.instant("nextUpdate")
        for entry in try fields.require("entries", fields.objects("entries")) {
            let isAnnouncement = try entry.text("phase") == TimelineEntry.Phase.preEvent.rawValue
            add(
                try entry.occurrence("event"), isTentative: try entry.bool("tentative") ?? false,
                alarm: isAnnouncement ? try entry.instant("date") : nil, others: try entry.occurrences("ongoing"),
                try entry.occurrence("next"))
        }
    }

    /// The name of a configuration's calendar.
    package static func name(_ kind: String, of configurationId: String, _ kinds: WidgetKinds) -> String {
        "\(kinds[kind]?.displayName ?? kind) \(configurationId)"
    }

    /// Adds what an entry shows. Only an event of its own says if it is tentative.
    private mutating func add(
        _ event: Occurrence?, isTentative: Bool, alarm: Instant?, others ongoing: [Occurrence]?, _ next: Occurrence?
    ) {
        if let event {
            let uid = Self.uid(of: event)
            var known = events[uid] ?? Event(occurrence: event)
            known.isTentative = known.isTentative || isTentative
            known.alarm = alarm ?? known.alarm
            events[uid] = known
        }
        for other in (ongoing ?? []) + (next.map { [$0] } ?? []) {
            let uid = Self.uid(of: other)
            if events[uid] == nil { events[uid] = Event(occurrence: other) }
        }
    }

    /// The event's calendar, UID and original start, percent-encoded: a UID may hold anything, and must be one text.
    private static func uid(of occurrence: Occurrence) -> String {
        var parts = [occurrence.calendarId, occurrence.uid]
        if let start = occurrence.recurrenceId { parts.append(ICalendarText.basic(start.text)) }
        return parts.map(\.percentEncoded).joined(separator: "/") + "@tideline"
    }

    // MARK: - Writing

    /// The calendar object (RFC 5545 section 3.4, names by RFC 7986): same timeline, same bytes.
    package var bytes: [UInt8] {
        var text = ICalendarText()
        text.line("BEGIN:VCALENDAR")
        text.line("VERSION:2.0")
        text.text("PRODID", "-//Tideline//Tideline \(ContractVersion.release)//EN")
        // No METHOD: that would make it a message from an organiser (RFC 5546), who would have to be named.
        text.line("CALSCALE:GREGORIAN")
        text.text("NAME", name)
        text.text("X-WR-CALNAME", name)
        text.line("REFRESH-INTERVAL;VALUE=DURATION:\(refreshInterval)")
        text.line("X-PUBLISHED-TTL:\(refreshInterval)")
        stamp.write(to: &text)
        // A calendar object has one component at least.
        if events.isEmpty { Self.writeZone(to: &text) }
        for (uid, event) in events.sorted(by: Self.precedes) { write(event, uid: uid, to: &text) }
        text.line("END:VCALENDAR")
        return text.bytes
    }

    /// Until the next timeline is due, in whole minutes, between 5 minutes and an hour: sources may change before.
    private var refreshInterval: String {
        let bounds: ClosedRange<Int64> = 5...60
        let minutes = nextUpdate.map { ($0.milliseconds - stamp.generatedAt.milliseconds + 59_999) / 60_000 }
        return CalendarDuration.minutes(
            min(max(minutes ?? bounds.upperBound, bounds.lowerBound), bounds.upperBound)
        ).iso8601
    }

    private static func precedes(_ left: (key: String, value: Event), _ right: (key: String, value: Event)) -> Bool {
        let (one, other) = (left.value.occurrence.start, right.value.occurrence.start)
        return one == other ? left.key.precedesByUTF8(right.key) : one.precedesByUTF8(other)
    }

    private func write(_ event: Event, uid: String, to text: inout ICalendarText) {
        text.line("BEGIN:VEVENT")
        text.text("UID", uid)
        text.instant("DTSTAMP", stamp.generatedAt)
        // No SEQUENCE: revisions may begin anew, and programs pass over an event whose number is lower than before.
        text.instant("LAST-MODIFIED", stamp.generatedAt)
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
        if let alarm = event.alarm { write(alarm: alarm, of: event.occurrence, to: &text) }
        text.line("END:VEVENT")
    }

    /// Before the start, by as much as the timeline announces it before. Where a day begins a timeline does not say, so
    /// the alarm of an all-day event has an instant.
    private func write(alarm: Instant, of occurrence: Occurrence, to text: inout ICalendarText) {
        text.line("BEGIN:VALARM")
        text.line("ACTION:DISPLAY")
        text.text("DESCRIPTION", occurrence.title)
        if case .timed(let start, _) = occurrence.when, start > alarm {
            text.line("TRIGGER:-\(CalendarDuration(time: start - alarm).iso8601)")
        } else {
            text.line("TRIGGER;VALUE=DATE-TIME:\(ICalendarText.basic(alarm))")
        }
        text.line("END:VALARM")
    }

    private static func writeZone(to text: inout ICalendarText) {
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
