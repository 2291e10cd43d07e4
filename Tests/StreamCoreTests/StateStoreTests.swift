import RecordLog
import StreamCore
import TestSupport
import Testing

@Suite("State stores")
struct StateStoreTests {
    let store = StateStore(StoreName<Tally>(4, "store"))

    private func changelog() -> [ChangelogEntry] { captured(store.capture) }

    @Test("a transaction reads what it wrote, under the slot that the key keeps")
    func readYourWrites() {
        let slot = store.slot(of: "a")
        #expect(store[slot] == nil)
        store[slot] = 1
        store[slot]?.value += 1
        #expect(store[slot] == 2)
        #expect(store.find("a") == slot && store.slot(of: "a") == slot)
        #expect(store.key(of: slot) == "a")
        #expect(store.find("b") == nil)
        store.commit()
        #expect(store[slot] == 2)
    }

    @Test("having a slot is not state")
    func slotsAreNotState() {
        _ = store.slot(of: "a")
        #expect(!store.isDirty)
        #expect(changelog() == [])
    }

    @Test("the changelog gets each written key once a commit, in the order of its first write")
    func capture() {
        store[store.slot(of: "b")] = 1
        store[store.slot(of: "a")] = 2
        store[store.slot(of: "b")] = 3
        #expect(store.isDirty)
        let expected = [ChangelogEntry(store: 4, "b", 3), ChangelogEntry(store: 4, "a", 2)]
        #expect(changelog() == expected)
        #expect(changelog() == expected, "capturing changes nothing")
        store.commit()
        #expect(!store.isDirty)
        #expect(changelog() == [])
        store[store.slot(of: "a")] = 4
        #expect(changelog() == [ChangelogEntry(store: 4, "a", 4)])
    }

    @Test("asking for the memory of keys changes nothing, whatever the keys are")
    func prefetch() {
        let hashes = ["a", "", "gone", "unknown"].map { key in withBytes(of: key) { Murmur2.hash($0) } }
        store.prefetch(hashes) { Issue.record("An empty store has no slot \($0).") }
        let (slot, gone) = (store.slot(of: "a"), store.slot(of: "gone"))
        store[slot] = 1
        store[gone] = 2
        store.commit()
        store[gone] = nil
        store.commit()
        store.releaseVacantSlots()
        store.trim()
        for decoded in [0, 1] {
            var beside: [Slot<Tally>] = []
            store.prefetch(hashes) { beside.append($0) }
            #expect(beside.contains(slot) && beside.allSatisfy { $0 == slot })
            #expect(store.decodedCount == decoded && !store.isDirty)
            #expect(store.find("unknown") == nil && store[slot] == 1)
        }
    }

    @Test("what is written after the changelog was captured is committed, too")
    func writtenAfterCapture() {
        let slot = store.slot(of: "a")
        store[slot] = 1
        _ = changelog()
        store[slot]?.value = 2
        store.commit()
        store[slot]?.value = 3
        store.revert()
        #expect(store[slot] == 2)
    }

    @Test("a key that has gone is a tombstone; one that came and went within the transaction is nothing")
    func deletion() {
        store[store.slot(of: "old")] = 1
        store.commit()
        store[store.slot(of: "old")] = nil
        store[store.slot(of: "new")] = 2
        store[store.slot(of: "new")] = nil
        #expect(changelog() == [ChangelogEntry(store: 4, "old", nil)])
        store.commit()
        store[store.slot(of: "old")] = 3
        #expect(changelog() == [ChangelogEntry(store: 4, "old", 3)])
    }

    @Test("a revert gives back exactly what was there before: old values, missing ones, deleted ones")
    func revert() {
        store[store.slot(of: "changed")] = 1
        store[store.slot(of: "deleted")] = 2
        store.commit()
        store[store.slot(of: "changed")] = 10
        store[store.slot(of: "changed")] = 11
        store[store.slot(of: "deleted")] = nil
        store[store.slot(of: "deleted")] = 12
        store[store.slot(of: "deleted")] = nil
        store[store.slot(of: "new")] = 13
        store.revert()
        #expect(store[store.slot(of: "changed")] == 1)
        #expect(store[store.slot(of: "deleted")] == 2)
        #expect(store[store.slot(of: "new")] == nil)
        #expect(!store.isDirty)
        #expect(changelog() == [])
        store[store.slot(of: "new")] = 14
        #expect(changelog() == [ChangelogEntry(store: 4, "new", 14)], "the next transaction begins anew")
    }

