package import RecordLog
package import StreamCore
import Timelines

/// The changelog of an application that starts over: nothing is known but where each input is read from, and which
/// revision each configuration goes on from.
///
/// A configuration is written as one that was deleted at the moment of the reset: its record comes again, and its
/// counter is there; if it does not come, the counter is forgotten as any other (T6). A timeline of it that is there is
/// withdrawn when a tombstone of the configuration comes or its counter is forgotten.
package struct FreshState {
    /// *P*.
    package var partitions: Int32
    /// The id of the cluster that the positions are places in.
    package var cluster: String
    /// Who else may have written the outputs, as the state that is given up says.
    package var writers: [String]
    /// Where each partition of the inputs is read from.
    package var starts: [TopicPartition: Offset]
    package var revisions: CarriedRevisions
    /// The moment of the reset.
    package var at: Instant

    package init(
        partitions: Int32, cluster: String, writers: [String], starts: [TopicPartition: Offset],
        revisions: CarriedRevisions, at: Instant
    ) {
        precondition(partitions > 0, "A changelog has partitions.")
        self.partitions = partitions
        self.cluster = cluster
        self.writers = writers
        self.starts = starts
        self.revisions = revisions
        self.at = at
    }

    /// All records, each with the partition of the changelog that it belongs to: revisions ascending by configuration,
    /// then the positions of each task.
    package func write<Failure: Error>(
        for topology: Topology,
        _ emit: (_ task: Partition, _ key: [UInt8], _ value: [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try writeRevisions(emit)
        for task in 0..<Partition(partitions) {
            try emit(task, [0], positions(of: task, topology))
        }
    }

    /// The records of revisions alone, as `CarriedRevisions.note(changelog:)` reads them, ascending by configuration.
    package func writeRevisions<Failure: Error>(
        _ emit: (_ task: Partition, _ key: [UInt8], _ value: [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let store = StoreName<ConfigurationState>.configurations.number | StateFormat.versionedKey
        for (configurationId, revision, isPublished) in revisions.sorted {
            let task = configurationId.withUnsafeBytes { Murmur2.partition(of: $0, partitions: partitions) }
            var state = ConfigurationState()
            state.history = PublicationHistory(
                revision: revision, refreshCount: 0, newest: nil, displayed: .nothing, offered: nil, remade: nil)
            state.deletedAt = at
            state.hasUnclaimedTimeline = isPublished
            var writer = ByteWriter(format: StateFormat.newest)
            writer.write(StateFormat.newest)
            state.encode(into: &writer)
            try emit(task, [store] + configurationId, writer.bytes)
        }
    }

    /// The record of positions. It names every input partition, so that no offset that the group has committed counts.
    private func positions(of task: Partition, _ topology: Topology) -> [UInt8] {
        let positions = TaskPositions()
        _ = positions.add(source: TaskPositions.exchange, partition: task, next: 0)
        for (place, next) in starts.sorted(by: { $0.key < $1.key })
        where place.partition.rawValue % partitions == task.rawValue {
            guard let source = topology.sources.firstIndex(where: { $0.topic == place.topic }) else {
                preconditionFailure("Positions are those of the inputs.")
            }
            _ = positions.add(source: UInt8(source), partition: place.partition, next: next)
        }
        let header = StateHeader(partitions: partitions, cluster: cluster, writers: writers)
        var writer = ByteWriter(format: StateFormat.newest)
        positions.encode(of: topology.sources, header: header, into: &writer)
        return writer.bytes
    }
}
