/// A local day that exists, from its first instant on.
public struct LocalDay: Hashable, Sendable {
    /// The date of the day.
    public var date: LocalDate
    /// Midnight, or the first instant after the gap that midnight lies in.
    public var start: Instant

    /// A day that begins at `start`.
    public init(date: LocalDate, start: Instant) {
        self.date = date
        self.start = start
    }
}

extension LocalCalendar {
    /// The first instant of a date: midnight, or the first instant after a gap in which midnight lies.
    public func firstInstant(of date: LocalDate) -> Instant {
        instant(of: date, at: .midnight, inGap: .firstInstantAfter)
    }

    /// The day whose midnight was the last one at or before `instant`.
    ///
    /// If clocks go back over midnight, a day has begun with its first midnight and stays the day from then on.
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

extension LocalCalendar {
    /// The instant after a duration: first local days at the same time on the wall, then elapsed time.
    ///
    /// Only days that exist count: one day after 29 December 2011 in Apia is the 31st.
    public func adding(_ duration: CalendarDuration, to instant: Instant) -> Instant {
        adding(days: duration.days, to: instant) + duration.time
    }

    /// The instant a duration earlier: first local days, then elapsed time.
    public func subtracting(_ duration: CalendarDuration, from instant: Instant) -> Instant {
        adding(days: -duration.days, to: instant) - duration.time
    }

    private func adding(days: Int, to instant: Instant) -> Instant {
        // Without days the time must not be taken from the wall, which may show it twice.
        guard days != 0 else { return instant }
        let local = local(instant)
        let dayNumber = Int(local.floored(by: Instant.millisecondsOfDay))
        let target = dayNumber + days + missingDays(between: dayNumber, andDays: days)
        let moved = local + Int64(target - dayNumber) * Instant.millisecondsOfDay
        return self.instant(ofLocal: moved, inGap: .firstInstantAfter)
    }

    /// The number of dates that do not exist among so many days from `first` on; negative for days back.
    private func missingDays(between first: Int, andDays days: Int) -> Int {
        var last = first + days
        if days > 0 {
            for missing in missingDays where missing > first && missing <= last { last += 1 }
        } else {
            for missing in missingDays.reversed() where missing < first && missing >= last { last -= 1 }
        }
        return last - first - days
    }
}

extension LocalCalendar {
    /// The start and end of an occurrence, at local midnights if it is an all-day one. An end that a gap puts before
    /// the start is the start.
    public func interval(of extent: Occurrence.Extent) -> (start: Instant, end: Instant) {
        switch extent {
        case .timed(let start, let end): (start, max(start, end))
        case .allDay(let first, let end): allDay(first, end)
        }
    }

    private func allDay(_ first: LocalDate, _ end: LocalDate) -> (start: Instant, end: Instant) {
        let start = firstInstant(of: first)
        return (start, max(start, firstInstant(of: end)))
    }
}
