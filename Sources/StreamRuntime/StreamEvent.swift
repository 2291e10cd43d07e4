package import RecordLog
package import StreamCore

/// An event of a stream thread, for the log and for tests.
package enum StreamEvent: Sendable {
    case assigned([Partition])
    case revoked([Partition])
    case lost([Partition])
    /// A task is taken over: its changelog is read up to this end.
    case restoring(task: Partition, end: Offset)
    /// A task is taken over with its standby copy, whose changelog was read up to here: only the rest is restored.
    case standbyTaken(task: Partition, next: Offset)
    /// The changelog was made anew while it was read: the task is taken over again, of what there is now.
    case changelogShortened(task: Partition)
    /// The thread keeps standby copies of these tasks from now on, and of no others.
    case standbys([Partition])
    case restoreProgress(task: Partition, next: Offset, end: Offset, recordsPerSecond: Int)
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
    /// What a processor did, where somebody follows it (`StreamSettings.isFollowed`); reported once it is committed.
    case noted(ActivityNote)
    /// The number of further notes of the same transaction.
    case moreNotes(Int)
    /// A source began to fail: a configuration has an `error` timeline, and why. Reported once that is committed.
    case sourceFailed(ActivityNote)
    /// The number of further ones in the same transaction.
    case moreSourcesFailed(Int)
    case producerReplaced(LogError, failuresInARow: Int)
    /// A dead owner's transaction was ended (R4).
    case claimSettled(transactionalId: String)
    /// New partitions of an input topic (R9).
    case partitionsAdded(topic: String, count: Int32)
    /// A position that the topic does not hold: records were removed before they were read, or the topic ends before
    /// it. Reading goes on at the earliest record.
    case positionOutOfRange(TopicPartition, position: Offset, kept: Watermarks)
    /// An assigned partition has records to read, and its position has not moved for so long; what is done about it.
    case stalled(TopicPartition, next: Offset, end: Offset, for: Duration, remedy: StallWatch.Remedy)
    /// Topics that are to be written to are gone: nothing is processed before they are back.
    case topicsMissing([String], LogError)
    /// Timers of a task fire although not all is read that they wait for: `restore.patience` is over (R17).
    case timersNoLongerWait(task: Partition, unread: [TopicPartition])
    /// The claim beside a committed offset is none of this program; it counts as none.
    case claimUnreadable(TopicPartition, String)
    /// Another record stands where the one before a position was: the topic is not the one that was read. Reading goes
    /// on at its earliest record (R18).
    case positionOfOther(TopicPartition, known: Fingerprint, found: Fingerprint, kept: Watermarks)
    /// The state of a task has gone, and these inputs are read from their earliest record, as `state.lost` says.
    case stateLost(task: Partition, [TopicPartition])
    /// Taking over has waited for stable offsets longer than a transaction may last, and 20 s.
    case waiting(task: Partition, for: Duration)
    /// A task begins although its offsets are never stable: of a transaction that has ended one is still pending.
    case offsetsUnstable(task: Partition)
    /// The group had given tasks to nobody, and was made to give all out anew.
    case unowned([Partition])
    case failed(LogError, doing: String)
}

/// Called on the stream's thread; must not block.
package typealias StreamObserver = @Sendable (StreamEvent) -> Void
