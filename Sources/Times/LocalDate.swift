/// A day of the proleptic Gregorian calendar, without zone: the days of all-day events float.
public struct LocalDate: Hashable, Comparable, Sendable {
    /// The year of the proleptic Gregorian calendar.
    public var year: Int
    /// 1 ... 12.
    public var month: Int
    /// 1 ... 31.
    public var day: Int

    /// A date of these parts, which are not checked.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    public static func < (left: LocalDate, right: LocalDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

/// A wall-clock time of a day, to the second.
public struct LocalTime: Hashable, Comparable, Sendable {
    /// 0 ... 23.
    public var hour: Int
    /// 0 ... 59.
    public var minute: Int
    /// 0 ... 59.
    public var second: Int

    /// A time of these parts, which are not checked.
    public init(hour: Int, minute: Int, second: Int = 0) {
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    public static func < (left: LocalTime, right: LocalTime) -> Bool {
        (left.hour, left.minute, left.second) < (right.hour, right.minute, right.second)
    }
}

extension LocalDate {
    /// Days since 1970-01-01, negative before it.
    package var dayNumber: Int {
        // Years begin in March here, so that the leap day is the last of its year and months need no table.
        let marchYear = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = marchYear.floored(by: 4) - marchYear.floored(by: 100) + marchYear.floored(by: 400)
        return 365 * marchYear + leapDays + dayOfYear - LocalDate.daysFromMarchOfYearZero
    }

    package init(dayNumber: Int) {
        let days = dayNumber + LocalDate.daysFromMarchOfYearZero
        let cycle = days.floored(by: LocalDate.daysOf400Years)
        let dayOfCycle = days - cycle * LocalDate.daysOf400Years
        // The last day of a 4-year, of a 400-year and before a missing leap day must not count as a new year.
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: cycle * 400 + yearOfCycle + (month > 2 ? 0 : 1),
            month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// The date so many days later on the calendar, whether a zone has that day or not.
    package func advanced(byDays days: Int) -> LocalDate {
        LocalDate(dayNumber: dayNumber + days)
    }

    /// True if month and day exist, in the years 1 to 9999 that the contract's texts can say.
    package var isValid: Bool {
        guard 1...9999 ~= year, 1...12 ~= month, day >= 1 else { return false }
        return day <= LocalDate.days(inMonth: month, of: year)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static let daysOf400Years = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysFromMarchOfYearZero = 719_468
}

extension LocalTime {
    /// 00:00:00.
    public static let midnight = LocalTime(hour: 0, minute: 0)

    package var secondOfDay: Int { (hour * 60 + minute) * 60 + second }
}

extension BinaryInteger {
    /// The quotient rounded down, where `/` rounds towards zero.
    @inlinable
    package func floored(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