    @Test("restored values are committed ones: the last record of a key counts, tombstones remove")
    func restore() throws {
        try apply([
            ChangelogEntry(store: 4, "a", 1), ChangelogEntry(store: 4, "b", 2), ChangelogEntry(store: 4, "a", 3),
            ChangelogEntry(store: 4, "b", nil), ChangelogEntry(store: 4, "never", nil),
        ])
        #expect(store.find("a").flatMap { store[$0] } == 3)
        #expect(store.find("b").flatMap { store[$0] } == nil)
        #expect(store.find("never").flatMap { store[$0] } == nil)
        #expect(!store.isDirty)
        #expect(changelog() == [])
    }

    @Test("a value that another program wrote is refused at the end of the restore, with the place of the first one")
    func corrupt() throws {
        try apply([
            ChangelogEntry(store: 4, "a", 1), ChangelogEntry(key: [4, 2], value: [1, 2, 3]),
            ChangelogEntry(key: [4, 1], value: [1, 2]), ChangelogEntry(store: 4, "b", 2),
            ChangelogEntry(key: [4, 2], value: [3, 2, 1]),
        ])
        #expect(store.find("a").flatMap { store[$0] } == 1 && store.find("b").flatMap { store[$0] } == 2)
        let failure = #expect(throws: UnreadableRecord.self) { try store.finishRestoreAtOnce() }
        #expect(failure?.offset == 102, "the record at 101 counts no more")
    }

    @Test("a value is refused of which nothing was derived; one that a later record replaces or removes is not")
    func corruptUnseen() throws {
        try apply([
            ChangelogEntry(key: [4, 1], value: [1, 2]), ChangelogEntry(key: [4, 1], value: nil),
            ChangelogEntry(key: [4, 2], value: [1, 2]), ChangelogEntry(store: 4, "\u{2}", 5),
        ])
        try store.finishRestoreAtOnce()
        #expect(store.find("\u{2}").flatMap { store[$0] } == 5)
        let other = StateStore(StoreName<Tally>(4, "store"))
        try ([1] as [UInt8]).withUnsafeBytes { key in
            try ([1, 2] as [UInt8]).withUnsafeBytes { try other.restore(key: key, value: $0, offset: 7) }
        }
        let failure = #expect(throws: UnreadableRecord.self) { try other.finishRestoreAtOnce() }
        #expect(failure?.offset == 7)
    }

    private func apply(_ entries: [ChangelogEntry]) throws {
        for (number, entry) in entries.enumerated() {
            let offset = Offset(Int64(100 + number))
            try entry.key[1...].withUnsafeBytes { key in
                guard let value = entry.value else { return try store.restore(key: key, value: nil, offset: offset) }
                try value.withUnsafeBytes { try store.restore(key: key, value: $0, offset: offset) }
            }
        }
    }

    @Test("R19: a key without a value gives its slot back after the transaction, committed or not; a held one does not")
    func slotsGoBack() {
        var released: [[Int]] = []
        store.onRelease = { released.append($0.slots.map(\.index)) }
        let kept = store.slot(of: "kept")
        store[kept] = 1
        let gone = store.slot(of: "gone")
        store[gone] = 2
        let held = store.slot(of: "held")
        store.hold(held)
        _ = store.slot(of: "asked for")
        store.commit()
        store.releaseVacantSlots()
        #expect(released == [[3]] && store.find("asked for") == nil && store.find("held") == held)
        store[gone] = nil
        #expect(store.find("gone") == gone, "within the transaction it keeps its slot")
        store.revert()
        store.releaseVacantSlots()
        #expect(store[gone] == 2 && released.count == 1)
        store[gone] = nil
        store.letGo(held)
        store.commit()
        store.releaseVacantSlots()
        #expect(released.last?.sorted() == [1, 2] && store.keyCount == 1 && store.slotCount == 1)
        let new = store.slot(of: "new")
        store[new] = 3
        store.revert()
        store.releaseVacantSlots()
        #expect(store.find("new") == nil && store[kept] == 1 && store.slotCount == 1)
    }

