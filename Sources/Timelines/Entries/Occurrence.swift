/// One occurrence of a calendar event, resolved for one configuration's time zone.
public struct Occurrence: Hashable, Sendable {
    /// The calendar of the event.
    public var calendarId: String
    /// The event's name in its calendar.
    public var uid: String
    /// The original start of an instance of a series, in the form of `when`; `nil` means that the event has no series.
    public var recurrenceId: Moment?
    /// What people call the event.
    public var title: String
    /// The place of the event, as its calendar says it.
    public var location: String?
    /// The start and the end.
    public var when: Extent
    /// True if the event may not take place.
    public var isTentative: Bool
    /// How long before its start the event is announced; `nil` stands for the configuration's lead.
    public var preEventLead: CalendarDuration?
    /// The vehicle that the event names; `nil` means none.
    public var vehicleId: String?

    /// An occurrence; what is left out is unknown, and it is not tentative.
    public init(
        calendarId: String, uid: String, recurrenceId: Moment? = nil, title: String, location: String? = nil,
        when: Extent, isTentative: Bool = false, preEventLead: CalendarDuration? = nil, vehicleId: String? = nil
    ) {
        self.calendarId = calendarId
        self.uid = uid
        self.recurrenceId = recurrenceId
        self.title = title
        self.location = location
        self.when = when
        self.isTentative = isTentative
        self.preEventLead = preEventLead
        self.vehicleId = vehicleId
    }

    /// The start and the exclusive end: instants, or dates without a zone for all-day events.
    public enum Extent: Hashable, Sendable {
        case timed(start: Instant, end: Instant)
        case allDay(start: LocalDate, end: LocalDate)
    }

    /// An instant, or a date for all-day events.
    public enum Moment: Hashable, Sendable {
        case instant(Instant)
        case date(LocalDate)
    }

    /// True if the event has dates instead of instants.
    public var isAllDay: Bool {
        if case .allDay = when { true } else { false }
    }
}

extension Occurrence {
    /// The moment that distinguishes the occurrence from the others of its event: the original start of an instance, or
    /// else the start.
    var identifyingMoment: Moment {
        if let recurrenceId { return recurrenceId }
        return switch when {
        case .timed(let start, _): .instant(start)
        case .allDay(let start, _): .date(start)
        }
    }
}

extension Occurrence.Moment {
    /// The text of an instant in RFC 3339 and UTC, or of a date.
    package var text: String {
        switch self {
        case .instant(let instant): instant.rfc3339
        case .date(let date): date.iso8601
        }
    }

    /// The place of the moment in an order that needs no time zone: dates count as midnights in UTC, before an instant
    /// there.
    var nominal: Nominal {
        switch self {
        case .instant(let instant): Nominal(milliseconds: instant.milliseconds, rank: 1)
        case .date(let date): Nominal(milliseconds: Int64(date.dayNumber) * Instant.millisecondsOfDay, rank: 0)
        }
    }

    struct Nominal: Comparable {
        var milliseconds: Int64
        var rank: Int

        static func < (left: Nominal, right: Nominal) -> Bool {
            (left.milliseconds, left.rank) < (right.milliseconds, right.rank)
        }
    }
}

extension Occurrence.Extent {
    /// The place of the start in an order that needs no time zone.
    var nominalStart: Occurrence.Moment.Nominal {
        switch self {
        case .timed(let start, _): Occurrence.Moment.instant(start).nominal
        case .allDay(let start, _): Occurrence.Moment.date(start).nominal
        }
    }
}
