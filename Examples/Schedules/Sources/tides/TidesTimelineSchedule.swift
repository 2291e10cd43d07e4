import Foundation
import Timelines

/// High and low water in turns, as the moon alone would make them.
struct TidesTimelineSchedule: TimelineSchedule, Hashable {
    /// Any high water.
    var highWater: Date

    /// Half a lunar day lies between two high waters: 12 hours, 25 minutes and 14 seconds. A quarter lies between high
    /// and low water.
    static let quarter: TimeInterval = (12 * 3600 + 25 * 60 + 14) / 2

    /// The turn of the tide that is in force at `startDate`, then each one after it. In low frequency only high waters
    /// count.
    func entries(from startDate: Date, mode: TimelineScheduleMode) -> Entries {
        let step = mode == .normal ? 1 : 2
        let quarters = Int((startDate.timeIntervalSince(highWater) / Self.quarter).rounded(.down))
        // Swift's remainder has the sign of the dividend.
        let back = ((quarters % step) + step) % step
        return Entries(highWater: highWater, number: quarters - back, step: step)
    }

    /// True if the water is high at a turn of the tide, false if it is low.
    func isHigh(at turn: Date) -> Bool {
        Int((turn.timeIntervalSince(highWater) / Self.quarter).rounded()) % 2 == 0
    }

    /// The turns of the tide have no end.
    struct Entries: Sequence, IteratorProtocol {
        fileprivate var highWater: Date
        fileprivate var number: Int
        fileprivate var step: Int

        mutating func next() -> Date? {
            defer { number += step }
            return highWater.addingTimeInterval(Double(number) * TidesTimelineSchedule.quarter)
        }
    }
}
