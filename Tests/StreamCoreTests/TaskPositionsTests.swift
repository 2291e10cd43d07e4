import RecordLog
import StreamCore
import Testing

@Suite("Positions of a task")
struct TaskPositionsTests {
    let positions = TaskPositions()

    private func restored(from bytes: [UInt8]) throws -> TaskPositions {
        let copy = TaskPositions()
        try read(bytes, copy.restore)
        return copy
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
        let copy = try restored(from: written(positions.encode))
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
        try read(written(positions.encode), copy.restore)
        positions.move(index, to: 2)
        try read(written(positions.encode), copy.restore)
        #expect(copy.restoredNext(source: 0, partition: 0) == 2)
    }

    @Test("a position that is known from the changelog but not read yet is written on")
    func carriedAlong() throws {
        _ = positions.add(source: 0, partition: 0, next: 1)
        _ = positions.add(source: 0, partition: 4, next: 44)
        let second = try restored(from: written(positions.encode))
        let index = second.add(source: 0, partition: 0, next: 1)
        second.move(index, to: 2)
        let third = try restored(from: written(second.encode))
        #expect(third.restoredNext(source: 0, partition: 0) == 2)
        #expect(third.restoredNext(source: 0, partition: 4) == 44)
    }

    @Test("positions that are cut off are refused")
    func truncated() {
        _ = positions.add(source: 0, partition: 0, next: 1)
        let bytes = written(positions.encode)
        for count in bytes.indices {
            #expect(throws: CorruptBytes.self) { try restored(from: Array(bytes[..<count])) }
        }
    }
}
