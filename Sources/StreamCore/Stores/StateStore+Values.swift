/// Values, read and changed in their places.
extension StateStore {
    /// The value, in its place: it is decoded if it is not yet, and reading copies nothing of it.
    @inlinable
    public subscript(slot: Slot<Value>) -> Value? {
        unsafeAddress { address(of: slot) }
        unsafeMutableAddress { mutableAddress(of: slot) }
    }

    /// The place of the value, for whoever offers it on; valid until the transaction ends, or
    /// the value is let go (`releaseDecoded`) or restored.
    @inlinable
    public func address(of slot: Slot<Value>) -> UnsafePointer<Value?> { UnsafePointer(place(of: slot.index)) }

    /// The place of the value, which counts as written.
    @inlinable
    public func mutableAddress(of slot: Slot<Value>) -> UnsafeMutablePointer<Value?> { touched(slot) }

    /// True if the slot has a value, which is not decoded for that.
    @inlinable
    public func hasValue(_ slot: Slot<Value>) -> Bool {
        if let place = decoded.places[slot.index] { return place.pointee != nil }
        return stored.hasBytes(slot.index)
    }

    /// Writes in place; one look-up, however much is changed.
    @inlinable
    public func modify<Result>(_ slot: Slot<Value>, _ body: (inout Value?) -> Result) -> Result {
        body(&touched(slot).pointee)
    }

    /// Calls `body` for each slot with a value: they do not stay decoded.
    ///
    /// - Precondition: nothing of the store is borrowed.
    @inlinable
    public func visit(_ body: (Slot<Value>) -> Void) {
        for slot in slots where hasValue(slot) {
            body(slot)
            releaseDecoded(slot)
        }
    }

    /// Every value that was restored has been read.
    public func noteVisited() { isVisited = true }

    /// Lets values go that this transaction has read alone, where they are many; for whoever goes through all of them
    /// in an order of another store.
    ///
    /// - Precondition: nothing of the store is borrowed.
    @inlinable
    public func releaseManyDecoded() {
        if decoded.count > 2 * (DecodedValues<Value>.keptMax + written.count) { decoded.trim() }
    }

    /// Lets the value go again that was decoded for a visit of its slot, if the transaction has not written it; for
    /// whoever goes through very many of them. It is the one that the processor still has at hand.
    ///
    /// - Precondition: nothing of the value is borrowed.
    @inlinable
    public func releaseDecoded(_ slot: Slot<Value>) {
        if !decoded.areWritten[slot.index] { decoded.remove(slot.index) }
    }

    @inlinable
    func touched(_ slot: Slot<Value>) -> UnsafeMutablePointer<Value?> {
        let index = slot.index
        isCaptured = false
        if !decoded.areWritten[index] {
            decoded.areWritten[index] = true
            written.append(slot)
            activity.written = true
            activity.touched = true
        }
        if let place = decoded.places[index] { return place }
        return stored.hasBytes(index) ? decode(index) : decoded.insert(nil, index)
    }

    @inlinable
    func place(of index: Int) -> UnsafeMutablePointer<Value?> {
        if let place = decoded.places[index] { return place }
        return stored.hasBytes(index) ? decode(index) : decoded.absent
    }

    @inlinable
    func decode(_ index: Int) -> UnsafeMutablePointer<Value?> {
        activity.touched = true
        let place = UnsafeMutablePointer<Value?>.allocate(capacity: 1)
        do throws(CorruptBytes) {
            place.initialize(to: try Self.value(of: stored.bytes(of: index)))
        } catch {
            place.initialize(to: nil)
            note(unreadable: index, error)
        }
        decoded.insert(place, index)
        return place
    }

    /// - Parameter bytes: the number of the format, then the value in it.
    @inlinable
    static func value(of bytes: UnsafeRawBufferPointer) throws(CorruptBytes) -> Value {
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[1...]), format: bytes[0])
        return try Value(from: &reader)
    }
}
