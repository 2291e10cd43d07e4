package import Foundation

/// The resources that this process has used since it began.
package struct ProcessUsage: Equatable, Sendable {
    /// Processor time of all threads, user and system, in seconds.
    package var cpuSeconds: Double

    /// The most memory that was resident at once, in bytes.
    package var peakMemory: Int

    package init(cpuSeconds: Double, peakMemory: Int) {
        self.cpuSeconds = cpuSeconds
        self.peakMemory = peakMemory
    }

    /// Asks the system (`getrusage`).
    package static func current() -> ProcessUsage {
        var usage = rusage()
        let status = getrusage(RUSAGE_SELF.rawValue, &usage)
        precondition(status == 0, "getrusage fails for a wrong argument only")
        return ProcessUsage(usage)
    }

    /// What the system says of a process, this one or one that has ended.
    package init(_ usage: rusage) {
        self.init(
            cpuSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds,
            // Linux counts in KiB.
            peakMemory: usage.ru_maxrss * 1024)
    }
}

extension timeval {
    fileprivate var seconds: Double {
        Double(tv_sec) + Double(tv_usec) / 1_000_000
    }
}
