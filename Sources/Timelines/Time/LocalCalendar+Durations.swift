extension LocalCalendar {
    /// The instant so much later: first local days at the same time on the wall, then elapsed time.
    ///
    /// Days are those that exist: one day after 29 December 2011 in Apia is the 31st.
    public func adding(_ duration: CalendarDuration, to instant: Instant) -> Instant {
        adding(days: duration.days, to: instant) + duration.time
    }

    /// The instant so much earlier: first local days, then elapsed time.
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

    /// How many dates that do not exist a walk of so many days passes, negative for a walk back.
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
    /// Start and end of an occurrence: all-day ones at local midnights. An end that a gap puts before the start is
    /// the start.
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
