/// A duration as the contract writes it (`P1DT30M`): local days, which are counted first, then elapsed time
/// (T10). Weeks are seven days.
public struct CalendarDuration: Hashable, Sendable {
    public var days: Int
    public var time: ElapsedTime

    public init(days: Int = 0, time: ElapsedTime = .zero) {
        self.days = days
        self.time = time
    }

    public static func minutes(_ minutes: Int64) -> CalendarDuration { CalendarDuration(time: .minutes(minutes)) }

    public var isZero: Bool { days == 0 && time == .zero }

    /// The length with days of 24 hours: for bounds and for comparisons, never for local dates.
    public var nominal: ElapsedTime { .hours(24) * Int64(days) + time }
}
