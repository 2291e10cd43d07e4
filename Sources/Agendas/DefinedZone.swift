import CIcal
import Timelines

/// A time zone that an iCalendar text defines itself: a VTIMEZONE component, reckoned by libical.
final class DefinedZone {
    let name: String
    private let zone: OpaquePointer
    /// Answers of `twin`, by year.
    private var twins: [Int: String?] = [:]

    /// - Throws: where the component defines no zone, or one that libical can't be trusted with.
    init(name: String, component: ICalendarReader.Component) throws(ICalendarProblem) {
        precondition(Self.isPrepared)
        let text = try Self.text(of: component)
        let parsed = text.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { icalparser_parse_string($0.baseAddress) }
        }
        guard let parsed else { throw Self.unusable(component, "can't be read") }
        guard let zone = icaltimezone_new() else {
            icalcomponent_free(parsed)
            throw Self.unusable(component, "can't be read")
        }
        // The zone frees its component, but only one that it has accepted.
        guard icaltimezone_set_component(zone, parsed) != 0 else {
            icaltimezone_free(zone, 1)
            icalcomponent_free(parsed)
            throw Self.unusable(component, "defines no zone")
        }
        self.name = name
        self.zone = zone
    }

    deinit {
        icaltimezone_free(zone, 1)
    }

    /// The instant at which this zone's clocks show `wall`.
    func instant(of wall: WallClock) -> Instant {
        let (date, time) = (wall.date, wall.time)
        var local = icaltime_null_time()
        local.year = Int32(date.year)
        local.month = Int32(date.month)
        local.day = Int32(date.day)
        local.hour = Int32(time.hour)
        local.minute = Int32(time.minute)
        local.second = Int32(time.second)
        local.is_date = 0
        var isDaylight: Int32 = 0
        let offset = icaltimezone_get_utc_offset(zone, &local, &isDaylight)
        return Instant(milliseconds: (wall.seconds - Int64(offset)) * 1000)
    }

    /// An IANA zone whose clocks show the same from a year on, as far as libical reckons zones.
    func twin(from year: Int) -> String? {
        // Before, few texts say what clocks showed; later, libical does not know.
        let year = min(max(year, 1970), Self.lastYear - 1)
        if let known = twins[year] { return known }
        let twin = findTwin(from: year)
        twins[year] = twin
        return twin
    }

    private func findTwin(from year: Int) -> String? {
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

    /// libical reckons changes up to 2035.
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

// MARK: - Text for libical

extension DefinedZone {
    /// libical's default differs between builds: a mistake in a text must never end the process.
    private static let isPrepared: Bool = {
        icalerror_set_errors_are_fatal(0)
        return true
    }()

    /// The component with the lines alone that say when clocks change, ended by a zero byte.
    ///
    /// Only rules of yearly changes get through: libical lists all changes of a zone, and would list those of a rule
    /// of each second until memory ends.
    private static func text(of component: ICalendarReader.Component) throws(ICalendarProblem) -> [UInt8] {
        let lineEnd = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        var text = Array("BEGIN:VTIMEZONE".utf8) + lineEnd
        var hasStart = true
        for line in component.lines {
            switch line.property {
            case .begin: hasStart = false
            case .end where !hasStart: throw unusable(component, "has a part without DTSTART")
            case .start:
                hasStart = true
                switch EventTime(basic: line.value) {
                case .local: break
                case .date?:
                    text += Array("DTSTART:\(line.value)T000000".utf8) + lineEnd
                    continue
                case .instant?, nil: throw unusable(component, "has a DTSTART that is no local date-time")
                }
            case .rule:
                guard let rule = try? RecurrenceRule(text: line.value), rule.frequency == .yearly,
                    max(rule.hours.count, rule.minutes.count, rule.seconds.count) <= 1
                else { throw unusable(component, "changes by a rule that is not yearly") }
            case .offsetFrom, .offsetTo:
                guard isOffset(line.value) else { throw unusable(component, "has an offset that can't be read") }
            case .zoneName, .end: break
            case .dates:
                for value in line.value.split(separator: ",") where EventTime(basic: value) == nil {
                    throw unusable(component, "has an RDATE that can't be read")
                }
            default: continue
            }
            text += line.bytes
            text += lineEnd
        }
        return text + Array("END:VTIMEZONE".utf8) + lineEnd + [0]
    }

    /// `+0100`, `-123045`: less than a day.
    private static func isOffset(_ text: String) -> Bool {
        let digits = text.dropFirst()
        guard text.hasPrefix("+") || text.hasPrefix("-"), digits.utf8.count == 4 || digits.utf8.count == 6,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let hours = Int(digits.prefix(2)), let minutes = Int(digits.dropFirst(2).prefix(2))
        else { return false }
        return hours < 24 && minutes < 60
    }

    private static func unusable(_ component: ICalendarReader.Component, _ reason: String) -> ICalendarProblem {
        ICalendarProblem(line: component.line, reason: "VTIMEZONE \(reason), and is left out")
    }
}
