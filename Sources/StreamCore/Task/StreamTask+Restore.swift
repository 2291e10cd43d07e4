package import RecordLog

/// The stored form of a task's state: its format, what it says of itself, and how it is read again (R18).
extension StreamTask {
    /// The format that state, messages and claims of this task are written in: that of its state, until
    /// `Topology.stateFormat` raises it; the newest for a task without state.
    package var format: UInt8 { context.format }

    func write(format: UInt8) {
        context.format = format
        for store in orderedStores { store.format = format }
    }

    /// What is written of the state with the positions.
    package var header: StateHeader {
        let restored = positions.header
        return StateHeader(
            format: format, partitions: context.partitions, cluster: terms.cluster ?? restored?.cluster ?? "",
            settings: terms.settings ?? restored?.settings ?? [],
            writers: terms.writers.isEmpty ? restored?.writers ?? [] : terms.writers,
            hasBeginning: beginning != .none, zoneData: terms.zoneData ?? restored?.zoneData ?? "")
    }

    /// From now on a value that cannot be read is said by `restore`, and not when the restore ends.
    package func decodeAtOnce() {
        for store in orderedStores { store.decodesAtOnce = true }
    }

    /// Takes in records of the changelog, in the order in which the changelog has them.
    ///
    /// - Parameter records: some dozens, for the memory of their keys is to fit into the nearest cache.
    /// - Throws: if one is not what a task of this release or of one before wrote.
    package func restore(_ records: ArraySlice<RecordView>) throws(UnreadableRecord) {
        var rest = records
        // A transaction's records of one store stand in a row.
        while let record = rest.first {
            if let first = record.key?.first, let store = store(of: first) {
                let row = rest.prefix { $0.key?.first == first }
                rest = rest.dropFirst(row.count)
                hasState = true
                try store.restore(row)
                continue
            }
            rest = rest.dropFirst()
            guard let key = record.key else { continue }
            do throws(CorruptBytes) {
                try restore(key: key, value: record.value, offset: record.offset)
            } catch {
                throw UnreadableRecord(offset: record.offset, reason: error)
            }
        }
    }

    /// Takes in a record of the changelog, in the order in which the changelog has them.
    ///
    /// - Throws: if it is not what a task of this release or of one before wrote.
    package func restore(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, offset: Offset = 0
    ) throws(CorruptBytes) {
        guard let first = key.first else { throw CorruptBytes("changelog record with an empty key") }
        hasState = true
        if first == Self.beginningKey[0] {
            // Its value is the format that it was written in, which the positions say better.
            beginning = value == nil ? .none : .committed
            return
        }
        if first == 0 {
            guard let value else { return }
            var reader = ByteReader(value)
            try positions.restore(of: context.topology.sources, from: &reader)
            return
        }
        let id = first & ~StateFormat.versionedKey
        guard let store = store(of: first) else { throw CorruptBytes("changelog record of unknown store \(id)") }
        try store.restore(
            key: UnsafeRawBufferPointer(rebasing: key[1...]), value: value, isVersioned: id != first, offset: offset)
    }

    /// True if what was restored lacks its beginning: the topic was deleted and made anew while it was written to, so
    /// the newest positions are in it, and state from before is not.
    package var lacksBeginning: Bool { beginning == .none && positions.header?.hasBeginning == true }

    /// The record of the beginning is written once, with the first positions of a format with versions. Compaction
    /// keeps it: no other record has its key.
    enum Beginning {
        case none
        /// In the transaction that is open.
        case written
        case committed
    }

    static let beginningKey: [UInt8] = [StateFormat.versionedKey]

    func captureBeginning(_ emit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void) {
        guard beginning == .none, format >= StateFormat.versioned else { return }
        beginning = .written
        Self.beginningKey.withUnsafeBytes { key in
            withUnsafeBytes(of: format) { emit(key, $0) }
        }
    }

    /// Begins without state: there is nothing to read.
    package func begin() {
        precondition(!hasState, "A task with state ends its restore.")
        do throws(UnreadableRecord) {
            try finishRestore()
        } catch {
            preconditionFailure("Nothing was read that could be unreadable.")
        }
    }

    /// The changelog is read: from now on the task is written in the format of its state. What follows from the state
    /// is derived, a portion of it in each call (R17).
    ///
    /// - Parameter portion: the slots that may still be looked at (`RestoreWalk`).
    /// - Returns: true if the task may be used; else this call comes again, and no record or message before that.
    /// - Throws: if a value cannot be read; then nothing may be done with the task.
    package func finishRestore(_ portion: inout Int) throws(UnreadableRecord) -> Bool {
        if derivedNodes == nil { beginToDerive() }
        while let node = derivedNodes, node < nodes.count {
            context.node = node
            if let deriving = nodes[node].deriving, !deriving.finishRestore(context, &portion) { return false }
            derivedNodes = node + 1
        }
        for store in orderedStores { guard try store.finishRestore(&portion) else { return false } }
        isRestored = true
        return true
    }

    /// Derives all at once.
    ///
    /// - Throws: as above.
    package func finishRestore() throws(UnreadableRecord) {
        var all = Int.max
        guard try finishRestore(&all) else { preconditionFailure("A portion without an end is never used up.") }
    }

    private func beginToDerive() {
        if hasState {
            // State without a header is of a release that wrote none.
            let found = positions.header?.format ?? StateFormat.unversioned
            write(format: max(found, context.topology.stateFormat ?? found))
        }
        for store in orderedStores { store.releaseVacantSlots() }
        derivedNodes = 0
    }
}
