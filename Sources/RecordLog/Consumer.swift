/// A reader of partitions: as a member of a group that subscribes to one topic, or of partitions assigned by hand, or
/// both.
///
/// Owned by one thread. The listener is called inside `poll` and inside `close`, on that thread.
package protocol Consumer: AnyObject {
    /// Topics by the index that `RecordView.topic` names; grows as topics are met, never changes otherwise.
    var topics: [String] { get }

    /// Joins the group. Cooperative rebalancing: only partitions that move are named to the listener.
    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError)

    /// Asks at once where these topics lie, so that partitions of them which are assigned later are read without delay.
    /// Returns before there is an answer; a topic that is not expected is read as well.
    func expect(_ topics: [String])

    /// Adds partitions to those that are read, each from the place given with it. A partition is added once.
    ///
    /// One that begins at its earliest or latest record cannot be moved before something has come of it. If it is
    /// removed before that and added again, it may once more begin at that record, half a second later (R20).
    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError)

    /// Removes partitions from those that are read. After this returns none of their records is delivered.
    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError)

    /// Moves the position of assigned partitions; records fetched before are not delivered afterwards.
    ///
    /// - Returns: the partitions that could not be moved yet, for another try; empty if all were moved.
    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition]

    /// Waits up to `timeout` for the first record, then takes what is there, at most `maximum` events.
    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch

    /// The offsets that the group has committed. A partition without one is absent.
    ///
    /// A read_committed handle asks for stable offsets (KIP-447): while a transaction that holds one is open the answer
    /// waits, and `timedOut` or `unstableOffsets` is thrown in the end. A read_uncommitted one answers at once with the
    /// last committed offset and its metadata.
    func committed(_ partitions: [TopicPartition], timeout: Duration) throws(LogError) -> [TopicPartition:
        CommittedOffset]

    /// Asks the broker for both ends of a partition. For a read_committed handle the high one is the last stable
    /// offset.
    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks

    /// The end of an assigned partition as the last fetch told it; `nil` if none has. Asks nobody.
    func knownEnd(of partition: TopicPartition) -> Offset?

    /// The consumer's present metadata in its group; `nil` if it is not a member with a generation (R3).
    func groupMetadata() -> (any GroupMetadata)?

    /// Leaves the group and ends. The listener is called with what is revoked; nothing may be called afterwards.
    func close()

    /// The same, by whoever knows how much longer a first assignment may be waited for that is on its way.
    func close(waiting patience: Duration)
}

extension Consumer {
    /// A log that assigns at once has nothing to wait for.
    package func close(waiting patience: Duration) { close() }

    /// A log that knows its topics has nothing to ask.
    package func expect(_ topics: [String]) {}
}

/// The identity of a consumer in its group at one moment, for `TransactionalProducer.sendOffsets`. It is used once.
package protocol GroupMetadata: AnyObject {}

/// The methods are called inside `poll` and `close`, and must change the assignment before they return.
package protocol RebalanceListener: AnyObject {
    /// The group gave these partitions to the consumer. Must call `incrementalAssign`, with those that are to be read
    /// now, even if there are none; others can be assigned later, until they are given up.
    func assigned(_ partitions: [TopicPartition])
    /// The consumer is to give these partitions up, in order: what was read of them may still be committed.
    /// Must call `incrementalUnassign` with those of them that are assigned, even if there are none.
    func revoked(_ partitions: [TopicPartition])
    /// Other members own these partitions already: nothing read of them may be committed.
    /// Must call `incrementalUnassign` with those of them that are assigned, even if there are none.
    func lost(_ partitions: [TopicPartition])
}

package enum IsolationLevel: String, Sendable {
    case readCommitted = "read_committed"
    case readUncommitted = "read_uncommitted"
}
