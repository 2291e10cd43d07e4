/// A local day that exists, from its first instant on.
public struct LocalDay: Hashable, Sendable {
    public var date: LocalDate
    /// Midnight, or the first instant after the gap that midnight lies in.
    public var start: Instant

    public init(date: LocalDate, start: Instant) {
        self.date = date
        self.start = start
    }
}

extension LocalCalendar {
    /// The first instant of a date: midnight, or where there is none the first instant after the gap.
    public func firstInstant(of date: LocalDate) -> Instant {
        instant(of: date, at: .midnight, inGap: .firstInstantAfter)
    }

    /// The day whose midnight was the last one at or before `instant`.
    ///
    /// Where clocks go back over midnight, a day has begun with its first midnight and stays the day from then on.
    public func day(at instant: Instant) -> LocalDay {
        let date = date(at: instant)
        let today = LocalDay(date: date, start: firstInstant(of: date))
        let tomorrow = day(after: today)
        return tomorrow.start <= instant ? tomorrow : today
    }

    /// The next day that exists: its start is later than the day's, its date may be more than one day on.
    public func day(after day: LocalDay) -> LocalDay {
        let start = firstInstant(of: day.date.advanced(byDays: 1))
        return LocalDay(date: max(date(at: start), day.date.advanced(byDays: 1)), start: start)
    }

    /// The first local midnight later than `instant`, with the date that begins there: tomorrow.
    public func nextDay(after instant: Instant) -> LocalDay {
        day(after: day(at: instant))
    }
}
