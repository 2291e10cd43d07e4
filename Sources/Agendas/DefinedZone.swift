import CIcal
import Timelines

/// A time zone that an iCalendar text defines itself: a VTIMEZONE component, reckoned by libical.
final class DefinedZone {
    let name: String
    private let zone: OpaquePointer

    /// Nil, where the component defines no zone.
    init?(name: String, lines: some Sequence<ContentLine>) {
        guard let component = IcalComponent("VTIMEZONE", lines: lines), let zone = icaltimezone_new() else {
            return nil
        }
        // The zone frees its component, but only one that it has accepted.
        let released = component.release()
        guard icaltimezone_set_component(zone, released) != 0 else {
            icaltimezone_free(zone, 1)
            icalcomponent_free(released)
            return nil
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
