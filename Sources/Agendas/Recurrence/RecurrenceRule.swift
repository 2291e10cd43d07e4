/// An RRULE's value, read and checked (RFC 5545 §3.3.10). What is missing in it comes from the event's start.
struct RecurrenceRule: Sendable {
    var frequency: Frequency
    var interval = 1
    var count: Int?
    var until: EventTime?
    var weekStart = Weekday.monday
    /// Seconds of the minute. As all lists here it ascends, has each value once, and is empty if the rule does not say
    /// it.
    var seconds: [Int] = []
    var minutes: [Int] = []
    var hours: [Int] = []
    var weekdays: [NumberedWeekday] = []
    /// Days of the month, 1 to 31, or −31 to −1 counted from its end, as in the lists below.
    var monthDays: [Int] = []
    var yearDays: [Int] = []
    var weekNumbers: [Int] = []
    var months: [Int] = []
    var positions: [Int] = []
    /// The parts of the text that are used, but not as they are.
    var remarks: [String] = []

    enum Frequency: Int, CaseIterable, Comparable, Sendable {
        case secondly, minutely, hourly, daily, weekly, monthly, yearly

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

        var name: String { "\(self)".uppercased() }
    }

    enum Weekday: Int, CaseIterable, Sendable {
        case monday, tuesday, wednesday, thursday, friday, saturday, sunday

        /// `MO`
        var name: String { "\(self)".prefix(2).uppercased() }

        /// The weekday of a day that is counted from 1970-01-01, a Thursday.
        init(day: Int) {
            let fromMonday = (day + 3) % 7
            guard let weekday = Self(rawValue: fromMonday < 0 ? fromMonday + 7 : fromMonday) else {
                preconditionFailure("a week has seven days")
            }
            self = weekday
        }
    }

    /// Every such weekday, or the nth one of the month or year, negative from its end.
    struct NumberedWeekday: Hashable, Sendable {
        var number: Int?
        var weekday: Weekday
    }
}
