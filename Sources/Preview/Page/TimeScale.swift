internal import Timelines

/// The places of instants on a drawing: elapsed time from left to right.
struct TimeScale {
    let range: ClosedRange<Instant>
    /// The drawing's left edge and its width.
    let left: Double
    let width: Double

    func x(_ instant: Instant) -> Double {
        left + width * Double((instant - range.lowerBound).milliseconds) / Double(length.milliseconds)
    }

    var length: ElapsedTime { range.upperBound - range.lowerBound }

    /// The width of a length of time.
    func width(of time: ElapsedTime) -> Double {
        width * Double(time.milliseconds) / Double(length.milliseconds)
    }

    /// The stretch of time that a drawing of these timelines covers: a whole walk, or the entries and the due date of a
    /// single timeline, without what came long before it.
    static func range(of steps: [TimelineWalk.Step], until: Instant?) -> ClosedRange<Instant> {
        guard let first = steps.first, let last = steps.last else { preconditionFailure("a walk has a timeline") }
        var begin = first.at
        var end = max(until ?? first.at, last.at)
        if end == begin {
            let dates = first.timeline.entries.map(\.date) + [first.timeline.nextUpdate].compactMap(\.self)
            end = max(dates.max() ?? end, first.at)
            let ahead = max((end - first.at).milliseconds, 600_000)
            end = max(end, first.at + ElapsedTime(milliseconds: ahead))
            let earliest = first.at - ElapsedTime(milliseconds: ahead / 5)
            begin = max(dates.min() ?? begin, earliest)
            begin = min(begin, first.at - ElapsedTime(milliseconds: ahead / 50))
        }
        let margin = ElapsedTime(milliseconds: max((end - begin).milliseconds / 40, 1000))
        return begin...(end + margin)
    }
}

// MARK: - What the axis says

extension TimeScale {
    /// Local times at even distances, as many as can be read.
    func ticks(in calendar: LocalCalendar) -> [Instant] {
        let seconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        let fitting = seconds.first { width(of: .seconds(Int64($0))) >= 48 }
        guard let step = fitting else { return [] }
        return days(in: calendar).flatMap { date in
            stride(from: 0, to: 86_400, by: step).lazy.compactMap { second -> Instant? in
                let time = LocalTime(hour: second / 3600, minute: second / 60 % 60, second: second % 60)
                let instant = calendar.instant(of: date, at: time)
                return calendar.isInGap(date, time) || !range.contains(instant) ? nil : instant
            }
        }
    }

    /// The local midnights, and how many of them are to be left out between two that are named.
    func midnights(in calendar: LocalCalendar) -> (dates: [LocalDay], every: Int) {
        var days: [LocalDay] = []
        var day = calendar.nextDay(after: range.lowerBound)
        while day.start <= range.upperBound, days.count < Self.daysMax {
            days.append(day)
            day = calendar.day(after: day)
        }
        let every = max(1, Int((122 / max(0.001, width(of: .hours(24)))).rounded(.up)))
        return (days, every)
    }

    /// The changes of the clocks, with the offsets before and after in minutes.
    func clockChanges(_ local: LocalText) -> [(at: Instant, before: Int, after: Int)] {
        var changes: [(at: Instant, before: Int, after: Int)] = []
        var begin = range.lowerBound
        var steps = 0
        while begin < range.upperBound, steps < Self.daysMax {
            let end = min(begin + .hours(24), range.upperBound)
            let (before, after) = (local.offsetMinutes(begin), local.offsetMinutes(end))
            if before != after {
                var (low, high) = (begin.milliseconds, end.milliseconds)
                while high - low > 1 {
                    let middle = low + (high - low) / 2
                    if local.offsetMinutes(Instant(milliseconds: middle)) == before {
                        low = middle
                    } else {
                        high = middle
                    }
                }
                changes.append((Instant(milliseconds: high), before, after))
            }
            begin = end
            steps += 1
        }
        return changes
    }

    private func days(in calendar: LocalCalendar) -> [LocalDate] {
        let (first, last) = (calendar.date(at: range.lowerBound), calendar.date(at: range.upperBound))
        // Times of day are only written where a day is wide, so there are few.
        return (first.dayNumber...last.dayNumber).prefix(Self.daysMax).map { LocalDate(dayNumber: $0) }
    }

    private static let daysMax = 4000
}
