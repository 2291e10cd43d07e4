/// Goes once through a store that was restored, a portion at a time, for whoever derives something of it (R17).
///
/// A slot that is looked at uses up one of the portion, with a value or without. Whoever has more to do for a slot
/// takes more of the portion.
public struct RestoreWalk<Value: StateValue> {
    /// The slots that are returned.
    public enum Scope: Sendable {
        /// Those with a value, which is decoded.
        case values
        /// Those with a value, which is not decoded: what is derived follows from the keys.
        case keys
        /// Every one; a value is decoded where there is one.
        case slots
    }

    @usableFromInline var index = 0
    @usableFromInline let scope: Scope

    @inlinable
    public init(_ scope: Scope = .values) {
        self.scope = scope
    }

    /// The next slot. What was decoded for the one before does not stay decoded.
    ///
    /// - Precondition: nothing of the store is borrowed.
    /// - Parameter portion: the slots that may still be looked at.
    /// - Returns: `nil` if the portion is used up, or all have been returned (`isDone`).
    @inlinable
    public mutating func next(in store: StateStore<Value>, _ portion: inout Int) -> Slot<Value>? {
        if index > 0 && index <= store.slotCount { store.releaseDecoded(Slot(index - 1)) }
        while index < store.slotCount, portion > 0 {
            let slot = Slot<Value>(index)
            index += 1
            portion -= 1
            if scope == .slots || store.hasValue(slot) {
                if scope != .keys {
                    store.prefetchStored(Slot(slot.index + 8))
                    _ = store.address(of: slot)
                }
                return slot
            }
        }
        if scope != .keys && isDone(in: store) { store.noteVisited() }
        return nil
    }

    /// True if every slot of the store has been looked at.
    @inlinable
    public func isDone(in store: StateStore<Value>) -> Bool { index >= store.slotCount }
}
