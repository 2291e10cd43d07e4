/// One occurrence of a calendar event, resolved for one configuration's time zone.
public struct Occurrence: Hashable, Sendable {
    public var calendarId: String
    public var uid: String
    /// On every instance of a series: its original start, in the form of `when`.
    public var recurrenceId: Moment?
    public var title: String
    public var location: String?
    public var when: Extent
    public var isTentative: Bool
    /// The event's own lead; beats the configuration's. Nil where the event says none.
    public var preEventLead: CalendarDuration?
    /// The vehicle that the event names.
    public var vehicleId: String?

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

    /// From when to when: instants, or for all-day events floating dates. Ends are exclusive.
    public enum Extent: Hashable, Sendable {
        case timed(start: Instant, end: Instant)
        case allDay(start: LocalDate, end: LocalDate)
    }

    /// An instant, or for all-day events a date.
    public enum Moment: Hashable, Sendable {
        case instant(Instant)
        case date(LocalDate)
    }

    public var isAllDay: Bool {
        if case .allDay = when { true } else { false }
    }
}

extension Occurrence {
    /// What tells this occurrence from the others of its event: the original start of an instance, else the start.
    var identifyingMoment: Moment {
        if let recurrenceId { return recurrenceId }
        return switch when {
        case .timed(let start, _): .instant(start)
        case .allDay(let start, _): .date(start)
        }
    }
}

extension Occurrence.Moment {
    /// An instant in RFC 3339 UTC, or a date.
    package var text: String {
        switch self {
        case .instant(let instant): instant.rfc3339
        case .date(let date): date.iso8601
        }
    }

    /// For the order of moments alone: dates count as midnights UTC, before an instant there.
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
    /// The start, for an order that needs no time zone.
    var nominalStart: Occurrence.Moment.Nominal {
        switch self {
        case .timed(let start, _): Occurrence.Moment.instant(start).nominal
        case .allDay(let start, _): Occurrence.Moment.date(start).nominal
        }
    }
}
