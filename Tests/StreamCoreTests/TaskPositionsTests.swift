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

    private func bytes(_ positions: TaskPositions, of sources: [Topology.Source] = Self.sources) -> [UInt8] {
        written { positions.encode(of: sources, into: &$0) }
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
