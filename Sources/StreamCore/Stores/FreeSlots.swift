/// Slots that were given back, the lowest first: so those in use move together, and the rest can be cut off.
struct FreeSlots {
    /// A binary heap: no number is lower than its parent.
    private var heap: [UInt32] = []

    mutating func insert(_ slot: Int) {
        let number = UInt32(slot)
        heap.append(number)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            if heap[parent] <= number { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = number
    }

    /// Takes the lowest slot.
    ///
    /// - Parameter end: slots from there on do not exist any more, and are forgotten.
    /// - Returns: `nil` if no slot is free.
    mutating func takeLowest(below end: Int) -> Int? {
        guard let lowest = heap.first else { return nil }
        guard lowest < end else {
            heap = []
            return nil
        }
        let last = heap.removeLast()
        if !heap.isEmpty { sink(last) }
        return Int(lowest)
    }

    private mutating func sink(_ number: UInt32) {
        var index = 0
        while true {
            var child = index * 2 + 1
            if child >= heap.count { break }
            if child + 1 < heap.count && heap[child + 1] < heap[child] { child += 1 }
            if number <= heap[child] { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = number
    }

    /// Forgets slots that do not exist any more, where they are many.
    mutating func trim(below end: Int) {
        guard heap.count > 64 && heap.count > end * 2 else { return }
        // In order, which a heap is as well.
        heap = heap.filter { $0 < end }.sorted()
    }
}

extension Array {
    /// Gives back the memory of elements that were removed, if it is the larger part by far.
    @inlinable
    mutating func releaseSpareCapacity() {
        guard capacity > 64 && capacity > count * 4 else { return }
        var kept: [Element] = []
        kept.reserveCapacity(count + count / 2)
        kept.append(contentsOf: self)
        self = kept
    }

    /// Keeps the first elements only.
    @inlinable
    mutating func truncate(to count: Int) {
        guard count < self.count else { return }
        removeLast(self.count - count)
        releaseSpareCapacity()
    }
}
