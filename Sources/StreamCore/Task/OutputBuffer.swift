package import RecordLog

/// The records that tasks wrote and the producer does not have yet, in order. Their bytes lie in one arena.
package struct OutputBuffer {
    package struct Entry {
        package var topic: String
        /// `nil` if the key decides.
        package var partition: Partition?
        package var key: Range<Int>?
        package var value: Range<Int>?
        package var headers: [Header]
    }

    package private(set) var entries: [Entry] = []
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    package mutating func append(
        topic: String, partition: Partition?, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?,
        headers: [Header] = []
    ) {
        entries.append(
            Entry(topic: topic, partition: partition, key: store(key), value: store(value), headers: headers))
    }

    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Gives back the room that is kept for more, where nothing is held.
    package mutating func trim() {
        if isEmpty { (entries, bytes) = ([], []) }
    }

    /// Calls `body` for each entry with its bytes; nil is a missing key, or a tombstone.
    package func forEach<Failure: Error>(
        _ body: (Entry, _ key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) throws(Failure) -> Void
    ) throws(Failure) {
        for entry in entries {
            let result: Result<Void, Failure> = bytes.withUnsafeBytes { arena in
                let key = entry.key.map { UnsafeRawBufferPointer(rebasing: arena[$0]) }
                let value = entry.value.map { UnsafeRawBufferPointer(rebasing: arena[$0]) }
                do throws(Failure) { return .success(try body(entry, key, value)) } catch { return .failure(error) }
            }
            try result.get()
        }
    }

    private mutating func store(_ data: UnsafeRawBufferPointer?) -> Range<Int>? {
        guard let data else { return nil }
        let start = bytes.count
        bytes.append(contentsOf: data)
        return start..<bytes.count
    }
}
