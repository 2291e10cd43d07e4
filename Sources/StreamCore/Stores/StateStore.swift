public import RecordLog

/// A value that a state store keeps and the changelog carries.
public protocol StateValue {
    func encode(into writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws(CorruptBytes)
}

/// A typed state store of one task: byte keys to values, in memory, with an overlay per transaction.
///
/// A value lives in its stored form, as the changelog has it, and is decoded when somebody asks for it (`SlotBytes`,
/// `DecodedValues`). So a value costs as many bytes as it says something, a restore keeps what it reads, and what a
/// transaction writes is what a restart would read, or derive (`isDerived`). Within a transaction reads see what was
/// written. The bytes of a slot change with the commit, so that `revert` is exact: it forgets what was decoded. The
/// changelog gets each written key once per commit. A slot is the number of a key: stable for as long as the key has a
/// value or is held, another after a restore. A key without either gives its slot back after the transaction, committed
/// or aborted, never within it (R19).
///
/// Public, like all that it is made of, because only public generic code is compiled for its values across modules:
/// with `package` a record cost half as much again.
public final class StateStore<Value: StateValue>: ChangelogStore {
    /// The number of its name: the first byte of its keys in the changelog.
    public let id: UInt8
    public let name: String
    /// True if the values follow from those of another store: from format 4 on the changelog gets none of them, but for
    /// keys that it has already.
    public let isDerived: Bool
    /// Slots of derived values whose key may be in the changelog.
    @usableFromInline var inChangelog = SlotMap<Value, Bool>(absent: false)
    /// The format that values are written in (`StateFormat`); the task sets it.
    public var format = StateFormat.unversioned
    public let activity = StoreActivity()
    /// Slots whose newest record in the changelog has a key of the format without versions.
    @usableFromInline var unversioned = SlotMap<Value, Bool>(absent: false)
    @usableFromInline var keys = KeyTable()
    /// The committed values: the number of the format, then the value in it.
    @usableFromInline var stored = SlotBytes()
    @usableFromInline var decoded = DecodedValues<Value>()
    /// The slots that this transaction wrote, in the order of their first write.
    @usableFromInline var written: [Slot<Value>] = []
    /// The stored form of what was written, one behind the other, as it was captured last.
    @usableFromInline var captured = ByteWriter()
    /// The end of each in `captured`.
    @usableFromInline var capturedEnds: [Int] = []
    /// Nothing was written since.
    @usableFromInline var isCaptured = false
    /// Slots that may have neither a value nor a hold: they are looked at after the transaction.
    @usableFromInline var vacant: [Slot<Value>] = []
    /// True if the end of the transaction has something to give back, or to forget: a look that costs nothing.
    @usableFromInline var hasVacant = false
    /// By slot, as far as any was held.
    @usableFromInline var holds: [UInt32] = []
    /// The slots that the abort of this transaction put back, each once, for whoever derives something of their values;
    /// empty again when all has been derived.
    public var reverted: [Slot<Value>] { revertedSlots }
    @usableFromInline var revertedSlots: [Slot<Value>] = []
    /// Is told of slots that were given back, after the transaction: whatever is kept by slot beside the store forgets
    /// them.
    public var onRelease: (ReleasedSlots<Value>) -> Void = { _ in }
    /// `capture`, `commit` and the like as they are compiled for this `Value`. Through the protocol only their generic
    /// form can be called, which is several times slower; this initializer is inlined where the value's type is known.
    @usableFromInline let captureWritten: (StateStore<Value>, ChangelogEmit) -> Void
    @usableFromInline let commitWritten: (StateStore<Value>) -> Void
    @usableFromInline let trimDecoded: (StateStore<Value>, Int) -> Void
    @usableFromInline
    let restoreRecord:
        (StateStore<Value>, UnsafeRawBufferPointer, UnsafeRawBufferPointer?, Bool, Offset) throws(CorruptBytes) -> Void
    @usableFromInline let releaseVacant: (StateStore<Value>) -> Void
    @usableFromInline
    let restoreRecords: (StateStore<Value>, ArraySlice<RecordView>) throws(UnreadableRecord) -> Void
    @usableFromInline
    let checkRestored: (StateStore<Value>, inout Int) throws(UnreadableRecord) -> Bool
    /// Until `finishRestore` values come from the changelog, and are decoded for the first time.
    @usableFromInline var isRestoring = true
    public var decodesAtOnce = false
    /// All values were decoded since.
    @usableFromInline var isVisited = false
    /// Decodes what nobody has derived anything of.
    @usableFromInline var restoreCheck = RestoreWalk<Value>()
    /// The record that each value was restored from, while state is restored.
    @usableFromInline var restoredFrom = SlotMap<Value, Offset>(absent: 0)
    @usableFromInline var unreadable: UnreadableRecord?
    /// The hashes of the keys that a restore is about to take in.
    @usableFromInline var coming: [UInt32] = []

