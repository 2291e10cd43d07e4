package import RecordLog

/// The half of a sink that depends on where records go: into a place that it holds (`TimelineWriter`), or to somebody
/// who answers for each (`DeliverySender`).
///
/// The other half is `SinkRunner`, which calls it, always on the run's thread: `open` and `start`, then `demand` and
/// `work` by turns, then `finish` and `close` once. A target that was set back is opened and started again.
package protocol SinkKind: AnyObject {
    associatedtype Summary: SinkRunSummary
    associatedtype Notice: SinkRunNotice
    associatedtype Failure: SinkRunFailure

    /// The counts of the run so far.
    var summary: Summary { get set }
    /// True if nothing that was read waits to be written, sent or kept.
    var isSettled: Bool { get }
    /// The records that were read and not written, sent or set aside.
    var unsettledCount: Int { get }
    /// How long the first of them that might be sent has waited for its turn; zero where none waits for that.
    var turnWait: Duration { get }
    /// The servers that take nothing at present while records wait for them, ascending by name.
    var hostsAway: [HostAway] { get }
    /// How far it is, as it has kept it.
    var positions: [Partition: SinkPosition] { get }
    /// The last timeline that was written; `nil` before the first, and for other records.
    var written: SinkStatus.Written? { get }

    /// Opens the place where the positions are kept.
    ///
    /// - Returns: the positions by partition; `nil` if it was stopped first.
    func open() throws(Failure) -> [Partition: SinkPosition]?

    /// The reader begins at these positions: those of `open` that lie within the topic.
    func start(at positions: [Partition: SinkPosition])

    /// Prepares a round and says how much it may read; `nil` reads nothing.
    func demand() throws(Failure) -> SinkDemand?

    /// Takes in the records of the round, in the order of each partition's offsets, and does what is due.
    ///
    /// - Returns: false if it was stopped before that was done.
    func work(on records: [Record], _ state: SinkReadState) throws(Failure) -> Bool

    /// True once after it turned out that its target was set back: the run asks for the positions again, and reads from
    /// them.
    func takeSetBack() -> Bool

    /// Ends the run in order: keeps what is done. Called also if `open` was stopped.
    func finish() throws(Failure)

    func close()
}

extension SinkKind {
    package var turnWait: Duration { .zero }
    package var hostsAway: [HostAway] { [] }
    package var written: SinkStatus.Written? { nil }
    package func takeSetBack() -> Bool { false }
}

/// How much one round of a run may read.
package struct SinkDemand: Hashable, Sendable {
    /// 1 or more.
    package var maximum: Int
    /// How long the poll may wait for a first record.
    package var timeout: Duration
}

/// How far a run has read.
package struct SinkReadState: Hashable, Sendable {
    /// The offset to read next in each partition, past any transaction markers.
    package var next: [Partition: Offset] = [:]
    /// The last record that was read of each partition.
    package var before: [Partition: Fingerprint] = [:]
    /// The partitions that were found, in this round, to be those of another topic of the same name: they are read
    /// from their beginning, and the records of the round, which may be none, are the first ones.
    package var restarted: Set<Partition> = []
    /// The id of the cluster that is read.
    package var cluster: String?
    /// True if nothing more is read that the run has to do: `untilCaughtUp` is set, and its end is reached.
    package var hasReadAll = false
    /// True if all is read that the topic held at the start of the run, open transactions included.
    package var hasReadStart = false
}

/// How far a sink is in one partition.
package struct SinkPosition: Hashable, Sendable {
    /// Everything below this offset is done.
    package var next: Offset
    /// Some of what lies from `next` to here may be written already: the last record of each key alone. Until all of
    /// it has been read again nothing of it may be written, or a newer timeline would give way to an older one.
    package var begun: Offset
    /// The id of the cluster whose topic this is a position of; `nil` if it was kept by a release that did not know it.
    package var cluster: String?
    /// The last record that was read below `next`; `nil` if there was none, or as for `cluster`.
    package var before: Fingerprint?
    /// The digest of the choice by which records below `next` were taken (`SinkChoice.digest`); `nil` if it was kept by
    /// a release that did not know it, or all are taken.
    package var choice: Int64?

    package init(
        next: Offset, begun: Offset? = nil, cluster: String? = nil, before: Fingerprint? = nil, choice: Int64? = nil
    ) {
        self.next = next
        self.begun = max(next, begun ?? next)
        self.cluster = cluster
        self.before = before
        self.choice = choice
    }
}

/// The part of a summary that every run has.
package protocol SinkRunSummary {
    /// The number of records read from the topic.
    var records: Int { get set }
    var elapsed: Duration { get set }
    /// How often a partition was read from its beginning although a position in it was kept.
    var startedOver: Int { get set }
    /// True if the caller asked to stop before the run had caught up.
    var wasStopped: Bool { get set }
}

/// The notices that every run gives. The run goes on after them.
package protocol SinkRunNotice {
    static func log(_ error: LogError) -> Self
    /// What the run cannot go on without is not answered, or its topic is missing. It is asked for until it is there.
    static func awaiting(_ error: LogError) -> Self
    /// What the run could not go on without is answered again.
    static func brokersBack(after: Duration) -> Self
    static func newPartitions(topic: String, total: Int32) -> Self
    /// The kept position is of another topic of the same name; this one is read from its beginning.
    static func startedOver(_ place: TopicPartition, _ position: Offset, because: TopicReader.Restart) -> Self
}

/// The failures that end every run. Nothing is lost: the next run goes on from the kept positions.
package protocol SinkRunFailure: Error {
    static func log(_ error: LogError) -> Self
    /// The positions are of another cluster's topics.
    static func otherCluster(kept: String, present: String) -> Self
    /// True if a run that begins again ends in the same way whatever is mended outside of the process, or would end the
    /// sink that has taken this one's place.
    var isFinal: Bool { get }
}

extension SinkRunFailure {
    static func text(keptIn kept: String, present: String) -> String {
        "the kept positions are of cluster \(kept), and this is cluster \(present). If it is a mirror that took the"
            + " other's place, start once with --set cluster.moved=accept: partitions whose records are others are then"
            + " read from their beginning"
    }
}

extension SinkRunNotice {
    static func text(awaiting error: LogError) -> String { "reading waits until this is over: \(error)" }

    static func text(brokersBackAfter time: Duration) -> String {
        "the brokers answer again after \((time / .seconds(1) * 10).rounded() / 10) s, and reading goes on"
    }

    static func text(newPartitionsOf topic: String, total: Int32) -> String { "\(topic) has \(total) partitions now" }

    static func text(
        startedOver place: TopicPartition, _ position: Offset, because reason: TopicReader.Restart
    ) -> String {
        "\(reason.text) (\(place), \(position)); reading it from the beginning"
    }
}
