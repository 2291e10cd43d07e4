import Timelines

/// A reading of a wall clock, without zone: seconds since it showed 1970-01-01T00:00:00, as if no day were ever longer
/// or shorter. Recurrence is reckoned in it; a `LocalCalendar` says which instant it is, if any.
struct WallClock: Hashable, Comparable, Sendable {
    var seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    init(day: Int, second: Int) {
        seconds = Int64(day) * 86_400 + Int64(second)
    }

    init(_ date: LocalDate, _ time: LocalTime) {
        self.init(day: date.dayNumber, second: time.secondOfDay)
    }

    /// Days since 1970-01-01.
    var day: Int { Int(seconds.floored(by: 86_400)) }
    var secondOfDay: Int { Int(seconds - Int64(day) * 86_400) }
    var date: LocalDate { LocalDate(dayNumber: day) }
    var time: LocalTime {
        LocalTime(hour: secondOfDay / 3600, minute: secondOfDay / 60 % 60, second: secondOfDay % 60)
    }

    static func < (left: WallClock, right: WallClock) -> Bool { left.seconds < right.seconds }

    /// `2019-02-10T09:00:00`
    var text: String {
        String(Instant(milliseconds: seconds * 1000).rfc3339.dropLast())
    }

    /// `20190210T090000`
    var basic: String {
        String(text.filter { $0 != "-" && $0 != ":" })
    }
}

extension LocalCalendar {
    /// The reading of the wall at an instant, to the second.
    func wallClock(at instant: Instant) -> WallClock {
        WallClock(date(at: instant), time(at: instant))
    }

    /// The first instant at which the wall shows this; in a gap the offset before it counts (RFC 5545 §3.3.5).
    func instant(of wall: WallClock) -> Instant {
        instant(of: wall.date, at: wall.time, inGap: .offsetBefore)
    }

    /// The end of what begins at `start` and has a duration: local days first, then elapsed time. Days that end in a
    /// gap take the offset before it, as every end of an event does.
    func end(of duration: CalendarDuration, from start: Instant) -> Instant {
        let days = adding(CalendarDuration(days: duration.days), to: start)
        let time = time(at: start)
        let isInGap = duration.days != 0 && self.time(at: days) != time
        return (isInGap ? instant(of: date(at: days), at: time, inGap: .offsetBefore) : days) + duration.time
    }
}
