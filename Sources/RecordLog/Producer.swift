/// Writes records in transactions (KIP-98, KIP-447). Owned by one thread.
package protocol TransactionalProducer: AnyObject {
    var transactionalId: String { get }

    /// Fences every other producer of this id and settles what it left open. Call once, before the first transaction.
    func initialise(timeout: Duration) throws(TransactionError)

    func begin() throws(TransactionError)

    /// Puts a record into the open transaction; bytes are copied. Waits for room when the queue is full.
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
