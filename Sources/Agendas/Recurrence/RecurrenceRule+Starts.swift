import Timelines

/// The error of a series that has more to look at than is allowed.
struct ExpansionLimit: Error {
    /// Periods of a rule and starts that it makes, of one series and one call. Rules of every second, and COUNTs in the
    /// millions, end here instead of keeping a thread busy.
    static let steps = 100_000
}

/// The window in which a rule is followed, and the conditions of its starts.
struct StartRequest {
    /// The start of the series: the first instance, whether the rule makes it or not.
    var first: WallClock
    var window: ClosedRange<WallClock>
    var isAllDay: Bool
    /// True if a wall-clock time exists: a start in a gap is no instance and is not counted (RFC 5545 §3.3.10).
    var exists: (WallClock) -> Bool
    /// True if a wall-clock time is not past the given UNTIL.
    var isUntil: (WallClock, EventTime) -> Bool
}

extension RecurrenceRule {
    /// The starts in the window that the rule makes, after `first`, ascending.
    ///
    /// - Parameter steps: the rest of `ExpansionLimit.steps`, which the call uses up.
    func starts(_ request: StartRequest, steps: inout Int) throws(ExpansionLimit) -> [WallClock] {
        let first = request.first
        let last = request.window.upperBound
        // To know which instance is the last of a COUNT, all must be looked at.
        let begin = count == nil ? max(first, request.window.lowerBound) : first
        // COUNT is of what the rule makes: where that leaves out the first instance, as it must not (RFC 5545
        // §3.8.5.3), those who wrote the rule did not count it.
        var remaining = count ?? Int.max
        let times = request.isAllDay ? [0] : frequency < .daily ? [] : timesOfDay(like: first.time)
        var period = firstPeriod(for: begin.day, firstDay: first.day)
        var result: [WallClock] = []
        while remaining > 0, periodBegin(period, firstDay: first.day) <= last.day {
            let days = days(inPeriod: period, firstDay: first.day)
            // Before they are made: a year can have one in each of its seconds.
            steps -= 1 + days.count * max(1, times.count)
            guard steps >= 0 else { throw ExpansionLimit() }
            let candidates: [WallClock]
            if frequency < .daily {
                candidates = days.flatMap { starts(of: $0, request, from: begin) }
                steps -= candidates.count
                guard steps >= 0 else { throw ExpansionLimit() }
            } else {
                candidates = picked(days.flatMap { day in times.map { WallClock(day: day, second: $0) } })
            }
            if count != nil, candidates.contains(first) { remaining -= 1 }
            for start in candidates where start > first {
                if let until, !request.isUntil(start, until) { return result }
                guard start <= last, remaining > 0 else { return result }
                guard request.exists(start) else { continue }
                remaining -= 1
                if start >= request.window.lowerBound { result.append(start) }
            }
            period += frequency < .daily ? 1 : interval
        }
        return result
    }

    // MARK: - Periods

    /// The period to begin with so that no start at or after `day` is missed.
    private func firstPeriod(for day: Int, firstDay: Int) -> Int {
        let (date, first) = (LocalDate(dayNumber: day), LocalDate(dayNumber: firstDay))
        let period =
            switch frequency {
            // Weeks at the turn of a year belong to either.
            case .yearly: date.year - first.year - 1
            case .monthly: (date.year - first.year) * 12 + date.month - first.month
            case .weekly: (weekBegin(day) - weekBegin(firstDay)) / 7
            case .secondly, .minutely, .hourly, .daily: day - firstDay
            }
        let step = frequency < .daily ? 1 : interval
        return max(0, period / step * step)
    }

    private func periodBegin(_ period: Int, firstDay: Int) -> Int {
        let first = LocalDate(dayNumber: firstDay)
        switch frequency {
        case .yearly:
            return LocalDate(year: first.year + period, month: 1, day: 1).dayNumber - 3
        case .monthly:
            let month = first.year * 12 + first.month - 1 + period
            let year = month.floored(by: 12)
            return LocalDate(year: year, month: month - year * 12 + 1, day: 1).dayNumber
        case .weekly:
            return weekBegin(firstDay) + period * 7
        case .secondly, .minutely, .hourly, .daily:
            return firstDay + period
        }
    }

    /// BYSETPOS: the nth starts of one period's set.
    private func picked(_ set: [WallClock]) -> [WallClock] {
        guard !positions.isEmpty else { return set }
        return set.indices.filter { positions.contains($0 + 1) || positions.contains($0 - set.count) }.map { set[$0] }
    }

    // MARK: - Times of day

    /// The times of a day of a rule whose periods are days and longer, in seconds of the day.
    private func timesOfDay(like first: LocalTime) -> [Int] {
        let hours = hours.isEmpty ? [first.hour] : hours
        let minutes = minutes.isEmpty ? [first.minute] : minutes
        let seconds = seconds.isEmpty ? [first.second] : seconds
        return hours.flatMap { hour in
            minutes.flatMap { minute in seconds.map { (hour * 60 + minute) * 60 + $0 } }
        }
    }

    /// The starts of one day of a rule whose periods are hours, minutes or seconds, no earlier than the hour of
    /// `begin` and no later than the window.
    private func starts(of day: Int, _ request: StartRequest, from begin: WallClock) -> [WallClock] {
        let first = request.first
        let minutesSaid = minutes.isEmpty ? (frequency == .hourly ? [first.time.minute] : Array(0...59)) : minutes
        let secondsSaid = seconds.isEmpty ? (frequency == .secondly ? Array(0...59) : [first.time.second]) : seconds
        let unit: Int64 = frequency == .hourly ? 3600 : frequency == .minutely ? 60 : 1
        let firstUnit = first.seconds.floored(by: unit)
        func isDue(_ wall: WallClock) -> Bool {
            (wall.seconds.floored(by: unit) - firstUnit) % Int64(interval) == 0
        }

        var result: [WallClock] = []
        for hour in 0..<24 where hours.isEmpty || hours.contains(hour) {
            let hourBegin = WallClock(day: day, second: hour * 3600)
            guard hourBegin.seconds + 3600 > begin.seconds, hourBegin <= request.window.upperBound else { continue }
            if frequency == .hourly {
                guard isDue(hourBegin) else { continue }
                result += picked(
                    minutesSaid.flatMap { minute in
                        secondsSaid.map { WallClock(seconds: hourBegin.seconds + Int64(minute * 60 + $0)) }
                    })
                continue
            }
            for minute in minutesSaid {
                let minuteBegin = WallClock(seconds: hourBegin.seconds + Int64(minute * 60))
                let all = secondsSaid.map { WallClock(seconds: minuteBegin.seconds + Int64($0)) }
                if frequency == .minutely {
                    if isDue(minuteBegin) { result += picked(all) }
                } else {
                    result += all.filter(isDue)
                }
            }
        }
        return result
    }
}
