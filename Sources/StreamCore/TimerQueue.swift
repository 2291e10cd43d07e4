/// Wall-clock timers of one task, by slot of some store: a binary heap.
///
/// Timers are derived from state. An entry only says "look at this slot then": who is called checks the state and arms
/// anew, so a timer that was overtaken does no harm, and one armed twice fires twice for nothing.
package struct TimerQueue {
    private struct Entry {
        var due: Int64
        var slot: Int32
    }

    private var heap: [Entry] = []

    package init() {}

    package var count: Int { heap.count }

    /// Milliseconds since 1970 of the earliest timer.
    package var nextDue: Int64? { heap.first?.due }

    package mutating func removeAll() { heap.removeAll(keepingCapacity: true) }

    /// - Complexity: O(log n).
    package mutating func arm(_ slot: Int, due: Int64) {
        heap.append(Entry(due: due, slot: Int32(slot)))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if !precedes(child, parent) { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the earliest timer that is due at `now`; nil where there is none. Ties by slot.
    package mutating func pop(now: Int64) -> (slot: Int, due: Int64)? {
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sift()
        }
        return (Int(first.slot), first.due)
    }

    private mutating func sift() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        (heap[left].due, heap[left].slot) < (heap[right].due, heap[right].slot)
    }
}
