import Synchronization

/// A number that only rises. Any thread adds to it.
package final class Counter: Sendable {
    private let total = Atomic<Int>(0)

    package init() {}

    /// - Parameter amount: 0 or more.
    package func increment(by amount: Int = 1) {
        precondition(amount >= 0, "a counter only rises")
        total.add(amount, ordering: .relaxed)
    }

    package var value: Int { total.load(ordering: .relaxed) }
}

/// A number that rises and falls. Any thread sets it.
package final class Gauge: Sendable {
    private let bits = Atomic<UInt64>(0)

    package init() {}

    package func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
}

/// Values by ranges. Any thread adds to it, under a lock of its own.
package final class Histogram: Sendable {
    private let state: Mutex<Distribution>

    package init(bounds: [Double] = Distribution.durations) {
        state = Mutex(Distribution(bounds: bounds))
    }

    package func record(_ value: Double) { state.withLock { $0.record(value) } }

    package var value: Distribution { state.withLock { $0 } }
}

/// A histogram of times, in seconds.
package struct Timer: Sendable {
    private let histogram: Histogram

    package init(_ histogram: Histogram) {
        self.histogram = histogram
    }

    package func record(_ duration: Duration) { histogram.record(duration / .seconds(1)) }

    /// Runs a piece of work and records how long it took, whether it failed or not.
    ///
    /// - Parameter now: the time on a clock that does not go back.
    package func measure<Result, Failure: Error>(
        now: () -> Duration, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let began = now()
        defer { record(now() - began) }
        return try work()
    }
}
