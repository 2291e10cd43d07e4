public import RecordLog

/// Reading the changelog: a value is taken in as it stands there, and decoded when the last record has been read.
///
/// A changelog may have many records of a key. Only the newest counts, so only that one is decoded: when something is
/// derived of it, at the latest in `finishRestore`, which says by its offset what cannot be read.
extension StateStore {
    /// - Parameters:
    ///   - key: without the number of the store.
    ///   - isVersioned: true if the record's key says that its value begins with its format.
    ///   - offset: of the record.
    /// - Throws: if the value is of a format that this release does not know; with `decodesAtOnce` also if it cannot be
    ///   read.
    public func restore(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, isVersioned: Bool = false, offset: Offset = 0
    ) throws(CorruptBytes) {
        try restoreRecord(self, key, value, isVersioned, offset)
    }

    public func restore(_ records: ArraySlice<RecordView>) throws(UnreadableRecord) {
        try restoreRecords(self, records)
    }

    /// The memory of all keys is asked for at once, so that they wait for it together.
    @inlinable
    func takeIn(_ records: ArraySlice<RecordView>) throws(UnreadableRecord) {
        coming.removeAll(keepingCapacity: true)
        for record in records {
            guard let key = record.key, !key.isEmpty else { continue }
            coming.append(Murmur2.hash(UnsafeRawBufferPointer(rebasing: key[1...])))
        }
        prefetch(coming) { restoredFrom.prefetch($0) }
        var next = 0
        for record in records {
            guard let key = record.key, let first = key.first else { continue }
            do throws(CorruptBytes) {
                try takeIn(
                    UnsafeRawBufferPointer(rebasing: key[1...]), hash: coming[next], record.value,
                    isVersioned: first & StateFormat.versionedKey != 0, offset: record.offset)
            } catch {
                throw UnreadableRecord(offset: record.offset, reason: error)
            }
            next += 1
        }
    }

    @inlinable
    func takeIn(
        _ key: UnsafeRawBufferPointer, hash: UInt32, _ value: UnsafeRawBufferPointer?, isVersioned: Bool,
        offset: Offset
    ) throws(CorruptBytes) {
        precondition(written.isEmpty, "Restoring happens before the first transaction.")
        let known = keys.find(key, hash: hash).map { Slot<Value>($0) }
        guard let value else {
            guard let known else { return }
            if isDerived { inChangelog[known] = false }
            // What is said of the key of the format before says nothing of a value that has a version.
            guard isVersioned || unversioned[known] else { return }
            if unversioned[known] { unversioned[known] = false }
            // A key that has gone takes no slot.
            return releaseRestored(known)
        }
        if isVersioned {
            var reader = ByteReader(value)
            try StateFormat.check(try reader.byte())
        }
        let slot = known ?? newSlot(of: key, hash: hash)
        if !isVersioned { unversioned[slot] = true }
        decoded.remove(slot.index)
        stored.replace(slot.index, head: isVersioned ? nil : StateFormat.unversioned, by: value)
        if isDerived { inChangelog[slot] = true }
        restoredFrom[slot] = offset
        if decodesAtOnce { _ = try Self.value(of: stored.bytes(of: slot.index)) }
    }

    /// Takes in a value that follows from what was restored.
    ///
    /// - Precondition: the store's values are derived, and no transaction has written the slot.
    public func derive(_ slot: Slot<Value>, _ value: Value) {
        precondition(isDerived && !decoded.areWritten[slot.index], "What is derived is no part of a transaction.")
        var writer = ByteWriter(format: format)
        writer.write(format)
        value.encode(into: &writer)
        writer.withUnsafeBytes { stored.replace(slot.index, by: $0) }
        decoded.remove(slot.index)
    }

    public func finishRestore(_ portion: inout Int) throws(UnreadableRecord) -> Bool {
        try checkRestored(self, &portion)
    }

    @inlinable
    func checkAll(_ portion: inout Int) throws(UnreadableRecord) -> Bool {
        if !isRestoring { return true }
        // What was derived of all values has decoded all of them.
        if !isVisited {
            while restoreCheck.next(in: self, &portion) != nil {}
            guard restoreCheck.isDone(in: self) else { return false }
        }
        restoredFrom.releaseAll()
        isRestoring = false
        if let unreadable { throw unreadable }
        return true
    }

    /// A value cannot be decoded. While state is restored that is kept for `finishRestore`, and the slot has no value;
    /// of several records the first one is kept.
    @usableFromInline
    func note(unreadable index: Int, _ reason: CorruptBytes) {
        guard isRestoring else {
            preconditionFailure("A value that was written or read before cannot be read: \(reason)")
        }
        let offset = restoredFrom[Slot(index)]
        if unreadable == nil || offset < unreadable!.offset {
            unreadable = UnreadableRecord(offset: offset, reason: reason)
        }
    }
}
