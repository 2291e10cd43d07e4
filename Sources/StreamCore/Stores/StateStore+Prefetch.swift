public import CPrefetch

/// A look at a key waits for memory several times: for the table, for what stands by slot, for the value. Where many
/// keys are known to come, their memory is asked for all at once, and each wait is shared by all of them.
extension StateStore {
    /// Asks for the memory of keys that are about to be looked at. Nothing changes, whatever the keys are.
    ///
    /// - Parameters:
    ///   - hashes: Java's murmur2 of each key; some dozens, for their memory is to fit into the nearest cache.
    ///   - beside: is called for slots that are probably theirs, for what is kept by slot beside the store.
    @inlinable
    public func prefetch(_ hashes: [UInt32], beside: (Slot<Value>) -> Void) {
        for hash in hashes { keys.prefetchEntry(of: hash) }
        for hash in hashes {
            guard let slot = keys.likelySlot(of: hash) else { continue }
            keys.prefetchPlace(of: slot)
            decoded.places.prefetch(slot)
            decoded.areWritten.prefetch(slot)
            stored.blocks.prefetch(slot)
            beside(Slot(slot))
        }
        for hash in hashes {
            guard let slot = keys.likelySlot(of: hash) else { continue }
            keys.prefetchKey(of: slot)
            prefetchValue(of: Slot(slot))
        }
    }

    /// Asks for the memory of the stored value of a slot that is about to be looked at. The slot need not exist.
    @inlinable
    public func prefetchStored(_ slot: Slot<Value>) {
        guard slot.index < stored.blocks.count, let block = stored.blocks[slot.index] else { return }
        for offset in stride(from: 0, to: 256, by: 64) { cprefetch(block + offset) }
    }

    /// Where a transaction wrote more values than the caches hold, each wait for memory is shared with those that come
    /// next.
    @inlinable
    func prefetchWritten(after number: Int) {
        if number + 16 < written.count { decoded.places.prefetch(written[number + 16].index) }
        if number + 8 < written.count { prefetchValue(of: written[number + 8]) }
    }

    /// The same for the stored form.
    @inlinable
    func prefetchStored(after number: Int) {
        if number + 16 < written.count { stored.blocks.prefetch(written[number + 16].index) }
        if number + 8 < written.count, let block = stored.blocks[written[number + 8].index] { cprefetch(block) }
    }

    /// Asks for the memory of the value of a slot that is about to be looked at.
    @inlinable
    func prefetchValue(of slot: Slot<Value>) {
        if let place = decoded.places[slot.index] {
            for offset in stride(from: 0, to: MemoryLayout<Value?>.size, by: 64) {
                cprefetch(UnsafeRawPointer(place) + offset)
            }
        } else if let block = stored.blocks[slot.index] {
            cprefetch(block)
            cprefetch(block + 64)
        }
    }
}

extension KeyTable {
    @inlinable
    mutating func prefetchEntry(of hash: UInt32) { table.prefetch(home(of: hash)) }

    /// The slot of the first key with nearly this hash: mostly the key's own.
    @inlinable
    func likelySlot(of hash: UInt32) -> Int? {
        let entry = table[home(of: hash)]
        return entry == 0 ? nil : Int(entry) - 1
    }

    @inlinable
    mutating func prefetchPlace(of slot: Int) { places.prefetch(slot) }

    @inlinable
    mutating func prefetchKey(of slot: Int) { bytes.prefetch(places[slot].start) }
}

extension SlotMap {
    /// Asks for the memory of a slot that is about to be looked at.
    @inlinable
    public mutating func prefetch(_ slot: Slot<Value>) {
        if slot.index < elements.count { elements.prefetch(slot.index) }
    }
}

extension Array {
    /// Asks for the memory of an element. Mutating, because only so the address is had without a reference more to the
    /// elements; nothing is changed.
    @inlinable
    mutating func prefetch(_ index: Int) { Self.prefetch(&self, index) }

    @inlinable
    static func prefetch(_ first: UnsafeMutablePointer<Element>, _ index: Int) { cprefetch(first + index) }
}
