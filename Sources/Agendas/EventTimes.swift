import Timelines

/// The times of a VEVENT on their way into the contract, which knows IANA zones and instants only.
struct EventTimes {
    private(set) var start: EventTime
    private let zone: ICalendarZones.Zone?
    private var said: End?
    private(set) var timeZone: String?

    enum End {
        case at(EventTime, ICalendarZones.Zone?)
        case after(CalendarDuration)
    }

    init(start: EventTime, zone: ICalendarZones.Zone?, end: End?) {
        self.start = start
        self.zone = zone
        said = end
    }

    /// Of an end in another zone than the start's, an instant.
    var end: EventEnd? {
        switch said {
        case nil: return nil
        case .after(let duration): return .after(duration)
        case .at(let time, let endZone):
            if case .local = start, case .local = time, endZone?.name == timeZone { return .at(time) }
            return .at(endZone?.instant(time) ?? time)
        }
    }

    /// Puts the times into a zone that the contract knows.
    ///
    /// Of a series in a zone that only the text knows, that is an IANA zone whose clocks agree from its first year on;
    /// where there is none, its instances are listed one by one.
    /// - Returns: what is lost thereby.
    mutating func settle(_ lines: inout [String]) throws(CalendarEventProblem) -> String? {
        guard case .local(let date, let time) = start, let zone else { return nil }
        switch zone {
        case .iana(let calendar):
            timeZone = calendar.timeZone
            return nil
        case .defined(let defined):
            guard !lines.isEmpty, let twin = defined.twin(from: date.year) else {
                start = zone.instant(start)
                return lines.isEmpty ? nil : try list(&lines, from: WallClock(date, time), in: defined)
            }
            timeZone = twin
            return nil
        }
    }

    /// How many instances of a series are listed at most.
    private static let listed = 1000

    private func list(
        _ lines: inout [String], from first: WallClock, in zone: DefinedZone
    ) throws(CalendarEventProblem) -> String? {
        let set = try RecurrenceSet(lines: lines)
        let horizon = LocalDate(year: first.date.year + 50, month: first.date.month, day: 1)
        let request = StartRequest(
            first: first, window: first...WallClock(horizon, .midnight), isAllDay: false, exists: { _ in true },
            isUntil: { start, until in
                switch until {
                case .instant(let instant): zone.instant(of: start) <= instant
                case .local(let date, let time): start <= WallClock(date, time)
                case .date(let date): start.date <= date
                }
            })
        var steps = ExpansionLimit.steps
        var starts: [WallClock] = []
        var isComplete = true
        for rule in set.rules {
            do throws(ExpansionLimit) {
                starts += try rule.starts(request, steps: &steps)
            } catch {
                isComplete = false
            }
        }
        let times = starts.sorted().prefix(Self.listed).map { EventTime.instant(zone.instant(of: $0)).basic }
        isComplete = isComplete && starts.count <= Self.listed
        lines.removeAll { $0.uppercased().hasPrefix("RRULE") }
        lines = lines.map { ContentLine(number: 0, bytes: Array($0.utf8)) }
            .map { $0.zoneName == nil ? $0.inUTC(.defined(zone)) : $0.text }
        if !times.isEmpty { lines.append("RDATE:" + times.joined(separator: ",")) }
        return "TZID \"\(zone.name)\" agrees with no IANA zone; the series is kept as a list of "
            + "\(times.count) instances" + (isComplete ? "" : " and ends there")
    }
}

extension ICalendarZones.Zone {
    /// Nil for a zone that only the text knows.
    fileprivate var name: String? {
        if case .iana(let calendar) = self { calendar.timeZone } else { nil }
    }
}
