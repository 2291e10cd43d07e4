/// Sinks write timelines out, one per configuration, from the committed records of the topic `timelines`.
///
/// `SinkRunner` reads the topic and drives a `TimelineSink`; `FilesSink` is one. A sink keeps its own positions beside
/// what it wrote, so that both are lost or kept together, and writing a record again is harmless. Everything is
/// synchronous and meant for one dedicated thread.
package import RecordLog

/// A place that holds the newest timeline of each configuration.
///
/// Every sink passes the same contract suite (`TimelineSinkContract` in the tests):
/// a timeline replaces the one before it; a tombstone, and a timeline that is not meant for this sink, remove it; the
/// same record again changes nothing; an older timeline never replaces a newer one.
/// Owned by one thread.
package protocol TimelineSink: AnyObject {
    /// The name by which a configuration's `sinks` choose it.
    var name: String { get }

    /// What the last `keep` kept for this topic, by partition; empty at the beginning.
    func positions(of topic: String) throws(SinkError) -> [Partition: SinkPosition]

    /// Applies one record. Called in the order of each partition's offsets.
    func write(_ record: SinkRecord) throws(SinkError) -> SinkOutcome

    /// Makes everything that was written durable.
    func flush() throws(SinkError)

    /// Keeps positions durably, in place of those that were kept before for this topic.
    func keep(_ positions: [Partition: SinkPosition], of topic: String) throws(SinkError)
}

/// How far a sink is in one partition.
package struct SinkPosition: Hashable, Sendable {
    /// Everything below this offset is written.
    package var next: Offset
    /// Some of what lies from `next` to here may be written already: the last record of each key alone. Until all of
    /// it has been read again nothing of it may be written, or a newer timeline would give way to an older one.
    package var begun: Offset

    package init(next: Offset, begun: Offset? = nil) {
        self.next = next
        self.begun = max(next, begun ?? next)
    }
}

/// What became of one record.
package enum SinkOutcome: Hashable, Sendable {
    case written
    case removed
    /// What is there already is the same or newer, or there is nothing to remove.
    case unchanged
}
