public import Foundation

/// The dates of a sequence, as they are, in both modes.
public struct ExplicitTimelineSchedule<Entries>: TimelineSchedule
where Entries: Sequence & Sendable, Entries.Element == Date {
    private let dates: Entries

    /// - Parameter dates: each later than the one before it, with or without an end. That they are is not checked:
    ///   the sequence is not read before its dates are asked for.
    public init(_ dates: Entries) {
        self.dates = dates
    }

    /// All dates, whatever the start date: which one is in force then is for the timeline to say.
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        dates
    }
}

extension TimelineSchedule {
    /// The given dates, which ascend strictly.
    public static func explicit<Dates>(_ dates: Dates) -> ExplicitTimelineSchedule<Dates>
    where Self == ExplicitTimelineSchedule<Dates>, Dates: Sequence & Sendable, Dates.Element == Date {
        ExplicitTimelineSchedule(dates)
    }
}
