package import RecordLog

/// An event of a stream thread, for the log and for tests.
package enum StreamEvent: Sendable {
    case assigned([Partition])
    case revoked([Partition])
    case lost([Partition])
    /// A task is taken over: its changelog is read up to this end.
    case restoring(task: Partition, end: Offset)
    case running(task: Partition, restoredRecords: Int)
    case committed(records: Int)
    case aborted(LogError)
    /// A record that cannot be used was set aside; reported once that is committed.
    case deadLetter(TopicPartition, Offset, reason: String)
    /// The number of further ones in the same transaction.
    case moreDeadLetters(Int)
    /// A record is used, but not as it is; reported once that is committed. The subject is what the reason is
    /// about, in short, such as `vehicle v1`; `nil` stands for the record alone.
    case warning(TopicPartition, Offset, reason: String, subject: String?)
    /// The number of further ones in the same transaction.
    case moreWarnings(Int)
    case producerReplaced(LogError, failuresInARow: Int)
    /// A dead owner's transaction was ended (R4).
    case claimSettled(transactionalId: String)
    /// New partitions of an input topic (R9).
    case partitionsAdded(topic: String, count: Int32)
    /// A position that the topic no longer holds: records were removed before they were read.
    case positionOutOfRange(TopicPartition, position: Offset, kept: Watermarks)
    case corruptRecord(TopicPartition, Offset, String)
    /// Taking over has waited for stable offsets longer than a transaction may last, and 20 s.
    case waiting(task: Partition, for: Duration)
    case failed(LogError, doing: String)
}

/// Called on the stream's thread; must not block.
package typealias StreamObserver = @Sendable (StreamEvent) -> Void
