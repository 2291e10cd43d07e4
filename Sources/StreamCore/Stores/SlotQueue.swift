/// Slots that work waits for, each once, in the order in which they came, with an item for each.
public struct SlotQueue<Value, Item> {
    @usableFromInline var slots: [Slot<Value>] = []
    @usableFromInline var items = SlotMap<Value, Item?>()

    public init() {}

    /// The slots that wait.
    @inlinable
    public var count: Int { slots.count }

    @inlinable
    public var isEmpty: Bool { slots.isEmpty }

    @inlinable
    public func contains(_ slot: Slot<Value>) -> Bool { items[slot] != nil }

    /// The item that waits for the slot; `nil` if the slot does not wait.
    @inlinable
    public func item(of slot: Slot<Value>) -> Item? { items[slot] }

    /// Appends the slot with its item. An item that waits already stays, and `item` is not called.
    @inlinable
    public mutating func append(_ slot: Slot<Value>, _ item: @autoclosure () -> Item) {
        if items[slot] != nil { return }
        enqueue(slot, item())
    }

    /// Gives the slot this item: at its place in the queue if it waits already, else at the end.
    @inlinable
    public mutating func replace(_ slot: Slot<Value>, with item: Item) {
        if items[slot] == nil { enqueue(slot, item) } else { items[slot] = item }
    }

    @inlinable
    mutating func enqueue(_ slot: Slot<Value>, _ item: Item) {
        slots.append(slot)
        items[slot] = item
    }

    /// Takes out the first slots of the queue.
    ///
    /// - Parameter limit: how many at the most.
    /// - Returns: the slots with their items, in the order in which the slots came.
    @inlinable
    public mutating func drain(_ limit: Int = .max) -> [(slot: Slot<Value>, item: Item)] {
        if slots.isEmpty || limit <= 0 { return [] }
        let first = slots.prefix(limit)
        let drained = first.map { slot in
            guard let item = items[slot] else { preconditionFailure("A slot that waits has its item.") }
            items[slot] = nil
            return (slot: slot, item: item)
        }
        if first.count == slots.count {
            slots.removeAll(keepingCapacity: slots.capacity < Self.capacityKept)
        } else {
            slots.removeFirst(first.count)
        }
        return drained
    }

    /// A queue that was longer gives its memory back.
    @inlinable static var capacityKept: Int { 4096 }

    @inlinable
    public mutating func removeAll() {
        for slot in slots { items[slot] = nil }
        slots.removeAll(keepingCapacity: slots.capacity < Self.capacityKept)
    }

    /// Forgets slots that were given back.
    public mutating func forget(_ released: ReleasedSlots<Value>) {
        if !isEmpty {
            var isChanged = false
            for slot in released.slots where items[slot] != nil {
                items[slot] = nil
                isChanged = true
            }
            if isChanged { slots.removeAll { items[$0] == nil } }
        }
        items.forget(released)
    }
}

extension SlotQueue where Item == Void {
    @inlinable
    public mutating func append(_ slot: Slot<Value>) { append(slot, ()) }
}
