import Timelines

/// The events of one calendar, each in its newest version, and which occurrences they come to.
package struct EventCalendar: Sendable {
    private(set) var series: [String: Series] = [:]

    package init() {}

    /// All events of one UID: the master, and what some instances are instead.
    struct Series: Sendable {
        var master: Entry?
        var overrides: [EventTime: Entry] = [:]
    }

    /// An event with what need not be found out anew at each question.
    struct Entry: Sendable {
        let event: CalendarEvent
        let recurrence: RecurrenceSet?
        /// What it certainly lies within, whatever the viewer's zone; nil for a series.
        let reach: ClosedRange<Instant>?

        init(_ event: CalendarEvent) {
            self.event = event
            // The event's initialiser has read the lines before.
            recurrence = event.recurrence.isEmpty ? nil : try? RecurrenceSet(lines: event.recurrence)
            reach = recurrence == nil ? event.reach : nil
        }
    }

    package var isEmpty: Bool { series.isEmpty }

    /// How many events there are, overrides counted.
    package var count: Int {
        series.values.reduce(0) { $0 + ($1.master == nil ? 0 : 1) + $1.overrides.count }
    }

    package subscript(key: EventKey) -> CalendarEvent? {
        guard let series = series[key.uid] else { return nil }
        let entry = key.recurrenceId.map { series.overrides[$0] } ?? series.master
        return entry?.event.calendarId == key.calendarId ? entry?.event : nil
    }

    /// All events, by the UTF-8 bytes of their keys' text.
    package var events: [CalendarEvent] {
        series.values.flatMap { series in
            (series.master.map { [$0.event] } ?? []) + series.overrides.values.map(\.event)
        }
        .map { (key: $0.key.text, event: $0) }
        .sorted { $0.key.precedesByUTF8($1.key) }
        .map(\.event)
    }

    /// Takes an event in, unless a newer version of it is there: the highest sequence wins, then the newest
    /// `updatedAt`, then the later to arrive (DESIGN.md section 3).
    ///
    /// - Returns: whether the calendar has changed.
    @discardableResult
    package mutating func apply(_ event: CalendarEvent) -> Bool {
        if let known = self[event.key], known == event || known.isNewer(than: event) { return false }
        if let recurrenceId = event.recurrenceId {
            series[event.uid, default: Series()].overrides[recurrenceId] = Entry(event)
        } else {
            series[event.uid, default: Series()].master = Entry(event)
        }
        return true
    }

    /// Forgets the event with this key alone: overrides stay when their master goes, and become occurrences of their
    /// own.
    ///
    /// - Returns: whether the calendar has changed.
    @discardableResult
    package mutating func remove(_ key: EventKey) -> Bool {
        guard self[key] != nil else { return false }
        if let recurrenceId = key.recurrenceId {
            series[key.uid]?.overrides[recurrenceId] = nil
        } else {
            series[key.uid]?.master = nil
        }
        if let left = series[key.uid], left.master == nil, left.overrides.isEmpty { series[key.uid] = nil }
        return true
    }
}

extension CalendarEvent {
    /// Whether another version of the same event is out of date beside this one: the highest sequence wins, then the
    /// newest `updatedAt`. A bare cancellation says neither; it counts by its arrival.
    func isNewer(than other: CalendarEvent) -> Bool {
        if isBareCancellation || other.isBareCancellation { return false }
        if sequence != other.sequence { return sequence > other.sequence }
        guard let updatedAt else { return false }
        return other.updatedAt.map { updatedAt > $0 } ?? true
    }

    /// What Google says of an instance that was deleted: that it is cancelled, and no more.
    private var isBareCancellation: Bool {
        status == .cancelled && sequence == 0 && updatedAt == nil && title.isEmpty
    }

    /// What the event, taken as single, lies within in every zone.
    fileprivate var reach: ClosedRange<Instant> {
        if isAllDay {
            let first = LocalCalendar.utc.firstInstant(of: start.writtenDate)
            return first - .hours(26)...first + .hours(24) * Int64(days) + .hours(26)
        }
        let zone = timeZone.flatMap { LocalCalendar($0) } ?? .utc
        let (first, margin) = (start.instant(in: zone), ElapsedTime.hours(26))
        let length =
            switch length(in: zone) {
            case .elapsed(let time): time
            case .nominal(let duration): duration.nominal
            }
        return first - margin...first + length + margin
    }
}
