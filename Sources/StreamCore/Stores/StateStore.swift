public import RecordLog

/// A value that a state store keeps and the changelog carries.
public protocol StateValue {
    func encode(into writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws(CorruptBytes)
}

/// A typed state store of one task: byte keys to values, in memory, with an overlay per transaction.
///
/// Within a transaction reads see what was written. The first write to a key in a transaction keeps the value from
/// before, so that `revert` is exact and `commit` costs nothing; the changelog gets each written key once per commit.
/// A slot is the number of a key: stable for as long as the key has a value or is held, another after a restore. A key
/// without either gives its slot back after the transaction, committed or aborted, never within it (R19).
///
/// Public, like all that it is made of, because only public generic code is compiled for its values across modules:
/// with `package` a record cost half as much again.
public final class StateStore<Value: StateValue>: ChangelogStore {
    /// The number of its name: the first byte of its keys in the changelog.
    public let id: UInt8
    /// The format that values are written in (`StateFormat`); the task sets it.
    public var format = StateFormat.unversioned
    /// Slots whose newest record in the changelog has a key of the format without versions.
    @usableFromInline var unversioned = SlotMap<Value, Bool>(absent: false)
    @usableFromInline var keys = KeyTable()
    @usableFromInline var values: [Value?] = []
    /// The transaction in which a slot was last written.
    @usableFromInline var stamps: [UInt32] = []
    @usableFromInline var transaction: UInt32 = 1
    @usableFromInline var written: [Slot<Value>] = []
    @usableFromInline var before: [Value?] = []
    /// Slots that may have neither a value nor a hold: they are looked at after the transaction.
    @usableFromInline var vacant: [Slot<Value>] = []
    /// True if the end of the transaction has something to give back, or to forget: a look that costs nothing.
    @usableFromInline var hasVacant = false
    /// By slot, as far as any was held.
    var holds: [UInt32] = []
    /// The slots that the abort of this transaction put back, each once, for whoever derives something of their values;
    /// empty again when all has been derived.
    public internal(set) var reverted: [Slot<Value>] = []
    /// Is told of slots that were given back, after the transaction: whatever is kept by slot beside the store forgets
    /// them.
    public var onRelease: (ReleasedSlots<Value>) -> Void = { _ in }
    /// `capture` and `commit` as they are compiled for this `Value`. Through the protocol only their generic form can
    /// be called, which is several times slower; this initializer is inlined where the value's type is known.
    @usableFromInline let captureWritten: (StateStore<Value>, ChangelogEmit) -> Void
    @usableFromInline let commitWritten: (StateStore<Value>) -> Void

    @inlinable
    public init(_ name: StoreName<Value>) {
        id = name.number
        captureWritten = { store, emit in store.writeChangelog(emit) }
        commitWritten = { store in store.forgetOverlay() }
    }

    /// Every slot, with or without a value, or a key.
    @inlinable
    public var slots: Slots<Value> { Slots(count: values.count) }

    /// Keys that have a slot.
    public var keyCount: Int { keys.count }

    public var slotCount: Int { values.count }

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
    }

    @usableFromInline
    func newSlot(of key: UnsafeRawBufferPointer, hash: UInt32) -> Slot<Value> {
        let index = keys.add(key, hash: hash)
        if index == values.count {
            values.append(nil)
            stamps.append(0)
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

    @inlinable
    public func key(of slot: Slot<Value>) -> String { withKey(of: slot) { String(decoding: $0, as: UTF8.self) } }

    @inlinable
    public subscript(slot: Slot<Value>) -> Value? {
        _read { yield values[slot.index] }
        _modify {
            touch(slot)
            yield &values[slot.index]
        }
    }

    /// Writes in place; one look-up and one copy for the overlay, however much is changed.
    @inlinable
    public func modify<Result>(_ slot: Slot<Value>, _ body: (inout Value?) -> Result) -> Result {
        touch(slot)
        return body(&values[slot.index])
    }

    /// True if anything was written in this transaction.
    @inlinable
    public var isDirty: Bool { !written.isEmpty }

    @inlinable
    func touch(_ slot: Slot<Value>) {
        if stamps[slot.index] == transaction { return }
        stamps[slot.index] = transaction
        written.append(slot)
        before.append(values[slot.index])
    }

    // MARK: - Transaction

    /// Writes every key that this transaction wrote: its value, or `nil` if it has gone.
    public func capture(_ emit: ChangelogEmit) {
        if !written.isEmpty { captureWritten(self, emit) }
    }

    @inlinable
    func writeChangelog(_ emit: ChangelogEmit) {
        var key = ByteWriter(capacity: 64)
        var value = ByteWriter(capacity: 256, format: format)
        let isVersioned = format != StateFormat.unversioned
        for (index, slot) in written.enumerated() {
            // A key that came and went within the transaction was never in the changelog.
            if values[slot.index] == nil && before[index] == nil { continue }
            if isVersioned && unversioned[slot] { writeTombstone(ofUnversioned: slot, emit) }
            key.removeAll()
            key.write(isVersioned ? id | StateFormat.versionedKey : id)
            withKey(of: slot) { key.append($0) }
            value.removeAll()
            if isVersioned { value.write(format) }
            values[slot.index]?.encode(into: &value)
            key.bytes.withUnsafeBytes { key in
                value.bytes.withUnsafeBytes { emit(key, values[slot.index] == nil ? nil : $0) }
            }
        }
    }

    /// Once for a key: the value of the format before goes as that of this format comes.
    @usableFromInline
    func writeTombstone(ofUnversioned slot: Slot<Value>, _ emit: ChangelogEmit) {
        var key = ByteWriter(capacity: 64)
        key.write(id)
        withKey(of: slot) { key.append($0) }
        key.bytes.withUnsafeBytes { emit($0, nil) }
    }

    public func commit() {
        if written.isEmpty { return }
        if format != StateFormat.unversioned {
            for slot in written where unversioned[slot] { unversioned[slot] = false }
        }
        commitWritten(self)
    }

    @inlinable
    func forgetOverlay() {
        for slot in written where values[slot.index] == nil { note(vacant: slot) }
        written.removeAll(keepingCapacity: true)
        before.removeAll(keepingCapacity: true)
        transaction &+= 1
    }

    public func revert() {
        for (slot, value) in zip(written, before) { values[slot.index] = value }
        reverted = written
        hasVacant = true
        if !written.isEmpty { commitWritten(self) }
    }

    // MARK: - Restore

    /// - Parameters:
    ///   - key: without the number of the store.
    ///   - isVersioned: true if the record's key says that its value begins with its format.
    /// - Throws: if the value cannot be read, or is of a format that this release does not know.
    @inlinable
    public func restore(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, isVersioned: Bool = false
    ) throws(CorruptBytes) {
        precondition(written.isEmpty, "Restoring happens before the first transaction.")
        let hash = Murmur2.hash(key)
        let known = keys.find(key, hash: hash).map { Slot<Value>($0) }
        guard let value else {
            guard let known else { return }
            // What is said of the key of the format before says nothing of a value that has a version.
            guard isVersioned || unversioned[known] else { return }
            unversioned[known] = false
            // A key that has gone takes no slot.
            releaseRestored(known)
            return
        }
        var reader = ByteReader(value)
        if isVersioned {
            let format = try reader.byte()
            try StateFormat.check(format)
            reader = ByteReader(reader.rest(), format: format)
        }
        let restored = try Value(from: &reader)
        let slot = known ?? newSlot(of: key, hash: hash)
        if !isVersioned { unversioned[slot] = true }
        values[slot.index] = restored
    }
}