    @inlinable
    public init(_ name: StoreName<Value>, isDerived: Bool = false) {
        self.isDerived = isDerived
        id = name.number
        self.name = name.name
        captureWritten = { store, emit in store.writeChangelog(emit) }
        commitWritten = { store in store.store() }
        trimDecoded = { store, kept in store.decoded.trim(to: kept) }
        restoreRecord = { store, key, value, isVersioned, offset throws(CorruptBytes) in
            try store.takeIn(key, hash: Murmur2.hash(key), value, isVersioned: isVersioned, offset: offset)
        }
        releaseVacant = { store in store.giveBackVacantSlots() }
        restoreRecords = { store, records throws(UnreadableRecord) in try store.takeIn(records) }
        checkRestored = { store, portion throws(UnreadableRecord) in try store.checkAll(&portion) }
    }

    /// Every slot, with or without a value, or a key.
    @inlinable
    public var slots: Slots<Value> { Slots(count: stored.count) }

    /// Keys that have a slot.
    public var keyCount: Int { keys.count }

    public var slotCount: Int { stored.count }

    /// Values that are decoded beside their stored form.
    package var decodedCount: Int { decoded.count }

    /// - Parameter hash: Java's murmur2 of the key.
    /// - Returns: `nil` if the key has no slot.
    @inlinable
    public func find(_ key: UnsafeRawBufferPointer, hash: UInt32) -> Slot<Value>? {
        keys.find(key, hash: hash).map { Slot($0) }
    }

    @inlinable
    public func find(_ key: UnsafeRawBufferPointer) -> Slot<Value>? { find(key, hash: Murmur2.hash(key)) }

    @inlinable
    public func find(_ key: String) -> Slot<Value>? {
        var key = key
        return key.withUTF8 { find(UnsafeRawBufferPointer($0)) }
    }

    /// The key's slot, made if need be; a new slot has no value yet, and having a slot is not state.
    @inlinable
    public func slot(of key: UnsafeRawBufferPointer, hash: UInt32) -> Slot<Value> {
        if let index = keys.find(key, hash: hash) { return Slot(index) }
        let slot = newSlot(of: key, hash: hash)
        note(vacant: slot)
        return slot
    }

    @inlinable
    func note(vacant slot: Slot<Value>) {
        vacant.append(slot)
        hasVacant = true
        activity.touched = true
    }

    @inlinable
    func newSlot(of key: UnsafeRawBufferPointer, hash: UInt32) -> Slot<Value> {
        let index = keys.add(key, hash: hash)
        if index == stored.count {
            stored.append()
            decoded.append()
        }
        return Slot(index)
    }

    @inlinable
    public func slot(of key: UnsafeRawBufferPointer) -> Slot<Value> { slot(of: key, hash: Murmur2.hash(key)) }

    @inlinable
    public func slot(of key: String) -> Slot<Value> {
        var key = key
        return key.withUTF8 { slot(of: UnsafeRawBufferPointer($0)) }
    }

    @inlinable
    public func withKey<Result>(of slot: Slot<Value>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        keys.withKey(of: slot.index, body)
    }

    /// Java's murmur2 of the slot's key.
    @inlinable
    public func hash(of slot: Slot<Value>) -> UInt32 { keys.hash(of: slot.index) }

    @inlinable
    public func key(of slot: Slot<Value>) -> String { withKey(of: slot) { String(decoding: $0, as: UTF8.self) } }

    // MARK: - Transaction

    public func commit() {
        commitWritten(self)
    }

    /// What was captured is what is stored.
    @inlinable
    func store() {
        if written.isEmpty { return }
        if format != StateFormat.unversioned {
            for slot in written where unversioned[slot] { unversioned[slot] = false }
        }
        if !isCaptured { captureValues() }
        captured.withUnsafeBytes { captured in
            var start = 0
            for (number, (slot, end)) in zip(written, capturedEnds).enumerated() {
                prefetchStored(after: number)
                if start == end {
                    stored.remove(slot.index)
                    decoded.remove(slot.index)
                    note(vacant: slot)
                } else {
                    stored.replace(slot.index, by: UnsafeRawBufferPointer(rebasing: captured[start..<end]))
                    decoded.areWritten[slot.index] = false
                }
                start = end
            }
        }
        forgetWritten()
    }

    @inlinable
    func forgetWritten() {
        written.removeAll(keepingCapacity: true)
        activity.written = false
        isCaptured = false
        captured.removeAll(format: format, keepingCapacity: Self.capturedKept)
        capturedEnds.removeAll(keepingCapacity: capturedEnds.capacity < Self.capturedKept / 8)
    }

    /// A transaction that wrote more gives the memory back.
    @usableFromInline static var capturedKept: Int { 1 << 20 }

    public func revert() {
        revertedSlots = written
        hasVacant = true
        activity.touched = true
        for slot in written {
            decoded.remove(slot.index)
            if !stored.hasBytes(slot.index) { note(vacant: slot) }
        }
        forgetWritten()
    }
}
