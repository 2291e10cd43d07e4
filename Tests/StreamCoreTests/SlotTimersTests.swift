import RecordLog
import StreamCore
import TestSupport
import Testing

@Suite("Timers")
struct SlotTimersTests {
    private func fire(_ timers: inout TimerHeap, now: Instant) -> [String] {
        var fired: [String] = []
        while let due = timers.nextDue, let slot = timers.pop(now: now) { fired.append("\(slot)@\(due.milliseconds)") }
        return fired
    }

    @Test("timers fire in the order of their time, ties in the order of their slots, none before its time")
    func order() {
        var timers = TimerHeap()
        #expect(timers.nextDue == nil)
        for (slot, due) in [(3, 20), (1, 10), (2, 20), (0, 30), (5, 20)] as [(Int, Instant)] {
            timers.arm(slot, due: due)
        }
        #expect(timers.nextDue == 10)
        #expect(fire(&timers, now: 9) == [])
        #expect(fire(&timers, now: 20) == ["1@10", "2@20", "3@20", "5@20"])
        #expect(timers.nextDue == 30)
        #expect(timers.count == 1)
        #expect(fire(&timers, now: .distantFuture) == ["0@30"])
        #expect(timers.nextDue == nil)
    }

    @Test("a slot that is armed again fires once, at its last time, be that earlier or later")
    func again() {
        var timers = TimerHeap()
        timers.arm(1, due: 10)
        timers.arm(2, due: 10)
        timers.arm(1, due: 5)
        timers.arm(2, due: 15)
        #expect(timers.due(of: 2) == 15)
        #expect(fire(&timers, now: 10) == ["1@5"])
        #expect(timers.due(of: 1) == nil)
        #expect(fire(&timers, now: 20) == ["2@15"])
    }

    @Test("a slot that is disarmed fires no more")
    func disarm() {
        var timers = TimerHeap()
        for slot in 0..<10 { timers.arm(slot, due: Instant(milliseconds: Int64(slot))) }
        for slot in [0, 9, 4, 4, 100] { timers.disarm(slot) }
        #expect(fire(&timers, now: .distantFuture) == [1, 2, 3, 5, 6, 7, 8].map { "\($0)@\($0)" })
    }

    @Test("those that are due are counted without taking them out, up to a limit")
    func counts() {
        var timers = TimerHeap()
        #expect(timers.dueCount(at: 100, atMost: 10) == 0)
        for slot in 0..<50 { timers.arm(slot, due: Instant(milliseconds: Int64(slot * 7 % 50))) }
        for now in [-1, 0, 12, 49, 1000] as [Int64] {
            let due = (0..<50).count { Int64($0) <= now }
            #expect(timers.dueCount(at: Instant(milliseconds: now), atMost: 100) == due)
            #expect(timers.dueCount(at: Instant(milliseconds: now), atMost: 5) == min(due, 5))
        }
        for (limit, due) in [(100, 20), (13, 13), (5, 5), (0, 0)] {
            var load = TimerLoad(at: 9, dueMax: limit)
            load.add(timers)
            load.add(timers)
            #expect(load.armed == 100 && load.due == due)
        }
    }

    @Test("after removal there is none")
    func removal() {
        var timers = TimerHeap()
        for slot in 0..<10 { timers.arm(slot, due: 1) }
        timers.removeAll()
        #expect(timers.count == 0)
        #expect(timers.due(of: 3) == nil)
        #expect(fire(&timers, now: .distantFuture) == [])
    }

    @Test("they fire what a table of slots says", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func againstTable(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var timers = TimerHeap()
        var expected: [Int: Instant] = [:]
        var now: Instant = 0
        for _ in 0..<500 {
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                // Few times, so that ties are the rule.
                let slot = Int.random(in: 0..<60, using: &random)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    timers.disarm(slot)
                    expected[slot] = nil
                } else {
                    let due = now + ElapsedTime(milliseconds: .random(in: -5..<40, using: &random))
                    timers.arm(slot, due: due)
                    expected[slot] = due
                }
            }
            now = now + ElapsedTime(milliseconds: .random(in: 0..<10, using: &random))
            let due = expected.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            for (slot, _) in due { expected[slot] = nil }
            #expect(fire(&timers, now: now) == due.map { "\($0.key)@\($0.value.milliseconds)" }, "seed \(seed)")
            #expect(timers.count == expected.count)
            #expect(timers.nextDue == expected.values.min())
        }
    }

    @Test("nothing is done for timers that are not due, and little for a change among a hundred thousand")
    func work() {
        let slots = 100_000
        var random = SplitMix64(seed: 1)
        var timers = TimerHeap()
        for slot in 0..<slots {
            timers.arm(slot, due: Instant(milliseconds: .random(in: 1_000..<2_000_000, using: &random)))
        }
        let before = timers.comparisons
        for now in 0..<1_000 as Range<Int64> { #expect(timers.pop(now: Instant(milliseconds: now)) == nil) }
        #expect(timers.comparisons == before)
        // Nine levels of four: each level costs four comparisons at most, and there is one to begin with.
        var most = 0
        for _ in 0..<10_000 {
            let before = timers.comparisons
            let slot = Int.random(in: 0..<slots, using: &random)
            timers.arm(slot, due: Instant(milliseconds: .random(in: 1_000..<2_000_000, using: &random)))
            most = max(most, timers.comparisons - before)
        }
        #expect(most <= 1 + 9 * 4)
        let popped = timers.comparisons
        for _ in 0..<1_000 { _ = timers.pop(now: .distantFuture) }
        #expect(timers.comparisons - popped <= 1_000 * (1 + 9 * 4))
    }

    @Test("slots that are armed again for ever take one entry each")
    func bounded() {
        var timers = TimerHeap()
        for round in 0..<1_000 {
            for slot in 0..<100 {
                // Due dates far off, as of a status that changes all the time.
                timers.arm(
                    slot,
                    due: 1_000_000_000 + ElapsedTime(milliseconds: Int64(round * (slot.isMultiple(of: 2) ? 1 : -1))))
            }
        }
        #expect(timers.count == 100)
    }
}
