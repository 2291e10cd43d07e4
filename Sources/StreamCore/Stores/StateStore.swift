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
/// A slot is the number of a key: stable for as long as the task lives here, another after a restore.
///
/// Public, like all that it is made of, because only public generic code is compiled for its values across modules:
/// with
/// `package` a record cost half as much again.
public final class StateStore<Value: StateValue>: ChangelogStore {
    /// The number of its name: the first byte of its keys in the changelog.
    public let id: UInt8
    @usableFromInline var keys = KeyTable()
    @usableFromInline var values: [Value?] = []
    /// The transaction in which a slot was last written.
    @usableFromInline var stamps: [UInt32] = []
    @usableFromInline var transaction: UInt32 = 1
    @usableFromInline var written: [Slot<Value>] = []
    @usableFromInline var before: [Value?] = []
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

    /// Every key that was ever met here, with or without a value.
    @inlinable
    public var slots: Slots<Value> { Slots(count: values.count) }

    /// - Parameter hash: Java's murmur2 of the key.
    /// - Returns: `nil` if the key was never met.
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
        let index = keys.slot(of: key, hash: hash)
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
        var value = ByteWriter(capacity: 256)
        for (index, slot) in written.enumerated() {
            // A key that came and went within the transaction was never in the changelog.
            if values[slot.index] == nil && before[index] == nil { continue }
            key.removeAll()
            key.write(id)
            withKey(of: slot) { key.append($0) }
            value.removeAll()
            values[slot.index]?.encode(into: &value)
            key.bytes.withUnsafeBytes { key in
                value.bytes.withUnsafeBytes { emit(key, values[slot.index] == nil ? nil : $0) }
            }
        }
    }

    public func commit() {
        if !written.isEmpty { commitWritten(self) }
    }

    @inlinable
    func forgetOverlay() {
        written.removeAll(keepingCapacity: true)
        before.removeAll(keepingCapacity: true)
        transaction &+= 1
    }

    public func revert() {
        for (slot, value) in zip(written, before) { values[slot.index] = value }
        commit()
    }

    // MARK: - Restore

    @inlinable
    public func restore(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) throws(CorruptBytes) {
        precondition(written.isEmpty, "Restoring happens before the first transaction.")
        let slot = slot(of: key)
        guard let value else {
            values[slot.index] = nil
            return
        }
        var reader = ByteReader(value)
        values[slot.index] = try Value(from: &reader)
    }
}

/// Takes one record of the changelog; without a value its key has gone.
public typealias ChangelogEmit = (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void

/// The face that a store shows to its task.
public protocol ChangelogStore: AnyObject {
    var id: UInt8 { get }
    var isDirty: Bool { get }
    func capture(_ emit: ChangelogEmit)
    func commit()
    func revert()
    func restore(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) throws(CorruptBytes)
}
