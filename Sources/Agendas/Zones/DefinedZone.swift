import Synchronization
package import Timelines

/// A time zone that an iCalendar text defines itself, in a VTIMEZONE component (RFC 5545 §3.6.5).
///
/// Its rules are followed to the year 2100; what holds then goes on.
package struct DefinedZone: Hashable, Sendable {
    package let name: String
    /// What the component says of when clocks change, line by line and without folds: from the BEGIN of its first part
    /// to the END of its last one.
    let lines: [String]
    /// The local time of the zone.
    package let calendar: LocalCalendar

    /// - Throws: a problem if the component defines no zone that can be reckoned.
    init(name: String, component: ICalendarReader.Component) throws(ICalendarProblem) {
        var parts: [ZoneObservance] = []
        var lines: [String] = []
        do throws(ZoneObservance.Unusable) {
            var open: ZoneObservance.Draft?
            for line in component.lines {
                if line.property == .begin { open = ZoneObservance.Draft() }
                guard let said = try open?.read(line) else { continue }
                lines.append(said)
                guard line.property == .end, let part = open else { continue }
                parts.append(try part.observance())
                open = nil
            }
            guard !parts.isEmpty else { throw ZoneObservance.Unusable("defines no zone") }
            calendar = try Self.calendar(name, lines, parts)
        } catch {
            throw ICalendarProblem(line: component.line, reason: "VTIMEZONE \(error.reason), and is left out")
        }
        self.name = name
        self.lines = lines
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.lines == right.lines
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(lines)
    }

    /// The instant at which this zone's clocks show `wall`: the first one where they do twice; in a gap the offset
    /// before it counts.
    func instant(of wall: WallClock) -> Instant { calendar.instant(of: wall) }

    // MARK: - Tables

    /// Many records and many files have the same definition.
    private static let known = Mutex<[[String]: LocalCalendar]>([:])
    private static let knownMax = 256

    private static func calendar(
        _ name: String, _ lines: [String], _ parts: [ZoneObservance]
    ) throws(ZoneObservance.Unusable) -> LocalCalendar {
        let key = [name] + lines
        if let calendar = known.withLock({ $0[key] }) { return calendar }
        let calendar = try ZoneObservance.calendar(name, parts)
        known.withLock { known in
            if known.count >= knownMax { known.removeAll() }
            known[key] = calendar
        }
        return calendar
    }
}

// MARK: - IANA zones

extension DefinedZone {
    /// An IANA zone whose clocks show the same from a year on, as far as the next decades tell.
    func twin(from year: Int) -> String? {
        // Before, few texts say what clocks showed; later, no rule is certain.
        let year = min(max(year, 1970), Self.lastYear - 1)
        // Only what a year shows at different hours tells neighbours apart: each Sunday, the day of most changes.
        let first = LocalDate(year: year, month: 1, day: 1).dayNumber
        let sunday = first + (3 - first % 7 + 7) % 7
        let end = LocalDate(year: max(year + 2, Self.lastYear), month: 1, day: 1).dayNumber
        let seasons = stride(from: first, to: end, by: 91).map { WallClock(day: $0, second: 43_200) }
        let sundays = stride(from: sunday, to: end, by: 7).map { $0 }
        return Self.candidates.first { name in
            guard let candidate = LocalCalendar(name) else { return false }
            func agrees(_ wall: WallClock) -> Bool {
                candidate.isInGap(wall.date, wall.time) || candidate.instant(of: wall) == instant(of: wall)
            }
            return seasons.allSatisfy(agrees)
                && sundays.allSatisfy { day in
                    [0, 4, 12].allSatisfy { agrees(WallClock(day: day, second: $0 * 3600)) }
                }
        }
    }

    private static let lastYear = 2035

    /// One zone of each rule that is common today, then the fixed offsets.
    private static let candidates =
        [
            "Europe/London", "Europe/Paris", "Europe/Helsinki", "Europe/Chisinau", "Atlantic/Azores",
            "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage",
            "America/Halifax", "America/St_Johns", "America/Havana", "America/Santiago", "America/Asuncion",
            "America/Nuuk", "Asia/Jerusalem", "Asia/Beirut", "Africa/Cairo", "Australia/Sydney", "Australia/Adelaide",
            "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Norfolk", "UTC", "Asia/Kolkata",
            "Asia/Kathmandu", "Asia/Tehran", "Asia/Kabul", "Asia/Yangon", "Australia/Darwin", "Pacific/Marquesas",
        ] + (1...12).map { "Etc/GMT+\($0)" } + (1...14).map { "Etc/GMT-\($0)" }
}
