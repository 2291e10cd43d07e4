package import RecordLog

/// The positions of one task: for the exchange and every input partition that it reads, the offset of the next record.
/// The only ones that count (R1), and state like any other (R5): written to the changelog in the transaction
/// that moved them.
package final class TaskPositions {
    /// The source number under which the exchange's own position is kept.
    package static let exchange: UInt8 = 255

    package struct Entry {
        package var source: UInt8
        package var partition: Partition
        package internal(set) var next: Offset
        /// The position of the last commit, else the one at which this task began; a revert goes back to it.
        package fileprivate(set) var committed: Offset
        /// True once this task has committed it: the first commit is the claim of R4.
        package fileprivate(set) var isClaimed: Bool
        /// The last record that was read before `next`; `nil` if none was, or a release read it that noted none.
        package internal(set) var fingerprint: Fingerprint?
        fileprivate var committedFingerprint: Fingerprint?
        /// A record of the topic that was read and compared since, or the first one that was read: what was read after
        /// it may be of another topic of the same name, as long as nobody has compared it.
        package internal(set) var anchor: Fingerprint?
        fileprivate var committedAnchor: Fingerprint?

        /// A position as the changelog has it.
        init(source: UInt8, partition: Partition, next: Offset) {
            self.init(
                source: source, partition: partition, next: next, committed: next, isClaimed: true,
                fingerprint: nil, anchor: nil)
        }

        fileprivate init(
            source: UInt8, partition: Partition, next: Offset, committed: Offset, isClaimed: Bool,
            fingerprint: Fingerprint?, anchor: Fingerprint?
        ) {
            self.source = source
            self.partition = partition
            self.next = next
            self.committed = committed
            self.isClaimed = isClaimed
            self.fingerprint = fingerprint
            committedFingerprint = fingerprint
            self.anchor = anchor
            committedAnchor = anchor
        }

        package var isDirty: Bool { next != committed || !isClaimed }
    }

    package private(set) var entries: [Entry] = []
    /// What the state says of itself; `nil` before a record of positions that says it was restored.
    package internal(set) var header: StateHeader?
    var restored: [Entry] = []

    package init() {}

    package var isDirty: Bool { entries.contains { $0.isDirty } }

    /// The position in the changelog; `nil` if it has none.
    package func restoredNext(source: UInt8, partition: Partition) -> Offset? {
        restored(source, partition)?.next
    }

    /// The record before the position in the changelog; `nil` if the changelog does not say it.
    package func restoredFingerprint(source: UInt8, partition: Partition) -> Fingerprint? {
        restored(source, partition)?.fingerprint
    }

    /// The record that was compared last, as the changelog has it; else the one before the position.
    package func restoredAnchor(source: UInt8, partition: Partition) -> Fingerprint? {
        let known = restored(source, partition)
        return known?.anchor ?? known?.fingerprint
    }

    private func restored(_ source: UInt8, _ partition: Partition) -> Entry? {
        restored.first { $0.source == source && $0.partition == partition }
    }

    /// Begins to keep a position; returns its index, which stays.
    ///
    /// - Parameters:
    ///   - fingerprint: the record before it, as far as it is known.
    ///   - anchor: the record that was compared last.
    package func add(
        source: UInt8, partition: Partition, next: Offset, fingerprint: Fingerprint? = nil,
        anchor: Fingerprint? = nil
    ) -> Int {
        precondition(!entries.contains { $0.source == source && $0.partition == partition }, "Added once.")
        entries.append(
            Entry(
                source: source, partition: partition, next: next, committed: next, isClaimed: false,
                fingerprint: fingerprint, anchor: anchor ?? fingerprint))
        return entries.count - 1
    }

    package func move(_ index: Int, to next: Offset) {
        precondition(next >= entries[index].next, "A position only goes forward within a transaction.")
        entries[index].next = next
    }

    /// Notes the last record that was read of a partition, for whoever takes the task over. Of several in a row only
    /// the last one counts, so once for a batch is enough.
    package func note(_ index: Int, record: RecordView) {
        let fingerprint = Fingerprint(record)
        entries[index].fingerprint = fingerprint
        if entries[index].anchor == nil { entries[index].anchor = fingerprint }
    }

    /// The topic is the one of the anchor: so is all that was read before that was asked.
    package func confirm(_ index: Int, _ fingerprint: Fingerprint) { entries[index].anchor = fingerprint }

    /// Begins a partition anew, at a place that may lie before the position: what is there now is not what was read.
    /// An abort does not go back behind that.
    package func restart(_ index: Int, at next: Offset) {
        entries[index].next = next
        entries[index].committed = next
        entries[index].isClaimed = false
        entries[index].fingerprint = nil
        entries[index].committedFingerprint = nil
        entries[index].anchor = nil
        entries[index].committedAnchor = nil
    }

    package func commit() {
        for index in entries.indices {
            entries[index].committed = entries[index].next
            entries[index].committedFingerprint = entries[index].fingerprint
            entries[index].committedAnchor = entries[index].anchor
            entries[index].isClaimed = true
        }
    }

    /// - Returns: the indexes of the positions that went back.
    package func revert() -> [Int] {
        var moved: [Int] = []
        for index in entries.indices {
            entries[index].fingerprint = entries[index].committedFingerprint
            // What was read and not used says nothing of what is read instead.
            entries[index].anchor = entries[index].committedAnchor
            if entries[index].committed == entries[index].next { continue }
            entries[index].next = entries[index].committed
            moved.append(index)
        }
        return moved
    }
}
