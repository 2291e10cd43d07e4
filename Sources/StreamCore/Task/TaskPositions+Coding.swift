import RecordLog

/// The record of positions in the changelog, which names the topic of each: a position says nothing without the topic
/// that it is a place in.
///
/// It is a list of topics, then the positions, each with the index of its topic. The sources that were added since
/// (`Topology.Source.isAddition`) follow in a second pair of lists. The third section is the header of the state, and
/// the record before each position, in the order of the positions of both lists. The fourth, the anchors in the same
/// order, is left out where it says no more than the third and no fifth follows: the version of the zone data, which is
/// left out where it is not known. A release that knows fewer sections reads those as ever, and passes over the rest.
extension TaskPositions {
    /// Also what the changelog knows and this task does not read yet: a partition that an earlier owner found first
    /// (R9). Forgotten here, it would be read from the beginning again.
    ///
    /// - Parameter header: `nil` leaves the third section out.
    package func encode(
        of sources: [Topology.Source], header: StateHeader? = nil, into writer: inout ByteWriter
    ) {
        let unread = restored.filter { known in
            !entries.contains { $0.source == known.source && $0.partition == known.partition }
        }
        let known = entries + unread
        let additions = sources.indices.filter { sources[$0].isAddition }
        let others = sources.indices.filter { !sources[$0].isAddition }
        var written = write(known, of: others, sources, includingExchange: true, into: &writer)
        if additions.isEmpty && header == nil { return }
        written += write(known, of: additions, sources, includingExchange: false, into: &writer)
        guard let header else { return }
        header.encode(into: &writer)
        writer.write(list: written) { writer, entry in
            writer.write(optional: entry.fingerprint) { $1.encode(into: &$0) }
        }
        if header.zoneData.isEmpty && written.allSatisfy({ $0.anchor == $0.fingerprint }) { return }
        writer.write(list: written) { writer, entry in
            writer.write(optional: entry.anchor) { $1.encode(into: &$0) }
        }
        if !header.zoneData.isEmpty { writer.write(header.zoneData) }
    }

    /// - Returns: the positions that were written, in their order.
    private func write(
        _ known: [Entry], of indices: [Int], _ sources: [Topology.Source], includingExchange: Bool,
        into writer: inout ByteWriter
    ) -> [Entry] {
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
        return listed.map(\.entry)
    }

    /// Matches the positions with the sources by the names of the topics. A source that is not named begins where one
    /// begins that was never read.
    ///
    /// - Throws: if a topic is named that is no source: what was made of it would be taken for the state of others; and
    ///   if the header is of a release that is too new.
    package func restore(of sources: [Topology.Source], from reader: inout ByteReader) throws(CorruptBytes) {
        var positions = try read(of: sources, from: &reader)
        if !reader.isAtEnd { positions += try read(of: sources, from: &reader) }
        header = nil
        if !reader.isAtEnd {
            header = try StateHeader(from: &reader)
            let fingerprints = try fingerprints(of: positions, from: &reader)
            let anchors = reader.isAtEnd ? fingerprints : try self.fingerprints(of: positions, from: &reader)
            for index in positions.indices {
                positions[index].fingerprint = fingerprints[index]
                positions[index].anchor = anchors[index]
            }
            if !reader.isAtEnd { header?.zoneData = try reader.string() }
        }
        restored = positions
    }

    private func fingerprints(
        of positions: [Entry], from reader: inout ByteReader
    ) throws(CorruptBytes) -> [Fingerprint?] {
        let fingerprints = try reader.list { reader throws(CorruptBytes) in
            try reader.optional { reader throws(CorruptBytes) in try Fingerprint(from: &reader) }
        }
        guard fingerprints.count == positions.count else {
            throw CorruptBytes("\(fingerprints.count) fingerprints of \(positions.count) positions")
        }
        return fingerprints
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
            return Entry(source: source, partition: partition, next: next)
        }
    }
}

extension Fingerprint: StateValue {
    package func encode(into writer: inout ByteWriter) {
        writer.write(varint: UInt64(bitPattern: offset.rawValue))
        writer.write(timestamp)
        writer.write(hash)
    }

    package init(from reader: inout ByteReader) throws(CorruptBytes) {
        let offset = Offset(Int64(bitPattern: try reader.varint()))
        let timestamp = try reader.instant()
        self.init(offset: offset, timestamp: timestamp, hash: try reader.uint64())
    }
}
