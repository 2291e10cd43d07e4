/// The number of one key in one state store, typed by the store's value: a vehicle's slot does not fit where a
/// configuration's is asked for.
///
/// A slot stays the same while its task lives in this process. After a restore the same key may have another slot, so
/// slots are never written to state or messages.
@frozen
public struct Slot<Value>: Hashable, Comparable, Sendable {
    /// 0 ..< the number of keys of the store.
    public let index: Int

    /// - Precondition: `index` is not negative.
    @inlinable
    public init(_ index: Int) {
        precondition(index >= 0, "A slot counts from 0.")
        self.index = index
    }

    @inlinable
    public static func < (left: Slot, right: Slot) -> Bool { left.index < right.index }
}

/// All slots of a store, in the order in which their keys first came.
public struct Slots<Value>: Sequence {
    @usableFromInline let count: Int

    @usableFromInline
    init(count: Int) {
        self.count = count
    }

    @inlinable
    public func makeIterator() -> LazyMapSequence<Range<Int>, Slot<Value>>.Iterator {
        (0..<count).lazy.map { Slot($0) }.makeIterator()
    }
}

/// A value for each slot of a store, derived from state or kept beside it; grows by itself.
///
/// - Complexity: every access is O(1), amortised over growth.
@frozen
public struct SlotMap<Value, Element> {
    @usableFromInline var elements: [Element] = []
    /// The value of a slot that was never written.
    @usableFromInline let absent: Element

    @inlinable
    public init(absent: Element) {
        self.absent = absent
    }

    @inlinable
    public subscript(slot: Slot<Value>) -> Element {
        get { slot.index < elements.count ? elements[slot.index] : absent }
        _modify {
            reserve(slot)
            yield &elements[slot.index]
        }
    }

    @inlinable
    public mutating func removeAll() { elements.removeAll(keepingCapacity: true) }

    @inlinable
    mutating func reserve(_ slot: Slot<Value>) {
        if slot.index >= elements.count {
            elements += repeatElement(absent, count: slot.index + 1 - elements.count)
        }
    }
}

extension SlotMap where Element: ExpressibleByNilLiteral {
    /// A map whose slots hold nothing until they are written.
    @inlinable
    public init() { self.init(absent: nil) }
}

/// Slots that work waits for, each once, in the order in which they came, with an item for each.
public struct SlotQueue<Value, Item> {
    @usableFromInline var slots: [Slot<Value>] = []
    @usableFromInline var items = SlotMap<Value, Item?>()

    public init() {}

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
        slots.append(slot)
        items[slot] = item()
    }

    /// Gives the slot this item: at its place in the queue if it waits already, else at the end.
    @inlinable
    public mutating func replace(_ slot: Slot<Value>, with item: Item) {
        if items[slot] == nil { slots.append(slot) }
        items[slot] = item
    }

    /// Empties the queue.
    ///
    /// - Returns: the slots with their items, in the order in which the slots came.
    public mutating func drain() -> [(slot: Slot<Value>, item: Item)] {
        if slots.isEmpty { return [] }
        let drained = slots.map { slot in
            guard let item = items[slot] else { preconditionFailure("A slot that waits has its item.") }
            items[slot] = nil
            return (slot: slot, item: item)
        }
        slots.removeAll(keepingCapacity: true)
        return drained
    }

    public mutating func removeAll() { _ = drain() }
}

extension SlotQueue where Item == Void {
    @inlinable
    public mutating func append(_ slot: Slot<Value>) { append(slot, ()) }
}
