import StreamCore

/// Going through all slots of a store, a portion of the work in each transaction (R17).
///
/// What is done for a slot leaves nothing to do there. So nothing has to be kept: after an abort all slots are gone
/// through again, and after a crash whoever began the walk begins it again.
struct SlotWalk<Value: StateValue> {
    /// The next slot; `nil` if no walk is under way.
    private var next: Int?
    private var wasUnderWay = false
    /// The units of work that this transaction has done.
    private var used = 0

    /// True if slots wait for the next transaction.
    var isUnderWay: Bool { next != nil }

    /// All slots are to be gone through, from the first one.
    mutating func begin() { next = 0 }

    /// Goes through the next slots, as many as the transaction has room for.
    ///
    /// - Parameter visit: returns true if it did a unit of work, of which something is written: without that there is
    ///   no transaction that could end.
    mutating func advance(over store: StateStore<Value>, _ context: TaskContext, _ visit: (Slot<Value>) -> Bool) {
        guard var index = next else { return }
        while index < store.slotCount && used < context.flushPortion {
            if visit(Slot(index)) { used += 1 }
            store.releaseDecoded(Slot(index))
            index += 1
        }
        next = index < store.slotCount ? index : nil
    }

    mutating func committed() {
        wasUnderWay = isUnderWay
        used = 0
    }

    mutating func reverted() {
        next = wasUnderWay ? 0 : nil
        used = 0
    }
}
