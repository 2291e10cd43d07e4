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

    @Test("a value that another program wrote is refused")
    func corrupt() {
        #expect(throws: CorruptBytes.self) { try apply([ChangelogEntry(key: [4, 1], value: [1, 2, 3])]) }
    }

    private func apply(_ entries: [ChangelogEntry]) throws {
        for entry in entries {
            try entry.key[1...].withUnsafeBytes { key in
                guard let value = entry.value else { return try store.restore(key: key, value: nil) }
                try value.withUnsafeBytes { try store.restore(key: key, value: $0) }
            }
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
}
