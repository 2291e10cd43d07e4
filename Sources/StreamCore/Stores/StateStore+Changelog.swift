/// What a transaction wrote, as the changelog gets it.
extension StateStore {
    /// Writes every key that this transaction wrote: its value, or `nil` if it has gone. Of what is derived nothing
    /// (`isDerived`).
    public func capture(_ emit: ChangelogEmit) {
        if !written.isEmpty { captureWritten(self, emit) }
    }

    @inlinable
    func writeChangelog(_ emit: ChangelogEmit) {
        captureValues()
        var key = ByteWriter()
        let isVersioned = format != StateFormat.unversioned
        captured.withUnsafeBytes { captured in
            var start = 0
            for (slot, end) in zip(written, capturedEnds) {
                defer { start = end }
                // A key that came and went within the transaction was never in the changelog.
                if start == end && !stored.hasBytes(slot.index) { continue }
                if isDerived && format >= StateFormat.derived && !inChangelog[slot] { continue }
                if isVersioned && unversioned[slot] { writeTombstone(ofUnversioned: slot, emit) }
                key.removeAll()
                key.write(isVersioned ? id | StateFormat.versionedKey : id)
                withKey(of: slot) { key.append($0) }
                // The number of the format is part of versioned values alone.
                let value = captured[(isVersioned ? start : min(start + 1, end))..<end]
                key.withUnsafeBytes { key in
                    emit(key, start == end ? nil : UnsafeRawBufferPointer(rebasing: value))
                }
            }
        }
    }

    /// Encodes all that was written.
    @inlinable
    func captureValues() {
        captured.removeAll(format: format)
        capturedEnds.removeAll(keepingCapacity: true)
        for (number, slot) in written.enumerated() {
            prefetchWritten(after: number)
            if number == Self.sample { reserveCapture() }
            guard let place = decoded.places[slot.index] else { preconditionFailure("What was written is decoded.") }
            // Read where it is, the value would be copied, with a reference to each of its parts.
            if let value = place.move() {
                captured.write(format)
                value.encode(into: &captured)
                place.initialize(to: consume value)
            } else {
                place.initialize(to: nil)
            }
            capturedEnds.append(captured.count)
        }
        isCaptured = true
    }

    /// Makes room for all that was written, which is much: by doubling, each byte would be moved into memory that
    /// nobody has touched yet.
    @inlinable
    func reserveCapture() {
        let each = captured.count / Self.sample + 1
        let expected = (written.count - Self.sample) * (each + each / 8)
        // The first ones may be the largest by far.
        captured.reserve(min(expected, max(4 * captured.count, 64 << 20)))
    }

    /// So many values say how large the others are.
    @usableFromInline static var sample: Int { 256 }

    /// Once for a key: the value of the format before goes as that of this format comes.
    @usableFromInline
    func writeTombstone(ofUnversioned slot: Slot<Value>, _ emit: ChangelogEmit) {
        var key = ByteWriter()
        key.write(id)
        withKey(of: slot) { key.append($0) }
        key.withUnsafeBytes { emit($0, nil) }
    }
}
