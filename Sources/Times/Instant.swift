/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Exact where `Foundation.Date` is a floating-point number, so that equal instants are equal bytes.
public struct Instant: Hashable, Comparable, Sendable {
    /// The milliseconds since 1970-01-01T00:00:00Z, negative before it.
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    @inlinable
    public static func == (left: Instant, right: Instant) -> Bool {
        left.milliseconds == right.milliseconds
    }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Adds elapsed time, not local days: see `LocalCalendar` of Timelines for those.
    ///
    /// - Precondition: the sum fits into 64 bits, as for the other operators.
    @inlinable
    public static func + (left: Instant, right: ElapsedTime) -> Instant {
        Instant(milliseconds: left.milliseconds + right.milliseconds)
    }

    @inlinable
    public static func - (left: Instant, right: ElapsedTime) -> Instant {
        Instant(milliseconds: left.milliseconds - right.milliseconds)
    }

    /// The time that passes from `right` to `left`; negative if `left` is the earlier one.
    @inlinable
    public static func - (left: Instant, right: Instant) -> ElapsedTime {
        ElapsedTime(milliseconds: left.milliseconds - right.milliseconds)
    }
}

extension Instant {
    /// Earlier than every other instant. Nothing can be subtracted from it.
    @inlinable
    package static var distantPast: Instant { Instant(milliseconds: .min) }

    /// Later than every other instant. Nothing can be added to it.
    @inlinable
    package static var distantFuture: Instant { Instant(milliseconds: .max) }

    /// The milliseconds of a day of 24 hours.
    @inlinable
    package static var millisecondsOfDay: Int64 { 86_400_000 }
}

/// A length of time that has passed on every clock alike: whole milliseconds, which may be negative.
public struct ElapsedTime: Hashable, Comparable, Sendable {
    /// The length in milliseconds; negative for a time that goes back.
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    @inlinable
    /// No time at all.
    public static var zero: ElapsedTime { ElapsedTime(milliseconds: 0) }

    @inlinable
    /// So many times 1000 milliseconds.
    public static func seconds(_ seconds: Int64) -> ElapsedTime { ElapsedTime(milliseconds: seconds * 1000) }
    @inlinable
    /// So many times 60 seconds.
    public static func minutes(_ minutes: Int64) -> ElapsedTime { seconds(minutes * 60) }
    @inlinable
    /// So many times 60 minutes; a local day may have other hours than 24.
    public static func hours(_ hours: Int64) -> ElapsedTime { minutes(hours * 60) }

    @inlinable
    public static func == (left: ElapsedTime, right: ElapsedTime) -> Bool {
        left.milliseconds == right.milliseconds
    }

    @inlinable
    public static func < (left: ElapsedTime, right: ElapsedTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    @inlinable
    public static func + (left: ElapsedTime, right: ElapsedTime) -> ElapsedTime {
        ElapsedTime(milliseconds: left.milliseconds + right.milliseconds)
    }

    @inlinable
    public static func * (left: ElapsedTime, factor: Int64) -> ElapsedTime {
        ElapsedTime(milliseconds: left.milliseconds * factor)
    }
}

// MARK: - At ports

extension ElapsedTime {
    /// The length of a duration in whole milliseconds; what is less than a millisecond is cut off.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(milliseconds: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}

extension Duration {
    package init(_ time: ElapsedTime) {
        self = .milliseconds(time.milliseconds)
    }
}
