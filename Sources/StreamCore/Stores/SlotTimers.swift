public import RecordLog

/// Wall-clock timers of one task, at most one for each slot of a store. The slots are typed by the store's value.
///
/// `TimerHeap` does the work, and says what the timers guarantee.
@frozen
public struct SlotTimers<Value> {
    @usableFromInline var heap = TimerHeap()

    @inlinable
    public init() {}

    /// The date of the earliest timer; `nil` if none is armed.
    @inlinable
    public var nextDue: Instant? { heap.nextDue }

    /// When this slot's timer is due; `nil` if it is not armed.
    @inlinable
    public func due(of slot: Slot<Value>) -> Instant? { heap.due(of: slot.index) }

    /// Sets the slot's timer, in place of the one that it has.
    @inlinable
    public mutating func arm(_ slot: Slot<Value>, due: Instant) { heap.arm(slot.index, due: due) }

    /// Takes the slot's timer away; does nothing if the slot has none.
    @inlinable
    public mutating func disarm(_ slot: Slot<Value>) { heap.disarm(slot.index) }

    /// Takes out the earliest timer that is due at `now`, ties by slot.
    ///
    /// - Returns: its slot; `nil` if none is due.
    @inlinable
    public mutating func pop(now: Instant) -> Slot<Value>? { heap.pop(now: now).map { Slot($0) } }

    @inlinable
    public mutating func removeAll() { heap.removeAll() }

    /// Takes the timers of slots away that were given back, with their memory.
    public mutating func forget(_ released: ReleasedSlots<Value>) {
        for slot in released.slots { heap.disarm(slot.index) }
        heap.truncate(to: released.slotCount)
    }
}

/// Timers by number: a heap that knows where each number stands in it.
///
/// Timers are derived from state. One only says "look at this slot then": who is called checks the state and arms anew,
/// so a timer that was overtaken does no harm. Arming a slot again moves its timer: there are never more entries than
/// slots that are armed, however often that is done. An entry takes 16 bytes, and each slot, armed or not, 4.
public struct TimerHeap {
    private struct Entry {
        var due: Instant
        var slot: Int32

        /// Ties by slot, so that what fires together fires in the same order every time.
        func precedes(_ other: Entry) -> Bool { due < other.due || due == other.due && slot < other.slot }
    }

    /// No entry precedes its parent. Four children each: half as deep as with two, and they lie side by side in memory.
    private var heap: [Entry] = []
    /// The index in the heap of each slot's entry; −1 if the slot is not armed.
    private var indexes: [Int32] = []
    /// How often two entries were compared since this was made, which is the work that was done.
    public private(set) var comparisons = 0

    private static let childCount = 4

    public init() {}

    /// Slots that are armed.
    public var count: Int { heap.count }

    /// When the earliest timer is due; `nil` if none is armed.
    public var nextDue: Instant? { heap.first?.due }

    /// How many timers are due, without taking them out.
    ///
    /// - Complexity: O(result): no entry below one that is not due is looked at.
    public func dueCount(at now: Instant, atMost limit: Int) -> Int {
        var waiting = [0]
        var count = 0
        while count < limit, let index = waiting.popLast() {
            guard index < heap.count, heap[index].due <= now else { continue }
            count += 1
            waiting += (index * Self.childCount + 1)...(index * Self.childCount + Self.childCount)
        }
        return count
    }

    /// The date of this slot's timer; `nil` if it is not armed.
    public func due(of slot: Int) -> Instant? {
        let index = index(of: slot)
        return index < 0 ? nil : heap[index].due
    }

    /// Sets the slot's timer, in place of the one that it has.
    ///
    /// - Complexity: O(log n).
    public mutating func arm(_ slot: Int, due: Instant) {
        if indexes.count <= slot { indexes += repeatElement(-1, count: slot + 1 - indexes.count) }
        let entry = Entry(due: due, slot: Int32(slot))
        let index = index(of: slot)
        if index < 0 {
            heap.append(entry)
            rise(entry, from: heap.count - 1)
        } else {
            replace(at: index, by: entry)
        }
    }

    /// Takes the slot's timer away; does nothing where it has none.
    ///
    /// - Complexity: O(log n).
    public mutating func disarm(_ slot: Int) {
        let index = index(of: slot)
        if index >= 0 { remove(at: index) }
    }

    /// Takes out the earliest timer that is due at `now`, ties by slot.
    ///
    /// - Returns: its slot; `nil` if no timer is due.
    ///
    /// - Complexity: O(log n), and O(1) where none is due.
    public mutating func pop(now: Instant) -> Int? {
        guard let first = heap.first, first.due <= now else { return nil }
        remove(at: 0)
        return Int(first.slot)
    }

    public mutating func removeAll() {
        heap.removeAll(keepingCapacity: true)
        indexes.removeAll(keepingCapacity: true)
    }

    /// Gives back the memory of slots that do not exist any more.
    ///
    /// - Precondition: those from `count` on are not armed.
    public mutating func truncate(to count: Int) {
        indexes.truncate(to: count)
        heap.releaseSpareCapacity()
    }

    // MARK: - Heap

    private func index(of slot: Int) -> Int { slot < indexes.count ? Int(indexes[slot]) : -1 }

    private mutating func remove(at index: Int) {
        indexes[Int(heap[index].slot)] = -1
        let last = heap.removeLast()
        if index < heap.count { replace(at: index, by: last) }
    }

    private mutating func replace(at index: Int, by entry: Entry) {
        comparisons += 1
        if entry.precedes(heap[index]) { rise(entry, from: index) } else { sink(entry, from: index) }
    }

    private mutating func rise(_ entry: Entry, from index: Int) {
        var index = index
        while index > 0 {
            let parent = (index - 1) / Self.childCount
            comparisons += 1
            if !entry.precedes(heap[parent]) { break }
            place(heap[parent], at: index)
            index = parent
        }
        place(entry, at: index)
    }

    private mutating func sink(_ entry: Entry, from index: Int) {
        var index = index
        while true {
            let first = index * Self.childCount + 1
            if first >= heap.count { break }
            var least = first
            for child in (first + 1)..<max(first + 1, min(first + Self.childCount, heap.count)) {
                comparisons += 1
                if heap[child].precedes(heap[least]) { least = child }
            }
            comparisons += 1
            if !heap[least].precedes(entry) { break }
            place(heap[least], at: index)
            index = least
        }
        place(entry, at: index)
    }

    private mutating func place(_ entry: Entry, at index: Int) {
        heap[index] = entry
        indexes[Int(entry.slot)] = Int32(index)
    }
}
