package import RecordLog

/// The restoring consumer as one stream thread sees it: its own partitions and no others. Owned by that thread; see
/// `SharedRestorer`.
package final class ChangelogReader {
    private let restorer: SharedRestorer
    private let owner: Int

    init(_ restorer: SharedRestorer, owner: Int) {
        self.restorer = restorer
        self.owner = owner
    }

    /// As `Consumer.expect`.
    package func expect(_ topics: [String]) { restorer.expect(topics) }

    /// As `Consumer.incrementalAssign`. A partition that another thread still has is taken from it: the group gives a
    /// partition on when its owner was struck off, which that one may not know yet.
    package func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        try restorer.assign(partitions, to: owner)
    }

    /// As `Consumer.incrementalUnassign`. What another thread has by now is left to it.
    package func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        try restorer.unassign(partitions, of: owner)
    }

    /// Delivers at most so many records, then the ends. If there is nothing, waits up to `timeout`, or less where other
    /// threads restore as well.
    ///
    /// - Parameter take: is lent the records, at most `RestorePortion.lentMax` at a time, in the order of each
    ///   partition's offsets, without headers. It must not call this object.
    package func poll(
        maximum: Int, timeout: Duration, _ take: (ArraySlice<RecordView>) -> Void
    ) -> SharedRestorer.Arrivals {
        restorer.poll(owner, maximum: maximum, timeout: timeout, take)
    }

    /// Gives back all partitions.
    package func leave() { restorer.leave(owner) }
}
