import RecordLog
import Timelines

/// The latest change of each key of a compacted topic in the order of the offsets, deletions included: what a reader
/// has missed since a position is found by a search.
struct ChangeLog: Sendable {
    private var partitions: [Partition: [Change]] = [:]
    private var tombstones: [TextKey: ViewPlace] = [:]
    /// Deletions below these offsets are not known, or forgotten.
    private var knownFrom: [Partition: Offset] = [:]
    /// The entries that other entries of their key have replaced.
    private var staleCount = 0
    private var count = 0

    struct Change: Sendable {
        var offset: Offset
        var key: TextKey
        var isDeletion: Bool
    }

    private static let tombstonesMaximum = 65_536

    /// - Parameter replaced: true if the log has an earlier change of the key.
    mutating func append(_ key: TextKey, at place: ViewPlace, isDeletion: Bool, replaced: Bool) {
        partitions[place.partition, default: []].append(
            Change(offset: place.offset, key: key, isDeletion: isDeletion))
        count += 1
        let wasDeleted = tombstones[key] != nil
        if replaced || wasDeleted { staleCount += 1 }
        tombstones[key] = isDeletion ? place : nil
    }

    /// Says that deletions below an offset may be missing: the broker forgets them after a day.
    mutating func forgetDeletions(before place: ViewPlace) {
        knownFrom[place.partition] = max(knownFrom[place.partition] ?? place.offset, place.offset)
    }

    /// The current changes at or behind the offsets, each partition in its order; partitions without an offset from
    /// their beginning.
    ///
    /// - Parameter current: the place of the value that a key has now.
    /// - Returns: the changes, and false beside them if deletions may be missing among them.
    func changes(
        since offsets: [Partition: Offset], current: (TextKey) -> ViewPlace?
    ) -> (changes: [Change], isComplete: Bool) {
        var found: [Change] = []
        for (partition, changes) in partitions.sorted(by: { $0.key < $1.key }) {
            let start = offsets[partition] ?? Offset(0)
            for change in changes[changes.partitionPoint { $0.offset < start }...]
            where isCurrent(change, partition, current) {
                found.append(change)
            }
        }
        let isComplete = knownFrom.allSatisfy { partition, known in offsets[partition] ?? Offset(0) >= known }
        return (found, isComplete)
    }

    /// Drops what was replaced, once that is half of all, and the oldest deletions beyond a bound.
    mutating func compactIfNeeded(current: (TextKey) -> ViewPlace?) {
        guard staleCount > 1024 + count / 2 || tombstones.count > Self.tombstonesMaximum + 1024 else { return }
        var excess = max(0, tombstones.count - Self.tombstonesMaximum)
        for (partition, changes) in partitions.sorted(by: { $0.key < $1.key }) {
            var kept: [Change] = []
            for change in changes where isCurrent(change, partition, current) {
                if change.isDeletion, excess > 0 {
                    excess -= 1
                    tombstones[change.key] = nil
                    forgetDeletions(before: ViewPlace(partition, change.offset.next))
                } else {
                    kept.append(change)
                }
            }
            partitions[partition] = kept
        }
        count = partitions.values.reduce(0) { $0 + $1.count }
        staleCount = 0
    }

    private func isCurrent(_ change: Change, _ partition: Partition, _ current: (TextKey) -> ViewPlace?) -> Bool {
        (change.isDeletion ? tombstones[change.key] : current(change.key)) == ViewPlace(partition, change.offset)
    }
}
