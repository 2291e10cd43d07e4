public import Foundation

/// As often as an animation needs it; nothing while it is paused, and nothing in low frequency.
public struct AnimationTimelineSchedule: TimelineSchedule {
    private let interval: TimeInterval
    private let isPaused: Bool

    /// - Parameter minimumInterval: seconds between two dates; a sixtieth where it is nil.
    /// - Precondition: `minimumInterval` is positive and finite.
    public init(minimumInterval: Double? = nil, paused: Bool = false) {
        let interval = minimumInterval ?? 1 / 60
        precondition(interval > 0 && interval.isFinite, "an interval is a positive number of seconds, not \(interval)")
        self.interval = interval
        isPaused = paused
    }

    /// `startDate`, then a date after each interval.
    public func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        Entries(frames: isPaused || mode == .lowFrequency ? nil : Boundaries(from: startDate, by: interval))
    }

    /// Endless, or empty.
    public struct Entries: Sequence, IteratorProtocol, Sendable {
        fileprivate var frames: Boundaries?

        public mutating func next() -> Date? {
            frames?.next()
        }
    }
}

extension TimelineSchedule where Self == AnimationTimelineSchedule {
    /// Sixty times a second.
    public static var animation: AnimationTimelineSchedule { AnimationTimelineSchedule() }

    /// A date every `minimumInterval` seconds, a sixtieth where it is nil; none while paused.
    public static func animation(minimumInterval: Double? = nil, paused: Bool = false) -> AnimationTimelineSchedule {
        AnimationTimelineSchedule(minimumInterval: minimumInterval, paused: paused)
    }
}
