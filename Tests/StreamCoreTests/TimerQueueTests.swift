import StreamCore
import Testing

@Suite("Timers")
struct TimerQueueTests {
    private func fire(_ queue: inout TimerQueue, now: Int64) -> [String] {
        var fired: [String] = []
        while let timer = queue.pop(now: now) { fired.append("\(timer.slot)@\(timer.due)") }
        return fired
    }

    @Test("timers fire in the order of their time, ties in the order of their slots, none before its time")
    func order() {
        var queue = TimerQueue()
        #expect(queue.nextDue == nil)
        for (slot, due) in [(3, 20), (1, 10), (2, 20), (0, 30), (5, 20)] as [(Int, Int64)] { queue.arm(slot, due: due) }
        #expect(queue.nextDue == 10)
        #expect(fire(&queue, now: 9) == [])
        #expect(fire(&queue, now: 20) == ["1@10", "2@20", "3@20", "5@20"])
        #expect(queue.nextDue == 30)
        #expect(queue.count == 1)
        #expect(fire(&queue, now: .max) == ["0@30"])
        #expect(queue.nextDue == nil)
    }

    @Test("a slot that was armed twice fires twice")
    func twice() {
        var queue = TimerQueue()
        queue.arm(1, due: 10)
        queue.arm(1, due: 5)
        #expect(fire(&queue, now: 10) == ["1@5", "1@10"])
    }

    @Test("after removal there is none")
    func removal() {
        var queue = TimerQueue()
        for slot in 0..<10 { queue.arm(slot, due: 1) }
        queue.removeAll()
        #expect(queue.count == 0)
        #expect(fire(&queue, now: .max) == [])
    }

    @Test("it fires what a sorted list fires", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func againstSortedArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue()
        var expected: [(due: Int64, slot: Int)] = []
        var now: Int64 = 0
        for _ in 0..<500 {
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                // Few times and few slots, so that ties are the rule.
                let due = now + Int64.random(in: -5..<40, using: &random)
                let slot = Int.random(in: 0..<20, using: &random)
                queue.arm(slot, due: due)
                expected.append((due, slot))
            }
            now += Int64.random(in: 0..<10, using: &random)
            expected.sort { ($0.due, $0.slot) < ($1.due, $1.slot) }
            let due = expected.prefix { $0.due <= now }.map { "\($0.slot)@\($0.due)" }
            expected.removeFirst(due.count)
            #expect(fire(&queue, now: now) == due, "seed \(seed)")
            #expect(queue.count == expected.count)
            #expect(queue.nextDue == expected.first?.due)
        }
    }
}
