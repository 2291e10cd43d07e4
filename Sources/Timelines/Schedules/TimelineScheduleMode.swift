/// How often a schedule or an interval may come (T14).
public enum TimelineScheduleMode: String, CaseIterable, Sendable {
    /// The dates as the schedule says.
    case normal
    /// Fewer dates, for a surface that is dimmed or saves power: about one a minute at most.
    case lowFrequency
}
