/// Writes records in transactions (KIP-98, KIP-447). Owned by one thread.
package protocol TransactionalProducer: AnyObject {
    var transactionalId: String { get }

    /// Fences every other producer of this id and settles what it left open. Call once, before the first transaction.
    func initialise(timeout: Duration) throws(TransactionError)

    func begin() throws(TransactionError)

    /// Puts a record into the open transaction; bytes are copied. Waits for room when the queue is full, half a second
    /// at most; then `retriable` is thrown, and nothing was taken.
    ///
    /// - Parameters:
    ///   - partition: `nil` lets the key decide by Java's murmur2; a record without a key goes anywhere.
    ///   - value: `nil` makes a tombstone.
    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError)

    /// Commits the group's offsets with the transaction.
    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError)

    /// Flushes and commits. `retriable` after a time-out: the outcome is not known yet, call again (R6).
    func commit(timeout: Duration) throws(TransactionError)

    func abort(timeout: Duration) throws(TransactionError)

    /// Ends the producer without a request to the broker. Nothing may be called afterwards.
    func destroy()
}

/// Writes records outside transactions, idempotently, and reports the place of each: for servers, which answer for
/// single records. Any thread may call it.
package protocol ReportingProducer: AnyObject, Sendable {
    /// Puts a record into the queue; bytes are copied. Never waits.
    ///
    /// - Parameters:
    ///   - partition: `nil` lets the key decide by Java's murmur2; a record without a key goes anywhere.
    ///   - value: `nil` makes a tombstone.
    ///   - report: called once for a record that was taken, on a thread of the producer or within this call: the
    ///     record's place, or the reason why it is not known to be written. It must not wait.
    /// - Throws: if the record is not taken: `queueFull`, `recordTooLarge`, `fatal`. Then `report` is never called.
    func produce(
        topic: String, partition: Partition?, key: [UInt8]?, value: [UInt8]?, headers: [Header],
        report: @escaping @Sendable (Result<(partition: Partition, offset: Offset), LogError>) -> Void
    ) throws(LogError)

    /// Gives up all records that are not acknowledged yet, reports that, and ends. Waits for reports that are under
    /// way, so it must not be called by one. Nothing may be called afterwards.
    func close()
}

/// Writes records outside transactions, idempotently: for the producers of test data and for tools.
package protocol PlainProducer: AnyObject {
    /// Bytes are copied. Waits for room when the queue is full.
    ///
    /// - Throws: what an earlier record failed with, too; nothing is lost silently.
    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(LogError)

    /// The number of records that are not acknowledged yet.
    ///
    /// - Throws: what an earlier record failed with.
    func unacknowledged() throws(LogError) -> Int

    /// Waits until everything is acknowledged.
    func flush(timeout: Duration) throws(LogError)

    func close()
}