    @Test("its bytes follow what is committed, and go with the values")
    func bytes() {
        #expect(store.byteCount == 0)
        let slot = store.slot(of: "a")
        store[slot] = 1
        store.commit()
        let one = store.byteCount
        #expect(one >= 16 + 1)
        store[slot] = 2
        store[store.slot(of: "b")] = 1
        store.revert()
        store.releaseVacantSlots()
        #expect(store.byteCount <= one + 1, "nothing but a gap between keys may be left")
        for number in 0..<100 { store[store.slot(of: "key \(number)")] = 1 }
        store.commit()
        #expect(store.byteCount > one + 100 * 16)
        for number in 0..<100 { store[store.slot(of: "key \(number)")] = nil }
        store[slot] = nil
        store.commit()
        store.releaseVacantSlots()
        #expect(store.byteCount < 4096 && store.keyCount == 0)
    }

    @Test("R19: a restored tombstone takes no slot")
    func restoredTombstones() throws {
        try apply((0..<100).map { ChangelogEntry(store: 4, "never \($0)", nil) })
        #expect(store.slotCount == 0)
        try apply([ChangelogEntry(store: 4, "a", 1), ChangelogEntry(store: 4, "b", 2)])
        try apply([ChangelogEntry(store: 4, "b", nil)])
        store.releaseVacantSlots()
        #expect(store.keyCount == 1 && store.slotCount == 1)
    }

    @Test("R19: while a restore goes on, keys that have gone give their slots back some thousand at a time")
    func restoredComingAndGoing() throws {
        try apply([ChangelogEntry(store: 4, "kept", 1), ChangelogEntry(store: 4, "back", 2)])
        try apply([ChangelogEntry(store: 4, "back", nil), ChangelogEntry(store: 4, "back", 3)])
        for number in 0..<20_000 {
            try apply([ChangelogEntry(store: 4, "n\(number)", 1), ChangelogEntry(store: 4, "n\(number)", nil)])
            #expect(store.slotCount <= 5_000)
        }
        store.releaseVacantSlots()
        #expect(store.keyCount == 2 && store.slotCount == 2)
        #expect(store.find("back").flatMap { store[$0] } == 3)
    }

