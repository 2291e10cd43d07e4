import RecordLog
import SplitMix
import Timelines

/// The transaction of one step is cut off after so many records, timers and messages; these tasks are lost with all
/// that they hold in memory.
package struct Interruption {
    var deliveries: Int
    var tasks: [Partition]
}

/// Instants at which tasks are thrown away, by the next thing that happens then. Half of them before anything is done,
/// half in the middle of a transaction; mostly one task, sometimes all.
package struct Interruptions {
    private var planned: ArraySlice<(at: Instant, Interruption)>
    package private(set) var struck = 0

    package init(_ count: Int, of day: FleetDay, partitions: Int32, seed: UInt64) {
        var numbers = SplitMix64(seed: seed ^ 0x7265_7374_6172_7473)
        let length = (day.end - day.start).milliseconds
        let drawn = (0..<count).map { _ in
            let at = day.start + ElapsedTime(milliseconds: numbers.below(length - 7_200_000))
            let isAll = numbers.happens(15)
            let tasks = (0..<Partition(partitions)).filter { _ in isAll || numbers.happens(Int64(100 / partitions)) }
            return (
                at: at,
                Interruption(
                    deliveries: numbers.happens(50) ? 0 : 1 + Int(numbers.below(8)),
                    tasks: tasks.isEmpty ? [Partition(Int32(numbers.below(Int64(partitions))))] : tasks)
            )
        }
        planned = drawn.sorted { $0.at < $1.at }[...]
    }

    /// What strikes the step at this instant; of several that came up since the last one, the first.
    mutating func strike(at instant: Instant) -> Interruption? {
        guard let (at, interruption) = planned.first, at <= instant else { return nil }
        planned.removeFirst()
        struck += 1
        return interruption
    }
}
