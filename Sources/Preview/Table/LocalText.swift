internal import Timelines

/// Instants as people in one time zone write them.
struct LocalText: Sendable {
    let calendar: LocalCalendar

    init(_ calendar: LocalCalendar) {
        self.calendar = calendar
    }

    init(_ configuration: WidgetConfiguration) {
        self.init(LocalCalendar(configuration.timeZone) ?? .utc)
    }

    /// `Fri 2026-11-20`
    func day(_ instant: Instant) -> String { day(calendar.date(at: instant)) }

    func day(_ date: LocalDate) -> String {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        // The first of January 1970 was a Thursday.
        let weekday = ((date.dayNumber + 4) % 7 + 7) % 7
        return "\(names[weekday]) \(date.iso8601)"
    }

    /// `07:30`, with seconds and milliseconds if they are not zero.
    func time(_ instant: Instant) -> String {
        let time = calendar.time(at: instant)
        let milliseconds = (instant.milliseconds % 1000 + 1000) % 1000
        var text = "\(Self.two(time.hour)):\(Self.two(time.minute))"
        if time.second != 0 || milliseconds != 0 { text += ":\(Self.two(time.second))" }
        if milliseconds != 0 { text += "." + String(String(milliseconds + 1000).dropFirst()) }
        return text
    }

    /// `+01:00`, or `UTC` for an offset of zero.
    func offset(_ instant: Instant) -> String { Self.offset(offsetMinutes(instant)) }

    /// Minutes east of Greenwich.
    func offsetMinutes(_ instant: Instant) -> Int {
        let date = calendar.date(at: instant)
        let local = date.dayNumber * 86_400 + calendar.time(at: instant).secondOfDay
        let seconds = (instant.milliseconds - (instant.milliseconds % 1000 + 1000) % 1000) / 1000
        return (local - Int(seconds)) / 60
    }

    static func offset(_ minutes: Int) -> String {
        if minutes == 0 { return "UTC" }
        return "\(minutes < 0 ? "-" : "+")\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
    }

    /// `Fri 2026-11-20 07:30 +01:00`
    func full(_ instant: Instant) -> String { "\(day(instant)) \(time(instant)) \(offset(instant))" }

    /// The time, after its day if that is another one than `instant`'s.
    func time(_ other: Instant, seenFrom instant: Instant) -> String {
        calendar.date(at: other) == calendar.date(at: instant) ? time(other) : "\(day(other)) \(time(other))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
