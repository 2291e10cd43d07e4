import RecordLog

/// How long the first record of a partition has waited that is not read yet, told from the ends that were seen.
///
/// The age of the last record that was read says little alone: in a topic to which nobody wrote for hours it would be
/// hours as soon as a record comes. What waits came after the end was last seen where reading is now.
struct PartitionLag {
    /// Ends that were seen and are not reached, ascending; all times are on the monotonic clock.
    private(set) var ahead: [(at: Duration, end: Offset)] = []
    /// Since when the same record has been the first that waits, as far as was seen; `nil` if none waits.
    private(set) var waits: (next: Offset, since: Duration)?
    /// When an end was last seen that has been reached since; `nil` if none was.
    private var reachedAt: Duration?
    /// An hour, where the ends are asked for every five seconds.
    private static let aheadMax = 720

    /// - Parameters:
    ///   - end: the end of the partition now.
    ///   - next: the offset to read next.
    ///   - lastAge: the age of the last record that was read; `nil` if it is not known.
    /// - Returns: the longest time for which the first unread record can have been there: zero where there is none;
    ///   `nil` where nothing is known.
    mutating func observe(end: Offset, next: Offset, lastAge: Duration?, at now: Duration) -> Duration? {
        if ahead.last?.end != end { ahead.append((now, end)) } else { ahead[ahead.count - 1].at = now }
        let reached = ahead.prefix { $0.end <= next }
        if let last = reached.last { reachedAt = last.at }
        ahead.removeFirst(reached.count)
        if ahead.isEmpty { waits = nil } else if waits?.next != next { waits = (next, now) }
        if ahead.isEmpty { return .zero }
        if ahead.count > Self.aheadMax { ahead.remove(at: 1) }
        return [reachedAt.map { now - $0 }, lastAge].compactMap(\.self).min()
    }
}
