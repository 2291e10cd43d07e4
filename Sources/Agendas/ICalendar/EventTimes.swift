import Timelines

/// The times of a VEVENT on their way into an event: in IANA zones and instants, but of a series in a zone that only
/// the text knows.
struct EventTimes {
    private(set) var start: EventTime
    private(set) var end: EventEnd?
    /// The zone in which the event takes place and recurs, as far as the contract can say it.
    private(set) var timeZone: String?
    /// The zone in place of `timeZone`, if the text alone knows it.
    private(set) var definedZone: DefinedZone?
    private(set) var zone: ICalendarZones.Zone?
    /// The parts of the text that are used, but not as they are.
    private(set) var remarks: [String] = []

    /// A time of the text with its zone, which is `nil` for instants, dates and floating times.
    struct Said {
        var time: EventTime
        var zone: ICalendarZones.Zone?
    }

    enum End {
        case at(Said)
        case after(SignedDuration)
    }

    /// - Parameter calendar: the local time of X-WR-TIMEZONE.
    init(start: Said, end: End?, calendar: LocalCalendar?) {
        self.start = start.time
        zone = start.zone
        switch end {
        case nil: break
        case .after(let length): setLength(length)
        case .at(let said): setEnd(said, calendar ?? .utc)
        }
        switch (self.start, zone) {
        case (.local, .iana(let calendar)): timeZone = calendar.timeZone
        case (.instant, _): timeZone = calendar?.timeZone
        default: break
        }
    }

    // MARK: - Ends

    private mutating func setLength(_ said: SignedDuration) {
        var length = said.duration
        if case .date(let date) = start {
            let day = ElapsedTime.hours(24)
            if length.time.milliseconds % day.milliseconds == 0 {
                // Google writes the day of an all-day event as PT24H.
                length = CalendarDuration(days: length.days + Int(length.time.milliseconds / day.milliseconds))
            } else {
                remarks.append("DURATION of an all-day event is no whole days; it begins at midnight")
                start = .local(date, .midnight)
            }
        }
        guard said.isNegative, !length.isZero else {
            end = .after(length)
            return
        }
        remarks.append("DURATION is negative; the event ends at DTSTART")
        let end = start
        start = start.moved(back: length)
        self.end = .at(end)
    }

    private mutating func setEnd(_ said: Said, _ calendar: LocalCalendar) {
        var other = said
        switch (start, other.time) {
        case (.date(let date), .local), (.date(let date), .instant):
            remarks.append("DTSTART is a date and DTEND is none; the event begins at midnight")
            zone = other.zone ?? (other.isInstant ? .iana(calendar) : nil)
            start = .local(date, .midnight)
        case (.local, .date(let date)), (.instant, .date(let date)):
            remarks.append("DTEND is a date and DTSTART is none; the event ends at midnight")
            other = Said(time: .local(date, .midnight), zone: zone ?? (isInstant ? .iana(calendar) : nil))
        default: break
        }
        // What floats beside a time with a zone is in that zone.
        if case .local = start, zone == nil { zone = other.zone ?? (other.isInstant ? .iana(calendar) : nil) }
        if case .local = other.time, other.zone == nil { other.zone = zone ?? (isInstant ? .iana(calendar) : nil) }
        if isBefore(other) {
            remarks.append("DTEND lies before DTSTART; they are exchanged")
            (start, zone, other) = (other.time, other.zone, Said(time: start, zone: zone))
        }
        if case .local = start, case .local = other.time, zone?.name == other.zone?.name {
            end = .at(other.time)
        } else {
            end = .at(other.zone?.instant(other.time) ?? other.time)
        }
    }

    private var isInstant: Bool { Said(time: start, zone: zone).isInstant }

    /// True if an end lies before the start. Two local times of one zone are compared on the wall, as a gap is no
    /// mistake.
    private func isBefore(_ end: Said) -> Bool {
        switch (start, end.time) {
        case (.date(let first), .date(let last)): return last < first
        case (.local(let day, let time), .local(let endDay, let endTime)) where zone?.name == end.zone?.name:
            return (endDay, endTime) < (day, time)
        default:
            guard case .instant(let first) = zone?.instant(start) ?? start,
                case .instant(let last) = end.zone?.instant(end.time) ?? end.time
            else { return false }
            return last < first
        }
    }

    // MARK: - Zones of the text

    /// Puts the times of an event that does not recur into the contract's form: instants, if the text alone knows the
    /// zone.
    mutating func settleSingle() {
        guard case .defined(let defined)? = zone else { return }
        let zone = ICalendarZones.Zone.defined(defined)
        start = zone.instant(start)
        switch (end, start) {
        case (.at(let end)?, _): self.end = .at(zone.instant(end))
        case (.after(let length)?, .instant(let start)) where length.days > 0:
            // Days of the zone, which the record does not know.
            end = .at(.instant(defined.calendar.end(of: length, from: start)))
        default: break
        }
        self.zone = nil
    }

    /// Puts the times of a series into an IANA zone.
    mutating func settleSeries(in name: String) {
        timeZone = name
        zone = LocalCalendar(name).map { .iana($0) }
    }

    /// Leaves the times of a series in the zone that the text defines.
    mutating func settleSeries(in defined: DefinedZone) {
        definedZone = defined
    }
}

extension EventTimes.Said {
    var isInstant: Bool {
        if case .instant = time { true } else { false }
    }
}

extension EventTime {
    /// So much earlier on the wall.
    fileprivate func moved(back length: CalendarDuration) -> EventTime {
        switch self {
        case .date(let date): return .date(date.advanced(byDays: -length.days))
        case .instant(let instant): return .instant(instant - length.nominal)
        case .local(let date, let time):
            let wall = WallClock(seconds: WallClock(date, time).seconds - length.nominal.milliseconds / 1000)
            return .local(wall.date, wall.time)
        }
    }
}
