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
}

// MARK: - Stored form

/// The record of positions in the changelog, which names the topic of each: a position says nothing without the topic
/// that it is a place in.
///
/// It is a list of topics, then the positions, each with the index of its topic. The sources that were added since
/// (`Topology.Source.isAddition`) follow in a second pair of lists. A release that knows only the first pair reads
/// that as ever, and passes over the rest.
extension TaskPositions {
    /// Also what the changelog knows and this task does not read yet: a partition that an earlier owner found first
    /// (R9). Forgotten here, it would be read from the beginning again.
    package func encode(of sources: [Topology.Source], into writer: inout ByteWriter) {
        let unread = restored.filter { known in
            !entries.contains { $0.source == known.source && $0.partition == known.partition }
        }
        let known = entries + unread
        let additions = sources.indices.filter { sources[$0].isAddition }
        let others = sources.indices.filter { !sources[$0].isAddition }
        write(known, of: others, sources, includingExchange: true, into: &writer)
        if additions.isEmpty { return }
        write(known, of: additions, sources, includingExchange: false, into: &writer)
    }

    private func write(
        _ known: [Entry], of indices: [Int], _ sources: [Topology.Source], includingExchange: Bool,
        into writer: inout ByteWriter
    ) {
        writer.write(list: indices) { $0.write(sources[$1].topic) }
        let listed = known.compactMap { entry -> (number: UInt8, entry: Entry)? in
            if entry.source == Self.exchange { return includingExchange ? (Self.exchange, entry) : nil }
            return indices.firstIndex(of: Int(entry.source)).map { (UInt8($0), entry) }
        }
        writer.write(list: listed) { writer, listed in
            writer.write(listed.number)
            writer.write(varint: UInt64(listed.entry.partition.rawValue))
            writer.write(listed.entry.next.rawValue)
        }
    }

    /// Matches the positions with the sources by the names of the topics. A source that is not named begins where one
    /// begins that was never read.
    ///
    /// - Throws: if a topic is named that is no source: what was made of it would be taken for the state of others.
    package func restore(of sources: [Topology.Source], from reader: inout ByteReader) throws(CorruptBytes) {
        restored = try read(of: sources, from: &reader)
        if !reader.isAtEnd { restored += try read(of: sources, from: &reader) }
    }

    private func read(
        of sources: [Topology.Source], from reader: inout ByteReader
    ) throws(CorruptBytes) -> [Entry] {
        let topics = try reader.list { reader throws(CorruptBytes) in try reader.string() }
        let numbers = topics.map { topic in sources.firstIndex { $0.topic == topic } }
        let strangers = zip(topics, numbers).filter { $0.1 == nil }.map(\.0)
        guard strangers.isEmpty else {
            throw CorruptBytes(
                """
                the state was made from \(strangers.joined(separator: ", ")), which is not read any more, only \
                \(sources.map(\.topic).joined(separator: ", ")): give each topic its name back, or take another \
                application
                """)
        }
        return try reader.list { reader throws(CorruptBytes) in
            let number = try reader.byte()
            let partition = Partition(Int32(truncatingIfNeeded: try reader.varint()))
            let next = Offset(try reader.int64())
            guard number == Self.exchange || Int(number) < numbers.count else {
                throw CorruptBytes("a position of topic \(number) of \(numbers.count)")
            }
            let source = number == Self.exchange ? Self.exchange : UInt8(numbers[Int(number)] ?? 0)
            return Entry(source: source, partition: partition, next: next, committed: next, isClaimed: true)
        }
    }
}
