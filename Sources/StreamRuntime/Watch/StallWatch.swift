package import RecordLog

/// Finds out that a partition is assigned, has records to read, and gets none: what looks healthy from outside. It says
/// what to do about it, each time something that goes further. Where all has been tried in vain, it begins again with
/// the first, after twice the time, and so on, up to half an hour: taking a task over again and again would heal
/// nothing, and hold up what runs.
package struct StallWatch {
    package enum Remedy: String, Hashable, Sendable, CaseIterable {
        /// The consumer is moved to the position again.
        case seek
        /// The partition is taken from the consumer and given to it again.
        case reassign
        /// The task is given up and taken over anew.
        case retake
    }

    private var next: Offset?
    private var since = Duration.zero
    private var remedies = 0

    private static let patienceMax = Duration.seconds(1800)

    package init() {}

    /// True from the first remedy until the position moves, or has nothing before it.
    package var isStalled: Bool { remedies > 0 }

    /// - Parameters:
    ///   - next: the position.
    ///   - end: the last stable offset.
    ///   - isExcused: true if it is known why nothing is read: then the time begins anew.
    /// - Returns: how long it has stood still, and what is to be done now; `nil` if nothing is.
    package mutating func observe(
        next: Offset, end: Offset, at now: Duration, patience: Duration, isExcused: Bool
    ) -> (for: Duration, remedy: Remedy)? {
        if next >= end || next != self.next {
            remedies = 0
            since = now
            self.next = next
            return nil
        }
        if isExcused { since = now }
        let duration = now - since
        let rounds = remedies / Remedy.allCases.count
        guard duration >= min(patience * (1 << min(rounds, 10)), max(patience, Self.patienceMax)) else { return nil }
        since = now
        defer { remedies += 1 }
        return (duration, Remedy.allCases[remedies % Remedy.allCases.count])
    }
}
