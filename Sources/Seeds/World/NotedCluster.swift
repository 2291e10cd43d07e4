import RecordLog
import Simulation

/// The ports of one process. Each call is noted in the digest of the run.
final class NotedCluster: Cluster {
    private let base: any Cluster
    private let notes: CallNotes

    init(_ base: any Cluster, _ notes: CallNotes) {
        self.base = base
        self.notes = notes
    }

    func makeConsumer(
        group: String?, isolation: IsolationLevel, clientId: String
    ) throws(LogError) -> any Consumer {
        notes.note("makeConsumer")
        return NotedConsumer(try base.makeConsumer(group: group, isolation: isolation, clientId: clientId), notes)
    }

    func makeTransactionalProducer(
        transactionalId: String, clientId: String
    ) throws(LogError) -> any TransactionalProducer {
        notes.note("makeTransactionalProducer")
        return NotedProducer(
            try base.makeTransactionalProducer(transactionalId: transactionalId, clientId: clientId), notes)
    }

    func makePlainProducer(clientId: String) throws(LogError) -> any PlainProducer {
        try base.makePlainProducer(clientId: clientId)
    }

    func makeAdmin() throws(LogError) -> any Admin {
        notes.note("makeAdmin")
        return try base.makeAdmin()
    }
}

/// Notes the calls of one process.
final class CallNotes: Sendable {
    private let digest: EventDigest
    private let clock: ManualClock
    private let name: String

    init(name: String, clock: ManualClock, digest: EventDigest) {
        self.name = name
        self.clock = clock
        self.digest = digest
    }

    func note(_ call: String) { digest.note("\(name).\(call)", clock.now.milliseconds) }

    /// A request to a broker takes a while, so that who repeats one comes to a deadline.
    func noteRequest(_ call: String) {
        note(call)
        clock.advance(by: .milliseconds(1))
    }

    /// The same of a call that cannot succeed in less time than an answer takes.
    func noteRequest(_ call: String, timeout: Duration) throws(TransactionError) {
        noteRequest(call)
        guard timeout < Self.answerTime else { return }
        throw .retriable(LogError(.timedOut, name: "_TIMED_OUT", "no answer within \(timeout)", isRetriable: true))
    }

    private static let answerTime: Duration = .milliseconds(2)
}

/// A consumer of a process.
private final class NotedConsumer: Consumer {
    private let base: any Consumer
    private let notes: CallNotes

    init(_ base: any Consumer, _ notes: CallNotes) {
        self.base = base
        self.notes = notes
    }

    var topics: [String] { base.topics }

    func subscribe(to topic: String, listener: any RebalanceListener) throws(LogError) {
        // The memory of a process goes with the process: its consumer does not keep it.
        let listener = WeakListener(listener)
        notes.note("subscribe")
        return try base.subscribe(to: topic, listener: listener)
    }

    func incrementalAssign(_ partitions: [(TopicPartition, StartOffset)]) throws(LogError) {
        try base.incrementalAssign(partitions)
    }

    func incrementalUnassign(_ partitions: [TopicPartition]) throws(LogError) {
        try base.incrementalUnassign(partitions)
    }

    func seek(_ positions: [(TopicPartition, Offset)], timeout: Duration) throws(LogError) -> [TopicPartition] {
        notes.note("seek")
        return try base.seek(positions, timeout: timeout)
    }

    func poll(maximum: Int, timeout: Duration) -> ConsumedBatch {
        notes.note("poll")
        return base.poll(maximum: maximum, timeout: timeout)
    }

    func committed(
        _ partitions: [TopicPartition], timeout: Duration
    ) throws(LogError) -> [TopicPartition: CommittedOffset] {
        notes.noteRequest("committed")
        return try base.committed(partitions, timeout: timeout)
    }

    func watermarks(of partition: TopicPartition, timeout: Duration) throws(LogError) -> Watermarks {
        notes.note("watermarks")
        return try base.watermarks(of: partition, timeout: timeout)
    }

    func knownEnd(of partition: TopicPartition) -> Offset? { base.knownEnd(of: partition) }

    func groupMetadata() -> (any GroupMetadata)? { base.groupMetadata() }

    func close() {
        notes.note("close")
        base.close()
    }
}

/// Hands callbacks on to a listener that somebody else keeps.
private final class WeakListener: RebalanceListener {
    private weak var listener: (any RebalanceListener)?

    init(_ listener: any RebalanceListener) {
        self.listener = listener
    }

    func assigned(_ partitions: [TopicPartition]) { listener?.assigned(partitions) }
    func revoked(_ partitions: [TopicPartition]) { listener?.revoked(partitions) }
    func lost(_ partitions: [TopicPartition]) { listener?.lost(partitions) }
}

/// A transactional producer of a process.
private final class NotedProducer: TransactionalProducer {
    private let base: any TransactionalProducer
    private let notes: CallNotes

    init(_ base: any TransactionalProducer, _ notes: CallNotes) {
        self.base = base
        self.notes = notes
    }

    var transactionalId: String { base.transactionalId }

    func initialise(timeout: Duration) throws(TransactionError) {
        notes.noteRequest("initialise")
        return try base.initialise(timeout: timeout)
    }

    func begin() throws(TransactionError) {
        notes.note("begin")
        return try base.begin()
    }

    func produce(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header]
    ) throws(TransactionError) {
        notes.note("produce")
        return try base.produce(topic: topic, partition: partition, key: key, value: value, headers: headers)
    }

    func sendOffsets(
        _ offsets: [(TopicPartition, CommittedOffset)], group: any GroupMetadata, timeout: Duration
    ) throws(TransactionError) {
        try notes.noteRequest("sendOffsets", timeout: timeout)
        return try base.sendOffsets(offsets, group: group, timeout: timeout)
    }

    func commit(timeout: Duration) throws(TransactionError) {
        try notes.noteRequest("commit", timeout: timeout)
        return try base.commit(timeout: timeout)
    }

    func abort(timeout: Duration) throws(TransactionError) {
        try notes.noteRequest("abort", timeout: timeout)
        return try base.abort(timeout: timeout)
    }

    func destroy() {
        notes.note("destroy")
        base.destroy()
    }
}
