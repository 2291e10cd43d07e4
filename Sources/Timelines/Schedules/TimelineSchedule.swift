public import Foundation

/// Says at which dates a timeline shows something new (S1 to S6).
///
/// The protocol and the schedules that come with it have the names that they have in SwiftUI. A schedule is a pure
/// value: the same start date and mode give the same dates.
public protocol TimelineSchedule: Sendable {
    typealias Mode = TimelineScheduleMode

    /// Dates that ascend. They may never end, so they are made one by one, as they are asked for.
    associatedtype Entries: Sequence where Entries.Element == Date

    /// The dates from around `startDate` on: a schedule with boundaries of its own begins with the one in force then.
    func entries(from startDate: Date, mode: Mode) -> Entries
}
