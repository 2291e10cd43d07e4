import RecordLog
import StreamCore
import TestSupport
import Testing

@Suite("The numbers of keys")
struct KeyTableTests {
    @Test("slots are given in the order in which keys come, and found again")
    func order() {
        var table = KeyTable()
        for (index, key) in ["a", "", "bc", "b"].enumerated() {
            let slot = withBytes(of: key) { table.slot(of: $0, hash: Murmur2.hash($0)) }
            #expect(slot == index)
        }
        for (index, key) in ["a", "", "bc", "b"].enumerated() {
            #expect(withBytes(of: key) { table.find($0, hash: Murmur2.hash($0)) } == index)
            #expect(withBytes(of: key) { table.slot(of: $0, hash: Murmur2.hash($0)) } == index)
            #expect(table.withKey(of: index) { text($0) } == key)
        }
        #expect(withBytes(of: "c") { table.find($0, hash: Murmur2.hash($0)) } == nil)
        #expect(table.count == 4)
    }

    @Test("keys with the same hash are told apart")
    func collisions() {
        var table = KeyTable()
        let keys = (0..<100).map { "key \($0)" }
        for (index, key) in keys.enumerated() {
            #expect(withBytes(of: key) { table.slot(of: $0, hash: 42) } == index)
        }
        for (index, key) in keys.enumerated() { #expect(withBytes(of: key) { table.find($0, hash: 42) } == index) }
        #expect(withBytes(of: "key 100") { table.find($0, hash: 42) } == nil)
    }

    @Test("it holds what a dictionary holds, over every growth", arguments: [1, 2, 3] as [UInt64])
    func againstDictionary(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var table = KeyTable()
        var expected: [String: Int] = [:]
        for _ in 0..<20_000 {
            let key = String(UInt64.random(in: 0..<8_000, using: &random), radix: 36)
            let slot = withBytes(of: key) { table.slot(of: $0, hash: Murmur2.hash($0)) }
            #expect(slot == expected[key, default: expected.count])
            expected[key] = slot
        }
        #expect(table.count == expected.count)
        for (key, slot) in expected {
            #expect(withBytes(of: key) { table.find($0, hash: Murmur2.hash($0)) } == slot)
        }
        for number in 8_000..<9_000 {
            let key = String(number, radix: 36)
            #expect(withBytes(of: key) { table.find($0, hash: Murmur2.hash($0)) } == nil)
        }
    }

    @Test("R19: it holds what a dictionary holds while keys come and go, in no more slots than ever lived at once")
    func forgetting() {
        var random = SplitMix64(seed: 4)
        var table = KeyTable()
        var expected: [String: Int] = [:]
        var most = 0
        for round in 0..<60 {
            // Some rounds grow, some shrink to little.
            let isGrowing = round % 3 < 2
            for _ in 0..<1_000 {
                let key = String(UInt64.random(in: 0..<4_000, using: &random), radix: 36)
                if isGrowing {
                    let slot = withBytes(of: key) { table.slot(of: $0, hash: Murmur2.hash($0)) }
                    #expect(slot == expected[key] ?? slot && !(expected[key] == nil && expected.values.contains(slot)))
                    expected[key] = slot
                } else if let key = expected.keys.sorted().randomElement(using: &random) {
                    table.remove(expected.removeValue(forKey: key)!)
                }
            }
            table.trim()
            most = max(most, expected.count)
            #expect(table.count == expected.count && table.slotCount <= most)
            for (key, slot) in expected {
                #expect(withBytes(of: key) { table.find($0, hash: Murmur2.hash($0)) } == slot)
                #expect(table.withKey(of: slot) { text($0) } == key)
            }
        }
        for slot in expected.values { table.remove(slot) }
        table.trim()
        #expect(table.count == 0 && table.slotCount == 0)
    }

    @Test("R19: keys of one hash are found when others of them have gone")
    func collisionsThatGo() {
        var table = KeyTable()
        let keys = (0..<100).map { "key \($0)" }
        for key in keys { _ = withBytes(of: key) { table.slot(of: $0, hash: 42) } }
        for slot in stride(from: 0, to: 100, by: 3) { table.remove(slot) }
        for (index, key) in keys.enumerated() {
            #expect(withBytes(of: key) { table.find($0, hash: 42) } == (index % 3 == 0 ? nil : index))
        }
        #expect(withBytes(of: "new") { table.slot(of: $0, hash: 42) } == 0, "the lowest that is free")
    }
}
