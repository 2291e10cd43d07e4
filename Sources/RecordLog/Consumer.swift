/// A reader of partitions: as a member of a group that subscribes to one topic, or of partitions assigned by hand, or
/// both.
///
/// Owned by one thread. The listener is called inside `poll` and inside `close`, on that thread.
package protocol Consumer: AnyObject {
    /// Topics by the index that `RecordView.topic` names; grows as topics are met, never changes otherwise.
    var topics: [String] { get }

    /// Joins the group. Cooperative rebalancing: only partitions that move are named to the listener.
    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError)

    /// Replaces nothing: adds these partitions, reading from where each says. A partition is added once.
    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError)

    /// Takes partitions away; after this returns none of their records is delivered.
    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError)

    /// Moves the position of assigned partitions; records fetched before are not delivered afterwards.
    ///
    /// - Returns: those that could not be moved yet (try again later); empty: all were.
    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition]

    /// Waits up to `timeout` for the first record, then takes what is there, at most `maximum` events.
    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch

    /// What the group has committed; a partition without an offset is absent.
    ///
    /// A read_committed handle asks for stable offsets (KIP-447): while a transaction that holds one is open the answer
    /// waits, and `timedOut` or `unstableOffsets` is thrown in the end. A read_uncommitted one answers at once with the
    /// last committed offset and its metadata.
    func committed(_ partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition:
        CommittedOffset]

    /// Asks the broker. The high one is the last stable offset for a read_committed handle.
    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks

    /// The group metadata of now; nil when this consumer is not a member with a generation (R3).
    func groupMetadata() -> (any GroupMetadata)?

    /// Leaves the group (the listener is told what is revoked) and ends. Nothing may be called afterwards.
    func close()
}

/// Who a consumer is in its group at one moment; for `TransactionalProducer.sendOffsets`. Used once, then let go.
package protocol GroupMetadata: AnyObject {}

/// Called inside `poll` and `close`. Each must change the assignment before it returns.
package protocol RebalanceListener: AnyObject {
    /// These are new. Must call `incrementalAssign` with them.
    func assigned(_ partitions: [TopicPartition])
    /// These are to be given up, in order: what was read of them may still be committed.
    /// Must call `incrementalUnassign` with them.
    func revoked(_ partitions: [TopicPartition])
    /// These are owned by somebody else already: nothing read of them may be committed.
    /// Must call `incrementalUnassign` with them.
    func lost(_ partitions: [TopicPartition])
}

package enum IsolationLevel: String, Sendable {
    case readCommitted = "read_committed"
    case readUncommitted = "read_uncommitted"
}
