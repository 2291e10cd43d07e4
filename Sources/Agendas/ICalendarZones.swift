import Timelines

/// The zones that the times of one VCALENDAR are in.
struct ICalendarZones {
    /// X-WR-TIMEZONE: an IANA name.
    var floating: String?
    private var defined: [String: DefinedZone] = [:]

    enum Zone {
        case iana(LocalCalendar)
        case defined(DefinedZone)

        func instant(of wall: WallClock) -> Instant {
            switch self {
            case .iana(let calendar): calendar.instant(of: wall)
            case .defined(let zone): zone.instant(of: wall)
            }
        }

        /// A local time becomes an instant; other forms stay what they are.
        func instant(_ time: EventTime) -> EventTime {
            guard case .local(let date, let clock) = time else { return time }
            return .instant(instant(of: WallClock(date, clock)))
        }
    }

    mutating func define(_ component: ICalendarReader.Component) {
        guard let name = component.lines.first(where: { $0.name == "TZID" })?.value,
            let zone = DefinedZone(name: name, lines: component.lines)
        else { return }
        defined[name] = zone
    }

    /// The zone of a local time. Nil: floating, in a text that says nothing of floating times.
    func zone(_ name: String?) throws(CalendarEventProblem) -> Zone? {
        guard let name = name ?? floating else { return nil }
        if let known = ZoneName.iana(name).flatMap({ LocalCalendar($0) }) { return .iana(known) }
        if let zone = defined[name] { return .defined(zone) }
        throw CalendarEventProblem(
            field: "TZID", reason: "\"\(name)\" is neither an IANA name nor defined by a VTIMEZONE of the text")
    }
}
