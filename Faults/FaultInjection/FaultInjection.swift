// FaultInjection: a pipeline of real processes on real brokers, faults of both, and checkers of what was written.
//
// It must not know how Tideline works inside. It starts the built program, writes to its topics, and judges what a
// client that is not ours (kcat) reads from them. Faults are drawn from a seed; what is drawn is the same in every run
// of that seed, when it happens is the machine's affair.
//
// Begin with `ChaosRun`, which has the order of a run. `BrokerCluster` starts and hurts brokers, `ProcessSlot` one
// `tideline process` behind its `Proxy`, `ChaosSink` a sink on a small disk. `LedgerWriter` writes what `Ledger`
// knows. `GroupWatch` looks at the group and at the ends of the outputs meanwhile. Checks.swift has what judges,
// ChaosReport.swift what tells.

package import Foundation

/// What a run is to do.
package struct ChaosPlan: Sendable {
    package var seed: UInt64 = 1
    /// How long faults happen, at most.
    package var seconds: Double = 60
    /// Faults of processes and of brokers after which no more happen; nil: as many as come in `seconds`.
    package var processFaults: Int?
    package var brokerFaults: Int?
    /// 1, or 3 with replication 3 and min ISR 2.
    package var brokers = 3
    /// The stream threads of each process.
    package var streamThreads = [1, 1, 4]
    package var partitions = 6
    /// Ledger generations a second; each is two configurations, six events and four records of telemetry.
    package var rate = 3.0
    /// The mean time between faults, in seconds.
    package var processFaultEvery = 2.0
    package var brokerFaultEvery = 9.0
    /// Kinds that must not happen.
    package var without: Set<FaultKind> = []
    package var sessionSeconds = 6
    /// Options of every `tideline process`, such as `--set` with a setting.
    package var processOptions: [String] = []
    /// Each process has a name by which the group knows it again.
    package var hasInstances = false
    package var tideline: URL
    package var directory: URL
    /// How long after the last fault all lag must be gone and all be published.
    package var settleSeconds = 120.0

    package init(tideline: URL, directory: URL) {
        self.tideline = tideline
        self.directory = directory
    }
}

/// Why a run could not be made, in contrast to a verdict.
package struct ChaosError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Seconds since some instant before this process began; it never jumps.
package func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Asks again and again, for so many seconds at most, on a thread that may wait.
///
/// - Returns: whether `condition` held.
@discardableResult
package func wait(atMost seconds: Double, every interval: Double = 0.1, until condition: () -> Bool) -> Bool {
    let deadline = monotonicSeconds() + seconds
    while !condition() {
        if monotonicSeconds() >= deadline { return condition() }
        Thread.sleep(forTimeInterval: interval)
    }
    return true
}
