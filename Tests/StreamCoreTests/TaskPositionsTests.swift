import RecordLog
import StreamCore
import Testing

@Suite("Positions of a task")
struct TaskPositionsTests {
    let positions = TaskPositions()

    private static let node = NodeName<Never>(0, "node")
    private static let sources: [Topology.Source] = [.init(topic: "in", to: node), .init(topic: "other", to: node)]
    private static let extended = sources + [.init(topic: "added", to: node, isAddition: true)]

    private func restored(
        from bytes: [UInt8], of sources: [Topology.Source] = Self.sources
    ) throws -> TaskPositions {
        let copy = TaskPositions()
        try read(bytes) { reader throws(CorruptBytes) in try copy.restore(of: sources, from: &reader) }
        return copy
    }

    private func bytes(
        _ positions: TaskPositions, of sources: [Topology.Source] = Self.sources, _ header: StateHeader? = nil
    ) -> [UInt8] {
        written { positions.encode(of: sources, header: header, into: &$0) }
    }

    private static let header = StateHeader(
        partitions: 4, cluster: "c1", settings: [.init(number: 3, value: "x")], writers: ["/a", "/b"])

    private func note(_ index: Int, _ offset: Offset, _ value: String, in positions: TaskPositions) {
        withBytes(of: value) { value in
            let view = RecordView(
                topic: 0, partition: 0, offset: offset, timestamp: 5, key: nil, value: value, handle: nil)
            positions.note(index, record: view)
            positions.move(index, to: offset.next)
        }
    }

    @Test("R18: the header and the records before the positions come back", arguments: [false, true])
    func header(isExtended: Bool) throws {
        let sources = isExtended ? Self.extended : Self.sources
        _ = positions.add(source: TaskPositions.exchange, partition: 0, next: 5)
        let index = positions.add(source: 1, partition: 0, next: 0)
        note(index, 41, "x", in: positions)
        let copy = try restored(from: bytes(positions, of: sources, Self.header), of: sources)
        #expect(copy.header == Self.header)
        let fingerprint = try #require(copy.restoredFingerprint(source: 1, partition: 0))
        #expect(fingerprint.offset == 41 && fingerprint.timestamp == 5)
        #expect(copy.restoredNext(source: 1, partition: 0) == 42)
        #expect(copy.restoredFingerprint(source: TaskPositions.exchange, partition: 0) == nil)
        // Who does not know the header reads what comes before it.
        #expect(bytes(positions, of: sources, Self.header).starts(with: bytes(positions, of: sources)))
    }

