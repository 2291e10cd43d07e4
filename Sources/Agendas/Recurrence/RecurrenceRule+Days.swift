import Timelines

extension RecurrenceRule {
    /// The days of one period of the rule that its parts pick, ascending; times of day and BYSETPOS come after this.
    ///
    /// Below FREQ=WEEKLY a period is a day. A day must satisfy every part that is given, and what none says comes
    /// from the day on which the series starts (RFC 5545 §3.3.10): so parts that expand and parts that limit are one.
    ///
    /// - Parameter period: counted from the one that holds `firstDay`.
    func days(inPeriod period: Int, firstDay: Int) -> [Int] {
        let first = LocalDate(dayNumber: firstDay)
        switch frequency {
        case .yearly:
            return yearlyDays(of: first.year + period, first: first)
        case .monthly:
            let month = first.year * 12 + first.month - 1 + period
            let saysDay = !weekdays.isEmpty || !monthDays.isEmpty || !yearDays.isEmpty
            let monthDays = saysDay ? monthDays : [first.day]
            return daysOfMonth(
                year: month.floored(by: 12), month: month - month.floored(by: 12) * 12 + 1, monthDays)
        case .weekly:
            let begin = weekBegin(firstDay) + period * 7
            let wanted = weekdays.isEmpty ? [Weekday(day: firstDay)] : weekdays.map(\.weekday)
            return (begin..<begin + 7).filter { day in
                guard wanted.contains(Weekday(day: day)) else { return false }
                guard !months.isEmpty || !monthDays.isEmpty || !yearDays.isEmpty else { return true }
                let date = LocalDate(dayNumber: day)
                return !daysOfMonth(year: date.year, month: date.month, monthDays, only: date.day).isEmpty
            }
        case .secondly, .minutely, .hourly, .daily:
            let day = firstDay + period
            let date = LocalDate(dayNumber: day)
            return daysOfMonth(year: date.year, month: date.month, monthDays, only: date.day)
        }
    }

    /// The day on which the week of `day` begins.
    func weekBegin(_ day: Int) -> Int {
        let into = (Weekday(day: day).rawValue - weekStart.rawValue + 7) % 7
        return day - into
    }

    private func yearlyDays(of year: Int, first: LocalDate) -> [Int] {
        guard weekNumbers.isEmpty else { return daysOfWeeks(year: year, first: first) }
        let saysDay = !weekdays.isEmpty || !monthDays.isEmpty || !yearDays.isEmpty
        let monthDays = saysDay ? monthDays : [first.day]
        let months = months.isEmpty && !saysDay ? [first.month] : Array(1...12)
        return months.flatMap { daysOfMonth(year: year, month: $0, monthDays) }
    }

    /// BYWEEKNO: weeks of the year that has four of their days at least, so a day can lie in a neighbouring year.
    private func daysOfWeeks(year: Int, first: LocalDate) -> [Int] {
        let begin = weekBegin(LocalDate(year: year, month: 1, day: 4).dayNumber)
        let weeks = (weekBegin(LocalDate(year: year + 1, month: 1, day: 4).dayNumber) - begin) / 7
        let wanted = weekdays.isEmpty ? [Weekday(day: first.dayNumber)] : weekdays.map(\.weekday)
        var days: [Int] = []
        for week in 1...weeks where weekNumbers.contains(week) || weekNumbers.contains(week - weeks - 1) {
            for day in begin + (week - 1) * 7..<begin + week * 7 where wanted.contains(Weekday(day: day)) {
                let date = LocalDate(dayNumber: day)
                days += daysOfMonth(year: date.year, month: date.month, monthDays, only: date.day)
            }
        }
        return days
    }

    private func daysOfMonth(year: Int, month: Int, _ monthDays: [Int], only: Int? = nil) -> [Int] {
        guard months.isEmpty || months.contains(month) else { return [] }
        let begin = LocalDate(year: year, month: month, day: 1).dayNumber
        let next =
            month == 12 ? LocalDate(year: year + 1, month: 1, day: 1) : LocalDate(year: year, month: month + 1, day: 1)
        let length = next.dayNumber - begin
        let candidates = only.map { $0...$0 } ?? 1...length
        var days: [Int] = []
        for date in candidates {
            let day = begin + date - 1
            guard monthDays.isEmpty || monthDays.contains(date) || monthDays.contains(date - length - 1),
                yearDays.isEmpty || isYearDay(day, year: year),
                weekdays.isEmpty || isWeekday(day, year: year, month: begin..<begin + length)
            else { continue }
            days.append(day)
        }
        return days
    }

    private func isYearDay(_ day: Int, year: Int) -> Bool {
        let range = Self.days(ofYear: year)
        return yearDays.contains(day - range.lowerBound + 1) || yearDays.contains(day - range.upperBound)
    }

    private func isWeekday(_ day: Int, year: Int, month: Range<Int>) -> Bool {
        let weekday = Weekday(day: day)
        return weekdays.contains { wanted in
            guard wanted.weekday == weekday else { return false }
            guard let number = wanted.number else { return true }
            // Numbers count within the year only where nothing narrows it down to months.
            let range = frequency == .yearly && months.isEmpty ? Self.days(ofYear: year) : month
            return number > 0
                ? (day - range.lowerBound) / 7 + 1 == number : (range.upperBound - 1 - day) / 7 + 1 == -number
        }
    }

    private static func days(ofYear year: Int) -> Range<Int> {
        LocalDate(year: year, month: 1, day: 1).dayNumber..<LocalDate(year: year + 1, month: 1, day: 1).dayNumber
    }
}
