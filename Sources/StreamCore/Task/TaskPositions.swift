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
        package fileprivate(set) var next: Offset
        /// The position of the last commit, else the one at which this task began; a revert goes back to it.
        package fileprivate(set) var committed: Offset
        /// True once this task has committed it: the first commit is the claim of R4.
        package fileprivate(set) var isClaimed: Bool

        package var isDirty: Bool { next != committed || !isClaimed }
    }

    package private(set) var entries: [Entry] = []
    private var restored: [Entry] = []

    package init() {}

    package var isDirty: Bool { entries.contains { $0.isDirty } }

    /// The position in the changelog; `nil` if it has none.
    package func restoredNext(source: UInt8, partition: Partition) -> Offset? {
        restored.first { $0.source == source && $0.partition == partition }?.next
    }

    /// Begins to keep a position; returns its index, which stays.
    package func add(source: UInt8, partition: Partition, next: Offset) -> Int {
        precondition(!entries.contains { $0.source == source && $0.partition == partition }, "Added once.")
        entries.append(Entry(source: source, partition: partition, next: next, committed: next, isClaimed: false))
        return entries.count - 1
    }

    package func move(_ index: Int, to next: Offset) {
        precondition(next >= entries[index].next, "A position only goes forward within a transaction.")
        entries[index].next = next
    }

    package func commit() {
        for index in entries.indices {
            entries[index].committed = entries[index].next
            entries[index].isClaimed = true
        }
    }

    /// - Returns: the indexes of the positions that went back.
    package func revert() -> [Int] {
        var moved: [Int] = []
        for index in entries.indices {
            if entries[index].committed == entries[index].next { continue }
            entries[index].next = entries[index].committed
            moved.append(index)
        }
        return moved
    }

    /// Also what the changelog knows and this task does not read yet: a partition that an earlier owner found first
    /// (R9). Forgotten here, it would be read from the beginning again.
    package func encode(into writer: inout ByteWriter) {
        let unread = restored.filter { known in
            !entries.contains { $0.source == known.source && $0.partition == known.partition }
        }
        writer.write(list: entries + unread) { writer, entry in
            writer.write(entry.source)
            writer.write(varint: UInt64(entry.partition.rawValue))
            writer.write(entry.next.rawValue)
        }
    }

    package func restore(from reader: inout ByteReader) throws(CorruptBytes) {
        restored = try reader.list { reader throws(CorruptBytes) in
            let source = try reader.byte()
            let partition = Partition(Int32(truncatingIfNeeded: try reader.varint()))
            let next = Offset(try reader.int64())
            return Entry(source: source, partition: partition, next: next, committed: next, isClaimed: true)
        }
    }
}
