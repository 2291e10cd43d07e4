import Foundation

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
    /// - Parameter stride: gives only every so many-th boundary, counted from the origin.
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
