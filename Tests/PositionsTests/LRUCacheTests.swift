import Positions
import SplitMix
import Testing

@Suite("LRUCache")
struct LRUCacheTests {
    @Test("The least recently used value goes first; reading counts as use, peeking does not")
    func order() {
        var cache = LRUCache<String, Int>(capacity: 3)
        for (number, key) in ["a", "b", "c"].enumerated() { #expect(cache.insert(number, for: key) == nil) }
        #expect(cache.value(for: "a") == 0)
        #expect(cache.peek("b") == 1)
        let dropped = cache.insert(3, for: "d")
        #expect(dropped?.key == "b" && dropped?.value == 1)
        #expect(cache.keys == ["c", "a", "d"])
        #expect(cache.insert(7, for: "c") == nil)
        #expect(cache.keys == ["a", "d", "c"])
        cache.trim(to: 1)
        #expect(cache.keys == ["c"] && cache.value(for: "c") == 7)
    }

    @Test("It does what a plain list does, over many seeds")
    func model() {
        for seed in 0..<40 {
            var numbers = SplitMix64(seed: UInt64(seed))
            let capacity = Int.random(in: 1...5, using: &numbers)
            var cache = LRUCache<Int, Int>(capacity: capacity)
            var list: [(key: Int, value: Int)] = []
            for step in 0..<100 {
                let key = Int.random(in: 0...7, using: &numbers)
                let known = list.firstIndex { $0.key == key }
                switch Int.random(in: 0...3, using: &numbers) {
                case 0:
                    let removed = known.map { list.remove(at: $0).value }
                    #expect(cache.removeValue(for: key) == removed, "seed \(seed)")
                case 1:
                    #expect(cache.value(for: key) == known.map { list[$0].value }, "seed \(seed)")
                    if let known { list.append(list.remove(at: known)) }
                default:
                    if let known { list.remove(at: known) }
                    list.append((key, step))
                    let oldest = list.count > capacity ? list.removeFirst() : nil
                    #expect(cache.insert(step, for: key)?.key == oldest?.key, "seed \(seed)")
                }
                #expect(cache.keys == list.map(\.key), "seed \(seed)")
                #expect(cache.count == list.count, "seed \(seed)")
            }
        }
    }
}
