/// How often something took how long: counts by ranges, the sum and the number of all. A value: who owns it adds to it
/// without a lock, and hands out copies.
package struct Distribution: Hashable, Sendable {
    /// The upper bounds of the ranges, ascending; a further range takes all above the last.
    package let bounds: [Double]
    /// By range, those above the last bound at the end.
    package private(set) var counts: [Int]
    package private(set) var sum = 0.0

    /// From a millisecond to five minutes, in seconds: of what a commit, a restore or a record's way may take.
    package static let durations: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ]

    /// - Precondition: the bounds ascend, and there is one.
    package init(bounds: [Double] = durations) {
        precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// Counts a value in the first range whose bound it does not exceed. One that is no number is not counted.
    package mutating func record(_ value: Double) {
        guard !value.isNaN else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    package mutating func record(_ duration: Duration) { record(duration / .seconds(1)) }

    /// Adds what another one of the same bounds has counted.
    package mutating func add(_ other: Distribution) {
        precondition(bounds == other.bounds, "distributions of other bounds do not add up")
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
    }

    /// How many were at most as large as each bound, and all of them at the end.
    package var cumulative: [Int] {
        var total = 0
        return counts.map { count in
            total += count
            return total
        }
    }
}
