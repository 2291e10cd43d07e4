package import Timelines

/// One record of the topic `calendar.events` (M4): a single event, a series with its recurrence
/// lines, or, with a `recurrenceId`, what one instance of a series is instead.
///
/// Every value is a possible event: the initialiser refuses others.
package struct CalendarEvent: Hashable, Sendable {
    package let calendarId: String
    package let uid: String
    /// The original start of the instance that this event stands for.
    package let recurrenceId: EventTime?
    /// True if the event stands for all later instances, too, moved and as long as this one (RANGE=THISANDFUTURE of
    /// RFC 5545 §3.2.13).
    package let isThisAndFuture: Bool
    package let sequence: Int
    package let updatedAt: Instant?
    package let title: String
    package let location: String?
    package let start: EventTime
    package let end: EventEnd?
    /// An IANA name that exists on this system; it means nothing for all-day events, which float.
    package let timeZone: String?
    /// The zone of a series that recurs in one which IANA's database does not have; `timeZone` is nil then. JSON can't
    /// say such an event: its record is iCalendar text.
    package let definedZone: DefinedZone?
    package let status: EventStatus
    /// RRULE, RDATE and EXDATE lines as RFC 5545 writes them, unfolded.
    package let recurrence: [String]
    package let preEventLead: CalendarDuration?
    package let vehicleId: String?

    package var isAllDay: Bool {
        if case .date = start { true } else { false }
    }

    /// The zone in which the event takes place and recurs; `nil` means that it names none.
    package var zone: LocalCalendar? { definedZone?.calendar ?? timeZone.flatMap { LocalCalendar($0) } }

    package var key: EventKey { EventKey(calendarId: calendarId, uid: uid, recurrenceId: recurrenceId) }

    /// - Parameter allDay: what the record says; `nil` means that it says nothing, and `start` decides.
    /// - Throws: the first field that is wrong, and what is allowed in it.
    package init(
        calendarId: String, uid: String, recurrenceId: EventTime? = nil, isThisAndFuture: Bool = false,
        sequence: Int = 0,
        updatedAt: Instant? = nil, title: String, location: String? = nil, start: EventTime, end: EventEnd? = nil,
        timeZone: String? = nil, definedZone: DefinedZone? = nil,
        allDay: Bool? = nil, status: EventStatus = .confirmed, recurrence: [String] = [],
        preEventLead: CalendarDuration? = nil, vehicleId: String? = nil
    ) throws(CalendarEventProblem) {
        self.calendarId = calendarId
        self.uid = uid
        self.recurrenceId = recurrenceId
        self.isThisAndFuture = isThisAndFuture
        self.sequence = sequence
        self.updatedAt = updatedAt
        self.title = title
        self.location = location
        self.start = start
        self.end = end
        self.timeZone = timeZone
        self.definedZone = definedZone
        self.status = status
        self.recurrence = recurrence
        self.preEventLead = preEventLead
        self.vehicleId = vehicleId
        try check(saidAllDay: allDay)
    }
}

/// An event's status, by the contract's names.
package enum EventStatus: String, CaseIterable, Sendable {
    case confirmed, tentative, cancelled
}

extension CalendarEvent {
    /// The length of every instance of an event.
    enum Length {
        /// The same elapsed time everywhere: what RFC 5545 §3.8.5.3 asks of an event that says its end.
        case elapsed(ElapsedTime)
        /// Local days, then elapsed time.
        case nominal(CalendarDuration)
    }

    /// The length of an event with times. Without end and duration it has none (RFC 5545 §3.6.1), and none either if a
    /// gap puts the end before the start.
    func length(in zone: LocalCalendar) -> Length {
        switch end {
        case .at(let end): .elapsed(max(.zero, end.instant(in: zone) - start.instant(in: zone)))
        case .after(let duration): .nominal(duration)
        case nil: .elapsed(.zero)
        }
    }

    /// How many days an all-day event has: one at least, as in RFC 5545 §3.6.1 for one without end.
    var days: Int {
        switch (start, end) {
        case (.date(let first), .at(.date(let end))): max(1, end.dayNumber - first.dayNumber)
        case (_, .after(let duration)): max(1, duration.days)
        default: 1
        }
    }

    /// True if the times of the event are those of its viewer.
    var isFloating: Bool {
        if case .local = start { timeZone == nil && definedZone == nil } else { false }
    }

    /// The zone in which the event takes place and recurs: its own, UTC for instants without one, the viewer's for
    /// floating and all-day events.
    func zone(viewedIn view: LocalCalendar) -> LocalCalendar {
        if isAllDay || isFloating { return view }
        return zone ?? .utc
    }
}
