/// Something that befalls a world between its rounds, each with a probability of its own for every step of a run. What
/// befalls single calls is a `FaultKind`.
package enum Misfortune: String, CaseIterable, Sendable, Hashable {
    // Processes.
    case joins, leaves, crashes
    /// A process ends inside one of its next calls, before it has an effect or after it, at whatever port.
    case crashesBeforeCall, crashesAfterCall
    /// A process stands still, for less and for more than its session lasts; after the latter it is a zombie.
    case pauses, pausesBeyondSession
    case everybodyIsAway
    // The group.
    case expelled, rebalancesBackToBack
    // Calls that fail.
    case initialiseFails, produceFails, sendOffsetsFails, commitFails, abortFails
    case initialiseAnswerLost, produceAnswerLost, sendOffsetsAnswerLost, commitAnswerLost, abortAnswerLost
    case pollFails, committedFails, watermarksFails, seekFails, deleteRecordsFails, describeTopicsFails
    // The broker.
    case delayedMarkers, offsetsExpire, compaction, compactionOfTombstones, partitionsAdded, retentionOvertakes
    // Time.
    case timePasses, clockJumpsForward, clockJumpsBack
    // The input of the pipeline.
    case inputDuplicated, inputReordered, inputLate, inputFuture
    // The topics of the pipeline. A topic is deleted, and made again at once or after a while: an input while nobody
    // runs or while somebody reads it, or an output. Records of an input are removed before anybody has read them.
    case inputRemadeRunning, inputRemadeStopped, outputRemade, inputRemovedUnread
    /// Devices say where their readers are.
    case readersTold
}

extension Misfortune {
    /// Those whose draws came after all others: a seed draws the others as it did before there were these.
    package static let added: Set<Misfortune> = [
        .inputRemadeRunning, .inputRemadeStopped, .outputRemade, .inputRemovedUnread, .readersTold,
    ]

    /// True if it happens to input, which a system draws by itself.
    var isOfInput: Bool {
        switch self {
        case .inputDuplicated, .inputReordered, .inputLate, .inputFuture, .readersTold: true
        default: false
        }
    }
}
