/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Exact where `Foundation.Date` is a floating-point number, so that equal instants are equal bytes.
package struct Instant: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Adds elapsed time, not local days: see `LocalCalendar` for those.
    package static func + (left: Instant, right: ElapsedTime) -> Instant {
        Instant(milliseconds: left.milliseconds + right.milliseconds)
    }

    package static func - (left: Instant, right: ElapsedTime) -> Instant {
        Instant(milliseconds: left.milliseconds - right.milliseconds)
    }

    package static func - (left: Instant, right: Instant) -> ElapsedTime {
        ElapsedTime(milliseconds: left.milliseconds - right.milliseconds)
    }
}

/// A length of time that has passed on every clock alike: whole milliseconds.
package struct ElapsedTime: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func seconds(_ seconds: Int64) -> ElapsedTime { ElapsedTime(milliseconds: seconds * 1000) }
    package static func minutes(_ minutes: Int64) -> ElapsedTime { seconds(minutes * 60) }
    package static func hours(_ hours: Int64) -> ElapsedTime { minutes(hours * 60) }
    package static let zero = ElapsedTime(milliseconds: 0)

    package static func < (left: ElapsedTime, right: ElapsedTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static func * (left: ElapsedTime, factor: Int64) -> ElapsedTime {
        ElapsedTime(milliseconds: left.milliseconds * factor)
    }
}

/// A duration as the contract writes it (`P1DT30M`): local days, which are counted first, then elapsed time
/// (T10). Weeks are seven days.
package struct CalendarDuration: Hashable, Sendable {
    package var days: Int
    package var time: ElapsedTime

    package init(days: Int = 0, time: ElapsedTime = .zero) {
        self.days = days
        self.time = time
    }

    package static func minutes(_ minutes: Int64) -> CalendarDuration { CalendarDuration(time: .minutes(minutes)) }

    package var isZero: Bool { days == 0 && time == .zero }

    /// The length with days of 24 hours: for bounds and for comparisons, never for local dates.
    package var nominal: ElapsedTime { .hours(24) * Int64(days) + time }
}

extension ElapsedTime {
    package static func + (left: ElapsedTime, right: ElapsedTime) -> ElapsedTime {
        ElapsedTime(milliseconds: left.milliseconds + right.milliseconds)
    }
}
