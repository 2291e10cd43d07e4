public import RecordLog

/// Reading the changelog: a value is taken in as it stands there.
extension StateStore {
    /// - Parameters:
    ///   - key: without the number of the store.
    ///   - isVersioned: true if the record's key says that its value begins with its format.
    /// - Throws: if the value cannot be read, or is of a format that this release does not know.
    public func restore(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, isVersioned: Bool = false
    ) throws(CorruptBytes) {
        precondition(written.isEmpty, "Restoring happens before the first transaction.")
        try restoreRecord(self, key, value, isVersioned)
    }

    @inlinable
    func takeIn(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, isVersioned: Bool
    ) throws(CorruptBytes) {
        let hash = Murmur2.hash(key)
        let known = keys.find(key, hash: hash).map { Slot<Value>($0) }
        guard let value else {
            guard let known else { return }
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
        // What cannot be read is said here, by name, and not when somebody asks for it.
        _ = try Self.value(of: stored.bytes(of: slot.index))
    }
}
