public import RecordLog

/// Takes one record of the changelog; without a value its key has gone.
public typealias ChangelogEmit = (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void

/// The face that a store shows to its task.
public protocol ChangelogStore: AnyObject {
    var id: UInt8 { get }
    /// The name for people.
    var name: String { get }
    /// The format that values are written in.
    var format: UInt8 { get set }
    /// What the open transaction has done to it; always the same object.
    var activity: StoreActivity { get }
    func capture(_ emit: ChangelogEmit)
    func commit()
    func revert()
    /// Gives back the slots of keys that have neither a value nor a hold, once everybody has dealt with the end of the
    /// transaction.
    func releaseVacantSlots()
    /// Lets all decoded values go that the open transaction has not written; each is decoded again when it is needed.
    func trim()
    /// Keys that have a slot.
    var keyCount: Int { get }
    /// Every slot is below it.
    var slotCount: Int { get }
    /// The bytes that committed values take in memory, and the keys of all slots.
    var byteCount: Int { get }
    /// True if each value that is restored is decoded when it comes, for a copy that is restored for hours.
    var decodesAtOnce: Bool { get set }
    /// Takes in records of the changelog. All their keys begin with the same byte: the number of the store, and whether
    /// values begin with their format.
    ///
    /// - Parameter records: in the order of the changelog; some dozens, for the memory of their keys is to fit into the
    ///   nearest cache.
    /// - Throws: if one is not what a task of this release or of one before wrote.
    func restore(_ records: ArraySlice<RecordView>) throws(UnreadableRecord)
    /// Takes in a record of the changelog.
    func restore(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, isVersioned: Bool, offset: Offset
    ) throws(CorruptBytes)
    /// The changelog is read, and what follows from it is derived.
    ///
    /// - Parameter portion: the slots that may still be looked at (`RestoreWalk`).
    /// - Returns: false if it was used up; then the call comes again.
    /// - Throws: if a value that counts cannot be read.
    func finishRestore(_ portion: inout Int) throws(UnreadableRecord) -> Bool
}

extension ChangelogStore {
    /// True if anything was written in this transaction.
    public var isDirty: Bool { activity.isWritten }
}

/// A record of the changelog that no task of this release or of one before wrote.
public struct UnreadableRecord: Error, Hashable, Sendable {
    public let offset: Offset
    public let reason: CorruptBytes

    @inlinable
    init(offset: Offset, reason: CorruptBytes) {
        self.offset = offset
        self.reason = reason
    }
}
