import RecordLog
import Timelines

/// What a run that removes in the end what its topic does not have has seen of that topic.
struct TopicPresence {
    /// Where a configuration has a record that stays; most have one such place.
    private struct Places {
        var first: Partition
        var others: [Partition] = []

        mutating func insert(_ partition: Partition) {
            if partition != first, !others.contains(partition) { others.append(partition) }
        }

        /// - Returns: false if no place is left.
        mutating func remove(_ partition: Partition) -> Bool {
            others.removeAll { $0 == partition }
            guard partition == first else { return true }
            guard let other = others.popLast() else { return false }
            first = other
            return true
        }
    }

    /// A removal that waits for the end of the run.
    private struct Removal {
        var offset: Offset
        /// The record before it, as far as one was read.
        var before: Fingerprint?
    }

    private var places = TextDictionary<Places>()
    private var removals: [Partition: Removal] = [:]
    private var last: [Partition: Record] = [:]
    private var left = TextDictionary<String>()
    /// True if the target has taken a timeline of the topic.
    var hasTaken = false
    /// True if some partition turned out to be another topic's in the middle of the run.
    private(set) var wasMadeAnew = false

    /// True if no configuration has a record that stays.
    var isEmpty: Bool { places.isEmpty }
    /// The number of removals that the target has refused.
    var leftCount: Int { left.count }

    func contains(_ id: String) -> Bool { places[id] != nil }

    /// The last record of a configuration in this partition is one that stays.
    mutating func insert(_ id: String, in partition: Partition) {
        if places[id] == nil { places.updateValue(Places(first: partition), for: id) }
        places[id]?.insert(partition)
    }

    /// The last record of a configuration in its partition takes the timeline away. What another partition has of it
    /// counts on: after partitions were added, none tells which of both came last.
    mutating func remove(_ record: SinkRecord) {
        let (id, partition) = (record.configurationId, record.origin.partition)
        if var found = places[id] {
            if found.remove(partition) { places.updateValue(found, for: id) } else { places.removeValue(for: id) }
        }
        guard removals[partition] == nil else { return }
        removals[partition] = Removal(offset: record.offset, before: last[partition].map { Fingerprint($0) })
    }

    /// All is noted of this record. Called with each that was read.
    mutating func pass(_ record: Record) {
        // It is asked for at the first removal alone.
        if removals[record.partition] == nil { last[record.partition] = record }
    }

    /// Partitions are read from their beginning, for they are another topic's.
    mutating func startOver(_ partitions: Set<Partition>) {
        for partition in partitions {
            removals[partition] = nil
            last[partition] = nil
            wasMadeAnew = true
        }
    }

    /// The position that may be kept: no removal that waits lies below it, so that the next run finds it again should
    /// this one end first.
    func kept(_ position: SinkPosition, in partition: Partition) -> SinkPosition {
        guard let removal = removals[partition], removal.offset < position.next else { return position }
        return SinkPosition(
            next: removal.offset, cluster: position.cluster, before: removal.before, choice: position.choice)
    }

    /// True if a removal waits in this partition.
    func holds(_ partition: Partition) -> Bool { removals[partition] != nil }

    /// Nothing waits any more.
    mutating func settle() { removals.removeAll() }

    /// The target refuses a removal.
    ///
    /// - Returns: false if that was known.
    mutating func leave(_ id: String, because reason: String) -> Bool { left.updateValue(reason, for: id) == nil }
}
