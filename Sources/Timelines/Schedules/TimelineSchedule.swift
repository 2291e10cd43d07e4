public import Foundation

/// Says at which dates a timeline shows something new (S1 to S6).
///
/// The protocol and the schedules that come with it have the names that they have in SwiftUI. A schedule is a pure
/// value: the same start date and mode give the same dates.
public protocol TimelineSchedule: Sendable {
    /// How often dates may come.
    typealias Mode = TimelineScheduleMode

    /// Dates that ascend. They may never end, so they are made one by one, as they are asked for.
    associatedtype Entries: Sequence where Entries.Element == Date

    /// The dates from around `startDate` on: a schedule with boundaries of its own begins with the one in force then.
    func entries(from startDate: Date, mode: Mode) -> Entries
}

/// How often a schedule or an interval may come (T14).
public enum TimelineScheduleMode: String, CaseIterable, Sendable {
    /// The dates as the schedule says.
    case normal
    /// Fewer dates, for a surface that is dimmed or saves power: about one a minute at most.
    case lowFrequency
}

extension Instant {
    /// The instant of a date, to the nearest millisecond.
    ///
    /// - Precondition: the date is finite, and its milliseconds fit into 64 bits.
    public init(_ date: Date) {
        let sinceReference = (date.timeIntervalSinceReferenceDate * 1000).rounded()
        self.init(milliseconds: Int64(sinceReference) + Instant.millisecondsOfReferenceDate)
    }

    /// 2001-01-01T00:00:00Z, from which dates count: to go over 1970 would round once more.
    fileprivate static let millisecondsOfReferenceDate: Int64 = 978_307_200_000
}

extension Date {
    /// The date nearest to an instant. In the years 0001 to 9999, `Instant(Date(instant))` is the same instant.
    public init(_ instant: Instant) {
        let sinceReference = instant.milliseconds - Instant.millisecondsOfReferenceDate
        self.init(timeIntervalSinceReferenceDate: Double(sinceReference) / 1000)
    }
}

/// The dates `origin + index · interval`, endless from one index on.
///
/// Each date is reckoned from the origin, never from the one before it: errors of rounding do not add up.
struct Boundaries: Sendable {
    private let origin: Date
    /// Seconds.
    private let interval: TimeInterval
    /// How many intervals lie between two dates.
    private let stride: Double
    /// A whole number. It counts exactly up to 2^53: from `Date.distantPast`, to this day, intervals of 8 µs.
    private var index: Double = 0

    /// Begins with the origin itself.
    ///
    /// - Parameter stride: how many intervals lie between two dates, counted from the origin.
    init(from origin: Date, by interval: TimeInterval, stride: Double = 1) {
        precondition(interval > 0 && interval.isFinite, "an interval is a positive number of seconds, not \(interval)")
        precondition(
            stride >= 1 && stride == stride.rounded(), "a stride is a whole number of intervals, not \(stride)")
        self.origin = origin
        self.interval = interval
        self.stride = stride
    }

    /// Begins with the latest boundary that is not later than `date`, before the origin, too.
    func startingAtLatest(notAfter date: Date) -> Boundaries {
        var begun = self
        begun.index = (date.timeIntervalSince(origin) / (interval * stride)).rounded(.down) * stride
        // The quotient is rounded, and so are dates: one boundary is tried on either side.
        if self.date(at: begun.index).timeIntervalSince(date) > tolerance { begun.index -= stride }
        if self.date(at: begun.index + stride).timeIntervalSince(date) <= tolerance { begun.index += stride }
        return begun
    }

    mutating func next() -> Date {
        defer { index += stride }
        return date(at: index)
    }

    private func date(at index: Double) -> Date {
        origin.addingTimeInterval(index * interval)
    }

    /// In this century neighbouring dates are a tenth of a microsecond apart: what differs by less than a whole one is
    /// meant to be the same.
    private var tolerance: TimeInterval { min(0.000_001, interval / 2) }
}
