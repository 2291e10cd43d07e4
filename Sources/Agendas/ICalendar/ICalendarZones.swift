import Timelines

/// The zones that the times of one VCALENDAR are in.
struct ICalendarZones {
    /// The local time of X-WR-TIMEZONE, in which floating times are, and in which series in UTC recur.
    var calendar: LocalCalendar?
    private var defined: [String: DefinedZone] = [:]
    /// Names that have been looked up: there are few, and each is met again and again.
    private var found: [String: Zone?] = [:]
    /// Answers of `DefinedZone.twin`, by name and year.
    private var twins: [String: [Int: String?]] = [:]

    enum Zone {
        case iana(LocalCalendar)
        case defined(DefinedZone)

        var name: String {
            switch self {
            case .iana(let calendar): calendar.timeZone
            case .defined(let zone): zone.name
            }
        }

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

    /// An IANA zone whose clocks show the same as a defined one's from a year on.
    mutating func twin(of zone: DefinedZone, from year: Int) -> String? {
        if let known = twins[zone.name]?[year] { return known }
        let twin = zone.twin(from: year)
        twins[zone.name, default: [:]].updateValue(twin, forKey: year)
        return twin
    }

    /// - Throws: why the definition can't be used.
    mutating func define(_ component: ICalendarReader.Component) throws(ICalendarProblem) {
        guard let name = component.lines.first(where: { $0.property == .zoneName })?.textValue else {
            throw ICalendarProblem(line: component.line, reason: "VTIMEZONE without TZID is left out")
        }
        let key = ZoneName.bare(name)
        // The first definition of a name counts, as that of a name that needs none never does.
        guard defined[key] == nil, ZoneName.iana(name) == nil else { return }
        defined[key] = try DefinedZone(name: key, component: component)
        found = [:]
    }

    /// The zone that a TZID names: an IANA name, that inside a wrapper or for a Windows name, or a VTIMEZONE of the
    /// text. The result is `nil` for a name that says nothing: such times float.
    mutating func zone(_ name: String) -> Zone? {
        if let known = found[name] { return known }
        let zone =
            ZoneName.iana(name).flatMap { LocalCalendar($0) }.map { Zone.iana($0) }
            ?? defined[ZoneName.bare(name)].map { Zone.defined($0) }
        found[name] = zone
        return zone
    }
}
