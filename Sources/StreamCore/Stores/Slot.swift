/// The number of one key in one state store, typed by the store's value: a vehicle's slot does not fit where a
/// configuration's is asked for.
///
/// A slot stays the same for as long as its key has a value, or is held (`StateStore.hold`), while its task lives in
/// this process; after that another key may get it. After a restore the same key may have another slot, so slots are
/// never written to state or messages.
@frozen
public struct Slot<Value>: Hashable, Comparable, Sendable {
    /// 0 ..< the count of the store's slots.
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

/// All slots of a store in their order, those that no key has included: these have no value.
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

    /// Forgets every slot, and gives the memory back.
    @inlinable
    public mutating func releaseAll() { elements = [] }

    /// Forgets slots that were given back, with their memory.
    @inlinable
    public mutating func forget(_ released: ReleasedSlots<Value>) {
        for slot in released.slots where slot.index < elements.count { elements[slot.index] = absent }
        elements.truncate(to: released.slotCount)
    }

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

/// The slots of a store that were given back at the end of a transaction.
public struct ReleasedSlots<Value> {
    /// They have no key any more.
    public let slots: [Slot<Value>]
    /// Every slot of the store is below it.
    public let slotCount: Int

    @usableFromInline
    init(slots: [Slot<Value>], slotCount: Int) {
        self.slots = slots
        self.slotCount = slotCount
    }
}
