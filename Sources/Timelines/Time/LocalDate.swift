/// A day of the proleptic Gregorian calendar, without zone: the days of all-day events float.
package struct LocalDate: Hashable, Comparable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    package static func < (left: LocalDate, right: LocalDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

/// A wall-clock time of a day, to the second.
package struct LocalTime: Hashable, Comparable, Sendable {
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(hour: Int, minute: Int, second: Int = 0) {
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    package static func < (left: LocalTime, right: LocalTime) -> Bool {
        (left.hour, left.minute, left.second) < (right.hour, right.minute, right.second)
    }
}