    @Test("a trim lets all values go that the open transaction has not written, and each is what it was")
    func trim() {
        for number in 0..<100 { store[store.slot(of: "n\(number)")] = Tally(integerLiteral: Int64(number)) }
        store.commit()
        store.releaseVacantSlots()
        store[Slot(7)]?.value = 70
        store.trim()
        #expect(store.decodedCount == 1)
        store.commit()
        store.trim()
        #expect(store.decodedCount == 0)
        for number in 0..<100 { #expect(store[Slot(number)]?.value == Int64(number == 7 ? 70 : number)) }
    }

    @Test("of very many values few stay decoded, and each is what it was, whoever is read or written meanwhile")
    func manyValues() throws {
        let count = 10_000
        for number in 0..<count { store[store.slot(of: "n\(number)")] = Tally(integerLiteral: Int64(number)) }
        store.commit()
        store.releaseVacantSlots()
        #expect(store.decodedCount < count / 2)
        for number in 0..<count { #expect(store[Slot(number)]?.value == Int64(number)) }
        #expect(store.decodedCount == count, "what a transaction has read stays where it is")
        store.releaseVacantSlots()
        var visited = 0
        store.visit { slot in
            visited += store[slot]?.value == Int64(slot.index) ? 1 : 0
            #expect(store.decodedCount <= 4097)
        }
        #expect(visited == count, "whoever goes through all of them holds few")
        for number in stride(from: 0, to: count, by: 2) { store[Slot(number)]?.value += 1 }
        store.commit()
        store.releaseVacantSlots()
        for number in 0..<count {
            #expect(store[Slot(number)]?.value == Int64(number + (number % 2 == 0 ? 1 : 0)))
        }
        for number in stride(from: 1, to: count, by: 2) { store[Slot(number)]?.value = -1 }
        store.revert()
        store.releaseVacantSlots()
        #expect(store.decodedCount < count / 2)
        for number in 0..<count {
            #expect(store[Slot(number)]?.value == Int64(number + (number % 2 == 0 ? 1 : 0)))
        }
    }

    @Test("it holds what a dictionary holds, over commits, reverts and restores", arguments: [1, 2, 3] as [UInt64])
    func againstDictionary(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var committed: [String: Tally] = [:]
        var current = committed
        var log: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<400 {
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                let key = "k\(Int.random(in: 0..<30, using: &random))"
                let number = Int64.random(in: 0..<9, using: &random)
                let value = Bool.random(using: &random) ? Tally(integerLiteral: number) : nil
                store[store.slot(of: key)] = value
                current[key] = value
            }
            let entries = changelog()
            #expect(Set(entries.map(\.key)).count == entries.count, "a key came twice")
            if Bool.random(using: &random) {
                for entry in entries { log[entry.key] = entry.value }
                store.commit()
                committed = current
            } else {
                store.revert()
                current = committed
            }
            for number in 0..<30 {
                #expect(store.find("k\(number)").flatMap { store[$0] } == current["k\(number)"], "seed \(seed)")
            }
        }
        let copy = StateStoreTests()
        try copy.apply(log.map { ChangelogEntry(key: $0.key, value: $0.value) })
        for number in 0..<30 {
            #expect(copy.store.find("k\(number)").flatMap { copy.store[$0] } == committed["k\(number)"])
        }
    }

    @Test("R18: a value of the format before goes as that of this format comes, once, and not before it is committed")
    func versioned() throws {
        func restore(_ entry: ChangelogEntry) throws(CorruptBytes) {
            let first = entry.key[0]
            let id = first & ~StateFormat.versionedKey
            let result = entry.key[1...].withUnsafeBytes { key -> Result<Void, CorruptBytes> in
                do throws(CorruptBytes) {
                    guard let value = entry.value else {
                        return .success(try store.restore(key: key, value: nil, isVersioned: first != id))
                    }
                    var thrown: CorruptBytes?
                    value.withUnsafeBytes { value in
                        do throws(CorruptBytes) {
                            try store.restore(key: key, value: value, isVersioned: first != id)
                        } catch { thrown = error }
                    }
                    if let thrown { throw thrown }
                    return .success(())
                } catch { return .failure(error) }
            }
            try result.get()
        }
        let newest = StateFormat.newest
        try restore(ChangelogEntry(store: 4, "a", 1))
        try restore(ChangelogEntry(store: 4, "b", 2))
        store.format = newest
        store[store.slot(of: "a")] = 5
        let expected = [ChangelogEntry(store: 4, "a", nil), ChangelogEntry(store: 4, "a", 5, format: newest)]
        #expect(changelog() == expected)
        store.revert()
        store[store.slot(of: "a")] = 5
        #expect(changelog() == expected, "an aborted transaction wrote nothing")
        store.commit()
        store[store.slot(of: "a")] = 6
        #expect(changelog() == [ChangelogEntry(store: 4, "a", 6, format: newest)])
        store.commit()
        // A tombstone of the format before may come after compaction has moved nothing but values.
        try restore(ChangelogEntry(store: 4, "a", nil))
        #expect(store[store.slot(of: "a")] == 6)
        try restore(ChangelogEntry(store: 4, "b", nil))
        #expect(store[store.slot(of: "b")] == nil)
        var newer = ChangelogEntry(store: 4, "c", 1, format: newest)
        newer.value?[0] = newest + 1
        #expect(throws: CorruptBytes.self) { try restore(newer) }
    }
}

extension ChangelogStore {
    fileprivate func finishRestoreAtOnce() throws(UnreadableRecord) {
        var portion = Int.max
        _ = try finishRestore(&portion)
    }
}
