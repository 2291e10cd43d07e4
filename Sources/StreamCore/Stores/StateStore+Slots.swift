/// Slots of keys without a value: held for whoever points to them, else given back (R19).
extension StateStore {
    public var byteCount: Int { stored.held + keys.byteCount }

    /// Keeps the slot of a key without a value, because something outside points to it: an index, a queue. Holds count.
    @inlinable
    public func hold(_ slot: Slot<Value>) {
        if holds.count <= slot.index { holds += repeatElement(0, count: slot.index + 1 - holds.count) }
        holds[slot.index] += 1
    }

    /// Ends a hold. Without any other, and without a value, the slot is given back after the transaction.
    ///
    /// - Precondition: the slot is held.
    @inlinable
    public func letGo(_ slot: Slot<Value>) {
        precondition(isHeld(slot), "A hold ends once.")
        holds[slot.index] -= 1
        if holds[slot.index] == 0 && !hasValue(slot) { note(vacant: slot) }
    }

    @inlinable
    func isHeld(_ slot: Slot<Value>) -> Bool { slot.index < holds.count && holds[slot.index] > 0 }

    public func releaseVacantSlots() { releaseVacant(self) }

    @inlinable
    func giveBackVacantSlots() {
        precondition(written.isEmpty, "Slots are given back between transactions.")
        activity.touched = false
        decoded.trim()
        if !hasVacant { return }
        hasVacant = false
        revertedSlots = []
        var released: [Slot<Value>] = []
        for slot in vacant where keys.isInUse(slot.index) && !stored.hasBytes(slot.index) && !isHeld(slot) {
            keys.remove(slot.index)
            released.append(slot)
        }
        vacant.removeAll(keepingCapacity: vacant.capacity < 4096)
        if !released.isEmpty { forget(released) }
    }

    public func trim() { trimDecoded(self, 0) }

    @inlinable
    func forget(_ released: [Slot<Value>]) {
        keys.trim()
        stored.truncate(to: keys.slotCount)
        decoded.truncate(to: keys.slotCount)
        holds.truncate(to: keys.slotCount)
        let released = ReleasedSlots(slots: released, slotCount: keys.slotCount)
        unversioned.forget(released)
        inChangelog.forget(released)
        onRelease(released)
    }

    /// A tombstone was restored. Keys that have gone give their slots back some thousand at a time, the last of them
    /// when the restore is finished.
    @inlinable
    func releaseRestored(_ slot: Slot<Value>) {
        stored.remove(slot.index)
        decoded.remove(slot.index)
        note(vacant: slot)
        if vacant.count >= Self.vacantMax { giveBackVacantSlots() }
    }

    @usableFromInline static var vacantMax: Int { 4096 }
}
