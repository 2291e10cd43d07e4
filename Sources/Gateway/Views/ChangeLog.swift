import RecordLog
import Timelines

/// The latest change of each key of a compacted topic in the order of the offsets, and its latest deletions: what a
/// client has missed since a position is found by a search.
struct ChangeLog: Sendable {
    private var changes: [Partition: [Change]] = [:]
    private var deletions: [Partition: [Change]] = [:]
    private var tombstones: [TextKey: ViewPlace] = [:]
    /// Deletions below these offsets are not known, or forgotten.
    private var knownFrom: [Partition: Offset] = [:]
    private var count = 0
    /// The entries whose key has changed again since.
    private var staleCount = 0

    private struct Change: Sendable {
        var offset: Offset
        var key: TextKey
    }

    private static let tombstonesMaximum = 65_536

    /// - Parameter replaced: true if the log has an earlier change of the key.
    mutating func append(_ key: TextKey, at place: ViewPlace, isDeletion: Bool, replaced: Bool) {
        let change = Change(offset: place.offset, key: key)
        count += 1
        if replaced || tombstones[key] != nil { staleCount += 1 }
        tombstones[key] = isDeletion ? place : nil
        if isDeletion {
            deletions[place.partition, default: []].append(change)
        } else {
            changes[place.partition, default: []].append(change)
        }
    }

    /// Says that deletions below an offset may be missing: the broker forgets them after a day.
    mutating func forgetDeletions(before place: ViewPlace) {
        knownFrom[place.partition] = max(knownFrom[place.partition] ?? place.offset, place.offset)
    }

    // MARK: - Reading

    /// The keys whose current value came at or behind the offsets, each partition in its order; partitions without an
    /// offset from their beginning.
    ///
    /// - Parameters:
    ///   - limit: the most changes to look at, so that the lock is not held for long.
    ///   - current: the place of the value that a key has now.
    /// - Returns: `nil` if there are more to look at.
    func changed(
        since offsets: [Partition: Offset], limit: Int, current: (TextKey) -> ViewPlace?
    ) -> [TextKey]? {
        Self.keys(of: changes, since: offsets, limit: limit, current: current)
    }

    /// The keys that were deleted at or behind the offsets and have no value since.
    ///
    /// - Returns: `nil` if there are more than `limit` to look at, or some are not known any more.
    func deleted(since offsets: [Partition: Offset], limit: Int) -> [TextKey]? {
        guard knownFrom.allSatisfy({ offsets[$0] ?? Offset(0) >= $1 }) else { return nil }
        return Self.keys(of: deletions, since: offsets, limit: limit) { tombstones[$0] }
    }

    private static func keys(
        of logs: [Partition: [Change]], since offsets: [Partition: Offset], limit: Int,
        current: (TextKey) -> ViewPlace?
    ) -> [TextKey]? {
        var keys: [TextKey] = []
        var room = limit
        for (partition, log) in logs.sorted(by: { $0.key < $1.key }) {
            let start = offsets[partition] ?? Offset(0)
            let behind = log[log.partitionPoint { $0.offset < start }...]
            room -= behind.count
            guard room >= 0 else { return nil }
            for change in behind where current(change.key) == ViewPlace(partition, change.offset) {
                keys.append(change.key)
            }
        }
        return keys
    }

    // MARK: - Bounds

    /// Drops what was replaced, once that is half of all, and the oldest deletions beyond a bound.
    mutating func compactIfNeeded(current: (TextKey) -> ViewPlace?) {
        guard staleCount > 1024 + count / 2 || tombstones.count > Self.tombstonesMaximum + 1024 else { return }
        for (partition, log) in changes {
            changes[partition] = log.filter { current($0.key) == ViewPlace(partition, $0.offset) }
        }
        var excess = max(0, tombstones.count - Self.tombstonesMaximum)
        for (partition, log) in deletions.sorted(by: { $0.key < $1.key }) {
            var kept = log.filter { tombstones[$0.key] == ViewPlace(partition, $0.offset) }
            let dropped = min(excess, kept.count)
            excess -= dropped
            for change in kept[..<dropped] {
                tombstones[change.key] = nil
                forgetDeletions(before: ViewPlace(partition, change.offset.next))
            }
            kept.removeFirst(dropped)
            deletions[partition] = kept
        }
        let all = Array(changes.values) + Array(deletions.values)
        count = all.reduce(0) { $0 + $1.count }
        staleCount = 0
    }

    /// True if the key's deletion is remembered.
    func remembersDeletion(of key: TextKey) -> Bool { tombstones[key] != nil }
}
