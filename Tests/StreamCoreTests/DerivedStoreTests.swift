import RecordLog
import StreamCore
import Testing

@Suite("State stores whose values follow from others")
struct DerivedStoreTests {
    @Test("R18: of what is derived the changelog gets nothing from format 4 on, but for keys that it has")
    func derived() throws {
        let store = StateStore(StoreName<Tally>(4, "store"), isDerived: true)
        store.format = StateFormat.derived
        let value: [UInt8] = ChangelogEntry(store: 4, "old", 1, format: StateFormat.versioned).value ?? []
        try withBytes(of: "old") { key in
            try value.withUnsafeBytes { try store.restore(key: key, value: $0, isVersioned: true) }
        }
        store.derive(store.slot(of: "new"), 2)
        var portion = Int.max
        _ = try store.finishRestore(&portion)
        let (old, new, more) = (store.slot(of: "old"), store.slot(of: "new"), store.slot(of: "more"))
        #expect(store[old] == 1 && store[new] == 2 && !store.isDirty)
        store[old] = nil
        store[new] = nil
        store[more] = 3
        let tombstone = [ChangelogEntry(store: 4, "old", nil, format: StateFormat.versioned)]
        #expect(store.isDirty)
        #expect(captured(store.capture) == tombstone)
        store.revert()
        #expect(store[old] == 1 && store[new] == 2 && store[more] == nil, "an aborted transaction wrote nothing")
        store[old] = nil
        store[more] = 3
        #expect(captured(store.capture) == tombstone)
        store.commit()
        store.releaseVacantSlots()
        #expect(store[more] == 3)
        store[store.slot(of: "old")] = 4
        #expect(captured(store.capture) == [], "its key is not in the changelog any more")
        store.commit()
        store.format = StateFormat.versioned
        store[more] = 5
        #expect(captured(store.capture) == [ChangelogEntry(store: 4, "more", 5, format: StateFormat.versioned)])
    }
}
