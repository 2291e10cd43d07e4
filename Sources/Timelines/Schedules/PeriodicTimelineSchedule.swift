public import Foundation

/// The boundaries `from + k · by`, k = 0, 1, 2 and so on; in low frequency only so many that a minute lies between
/// them.
public struct PeriodicTimelineSchedule: TimelineSchedule {
    private let from: Date
    private let interval: TimeInterval

    /// - Precondition: `interval`, in seconds, is positive and finite.
    public init(from startDate: Date, by interval: TimeInterval) {
        precondition(interval > 0 && interval.isFinite, "a period is a positive number of seconds, not \(interval)")
        from = startDate
        self.interval = interval
    }

    /// The latest boundary that is not later than `startDate`, or the first one where all are, then each boundary
    /// after it. A start date within a microsecond of a boundary is that boundary.
    ///
    /// In low frequency only every ⌈60 s / by⌉-th boundary counts, reckoned from the first.
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        let stride = mode == .normal ? 1 : boundariesOfMinute
        let boundaries = Boundaries(from: from, by: interval, stride: stride)
        return Entries(
            boundaries: startDate > from ? boundaries.startingAtLatest(notAfter: startDate) : boundaries)
    }

    /// ⌈60 s / by⌉, where a quotient that only rounding has put above a whole number is that number.
    private var boundariesOfMinute: Double {
        (60 / interval * (1 - 0x1p-50)).rounded(.up)
    }

    /// Endless.
    public struct Entries: Sequence, IteratorProtocol, Sendable {
        fileprivate var boundaries: Boundaries

        public mutating func next() -> Date? {
            boundaries.next()
        }
    }
}

extension TimelineSchedule where Self == PeriodicTimelineSchedule {
    /// Every `interval` seconds, counted from `startDate`.
    public static func periodic(from startDate: Date, by interval: TimeInterval) -> PeriodicTimelineSchedule {
        PeriodicTimelineSchedule(from: startDate, by: interval)
    }
}