    @Test("R18: the version of zone data comes back; a release before it reads all else", arguments: [false, true])
    func zoneData(hasAnchor: Bool) throws {
        let index = positions.add(source: 1, partition: 0, next: 0)
        note(index, 41, "x", in: positions)
        if hasAnchor { positions.confirm(index, try #require(positions.entries[index].fingerprint)) }
        var header = Self.header
        header.zoneData = "2026a"
        let with = bytes(positions, of: Self.sources, header)
        let without = bytes(positions, of: Self.sources, Self.header)
        #expect(with.starts(with: without) && with.count > without.count)
        let copy = try restored(from: with)
        let former = try restored(from: without)
        #expect(copy.header == header && former.header?.zoneData.isEmpty == true)
        #expect(copy.restoredNext(source: 1, partition: 0) == 42)
        let fingerprint = try #require(copy.restoredFingerprint(source: 1, partition: 0))
        #expect(fingerprint.offset == 41 && fingerprint == former.restoredFingerprint(source: 1, partition: 0))
        #expect(copy.restoredAnchor(source: 1, partition: 0) == former.restoredAnchor(source: 1, partition: 0))
    }

    @Test("R18: the record before a position goes back with it, and is another for another value")
    func fingerprints() throws {
        let index = positions.add(source: 0, partition: 0, next: 0)
        note(index, 0, "x", in: positions)
        positions.commit()
        let first = try #require(positions.entries[index].fingerprint)
        note(index, 1, "y", in: positions)
        let second = try #require(positions.entries[index].fingerprint)
        #expect(second.offset == 1 && second.hash != first.hash)
        #expect(positions.revert() == [index])
        #expect(positions.entries[index].fingerprint == first)
        positions.restart(index, at: 0)
        #expect(positions.isDirty && positions.entries[index].next == 0 && positions.entries[index].fingerprint == nil)
    }

    @Test("R18: the anchor stays when records are read and given up, until it is compared, and is state")
    func anchors() throws {
        let index = positions.add(source: 0, partition: 0, next: 0)
        note(index, 0, "x", in: positions)
        let first = try #require(positions.entries[index].fingerprint)
        positions.commit()
        note(index, 1, "y", in: positions)
        #expect(positions.entries[index].anchor == first)
        positions.commit()
        let other = positions.add(source: 1, partition: 0, next: 0)
        note(other, 0, "z", in: positions)
        _ = positions.revert()
        #expect(positions.entries[other].anchor == nil, "what is read instead may be of another topic")
        let copy = try restored(from: bytes(positions, of: Self.sources, Self.header))
        #expect(copy.restoredAnchor(source: 0, partition: 0) == first)
        #expect(copy.restoredFingerprint(source: 0, partition: 0) == positions.entries[index].fingerprint)
        let second = try #require(positions.entries[index].fingerprint)
        positions.confirm(index, second)
        let later = try restored(from: bytes(positions, of: Self.sources, Self.header))
        #expect(later.restoredAnchor(source: 0, partition: 0) == second)
        positions.restart(index, at: 0)
        #expect(positions.entries[index].anchor == nil)
    }

    @Test("R18: a header of a newer release is refused", arguments: [(0, "version 2"), (1, "format 5")])
    func newerHeader(at place: Int, reason: String) {
        _ = positions.add(source: 0, partition: 0, next: 0)
        var newer = bytes(positions, of: Self.sources, Self.header)
        newer[bytes(positions).count + 2 + place] += 1
        #expect {
            try restored(from: newer)
        } throws: { error in
            "\(error)".contains(reason)
        }
    }

    @Test("a new position is dirty until it is claimed, moved or not")
    func claim() {
        #expect(!positions.isDirty)
        let index = positions.add(source: 0, partition: 2, next: 7)
        #expect(positions.isDirty)
        positions.commit()
        #expect(!positions.isDirty)
        #expect(positions.entries[index].isClaimed)
        positions.move(index, to: 7)
        #expect(!positions.isDirty)
        positions.move(index, to: 8)
        #expect(positions.isDirty)
    }

    @Test("a revert goes back to the last commit, else to the start, and tells which moved")
    func revert() {
        let first = positions.add(source: 0, partition: 0, next: 5)
        let second = positions.add(source: 1, partition: 0, next: 50)
        positions.move(first, to: 6)
        #expect(positions.revert() == [first])
        #expect(positions.entries[first].next == 5)
        #expect(!positions.entries[first].isClaimed, "an aborted claim is none")
        positions.move(first, to: 9)
        positions.commit()
        positions.move(first, to: 10)
        positions.move(second, to: 51)
        positions.move(second, to: 55)
        #expect(positions.revert() == [first, second])
        #expect(positions.entries.map(\.next) == [9, 50])
        #expect(positions.entries.map(\.committed) == [9, 50])
        #expect(positions.revert() == [])
    }

    @Test("positions come back from the changelog by source and partition")
    func roundTrip() throws {
        _ = positions.add(source: TaskPositions.exchange, partition: 3, next: 0x100_0000_0000)
        let index = positions.add(source: 0, partition: 3, next: 0)
        positions.move(index, to: 12)
        let copy = try restored(from: bytes(positions))
        #expect(copy.restoredNext(source: TaskPositions.exchange, partition: 3) == 0x100_0000_0000)
        #expect(copy.restoredNext(source: 0, partition: 3) == 12)
        #expect(copy.restoredNext(source: 0, partition: 0) == nil)
        #expect(copy.restoredNext(source: 1, partition: 3) == nil)
        #expect(copy.entries.isEmpty && !copy.isDirty, "what was restored is not read before it is added")
    }

    @Test("the last record of the changelog counts")
    func lastRecord() throws {
        let copy = TaskPositions()
        let index = positions.add(source: 0, partition: 0, next: 1)
        try read(bytes(positions)) { reader throws(CorruptBytes) in
            try copy.restore(of: Self.sources, from: &reader)
        }
        positions.move(index, to: 2)
        try read(bytes(positions)) { reader throws(CorruptBytes) in
            try copy.restore(of: Self.sources, from: &reader)
        }
        #expect(copy.restoredNext(source: 0, partition: 0) == 2)
    }

    @Test("a position that is known from the changelog but not read yet is written on")
    func carriedAlong() throws {
        _ = positions.add(source: 0, partition: 0, next: 1)
        _ = positions.add(source: 0, partition: 4, next: 44)
        let second = try restored(from: bytes(positions))
        let index = second.add(source: 0, partition: 0, next: 1)
        second.move(index, to: 2)
        let third = try restored(from: bytes(second))
        #expect(third.restoredNext(source: 0, partition: 0) == 2)
        #expect(third.restoredNext(source: 0, partition: 4) == 44)
    }

    @Test("positions are matched by the names of their topics, whatever the order of the sources")
    func byName() throws {
        _ = positions.add(source: 0, partition: 0, next: 10)
        _ = positions.add(source: 1, partition: 0, next: 11)
        let copy = try restored(from: bytes(positions), of: Self.sources.reversed())
        #expect(copy.restoredNext(source: 1, partition: 0) == 10)
        #expect(copy.restoredNext(source: 0, partition: 0) == 11)
    }

    @Test("a source that was added is not known to the state before, and all others are where they were")
    func addition() throws {
        _ = positions.add(source: TaskPositions.exchange, partition: 0, next: 5)
        _ = positions.add(source: 1, partition: 0, next: 11)
        let copy = try restored(from: bytes(positions), of: Self.extended)
        #expect(copy.restoredNext(source: TaskPositions.exchange, partition: 0) == 5)
        #expect(copy.restoredNext(source: 1, partition: 0) == 11)
        #expect(copy.restoredNext(source: 2, partition: 0) == nil)
        _ = copy.add(source: 2, partition: 0, next: 7)
        let again = try restored(from: bytes(copy, of: Self.extended), of: Self.extended)
        #expect(again.restoredNext(source: 2, partition: 0) == 7)
        #expect(again.restoredNext(source: 1, partition: 0) == 11)
        #expect(again.restoredNext(source: TaskPositions.exchange, partition: 0) == 5)
    }

    @Test("a release before the addition reads the beginning of the bytes as its own")
    func addedBehind() {
        _ = positions.add(source: TaskPositions.exchange, partition: 0, next: 5)
        _ = positions.add(source: 1, partition: 0, next: 11)
        let before = bytes(positions)
        _ = positions.add(source: 2, partition: 0, next: 7)
        let now = bytes(positions, of: Self.extended)
        #expect(now.starts(with: before) && now.count > before.count)
    }

    @Test("a topic that is no source any more is refused by its name")
    func renamed() {
        _ = positions.add(source: 1, partition: 0, next: 11)
        let renamed: [Topology.Source] = [Self.sources[0], .init(topic: "renamed", to: Self.node)]
        #expect {
            try restored(from: bytes(positions), of: renamed)
        } throws: { error in
            "\(error)".contains("made from other") && "\(error)".contains("in, renamed")
        }
    }

    @Test("positions that are cut off are refused")
    func truncated() {
        _ = positions.add(source: 0, partition: 0, next: 1)
        let bytes = bytes(positions)
        for count in bytes.indices {
            #expect(throws: CorruptBytes.self) { try restored(from: Array(bytes[..<count])) }
        }
    }
}
