extension TimelineEntry {
    /// T7: `preEvent/<calendarId>/<uid>/<occurrence>`, likewise `start` and `end`; `<phase>/<date>` for the others.
    var identifier: String {
        switch (phase, event) {
        case (.preEvent, let event?), (.start, let event?), (.end, let event?):
            "\(phase.rawValue)/\(event.calendarId)/\(event.uid)/\(event.identifyingMoment.text)"
        default:
            "\(phase.rawValue)/\(date.rfc3339)"
        }
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
