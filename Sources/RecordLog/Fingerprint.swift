/// What is known of the last record that was read before a position, so that another record at its place is noticed:
/// the topic was deleted and made again, or is another cluster's.
package struct Fingerprint: Hashable, Sendable {
    package var offset: Offset
    package var timestamp: Instant
    /// A hash of key and value.
    package var hash: UInt64

    package init(offset: Offset, timestamp: Instant, hash: UInt64) {
        self.offset = offset
        self.timestamp = timestamp
        self.hash = hash
    }

    package init(_ record: RecordView) {
        self.init(
            offset: record.offset, timestamp: record.timestamp, hash: ContentHash.of(key: record.key, record.value))
    }

    package init(_ record: Record) {
        self.init(
            offset: record.offset, timestamp: record.timestamp, hash: ContentHash.of(key: record.key, record.value))
    }
}

/// A 64-bit hash that is the same in every process, on every machine and in every release: eight bytes at a time, each
/// word multiplied into what came before. It is no protection against anybody who wants two equal ones.
package enum ContentHash {
    private static let multiplier: UInt64 = 0x9e37_79b9_7f4a_7c15

    package static func of(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { finished(mix($0, into: multiplier)) }
    }

    /// A missing key and an empty one differ, and so do a tombstone and an empty value.
    package static func of(key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) -> UInt64 {
        finished(mix(value, into: mix(key, into: multiplier)))
    }

    package static func of(key: [UInt8]?, _ value: [UInt8]?) -> UInt64 {
        withBytes(key) { key in withBytes(value) { value in of(key: key, value) } }
    }

    private static func withBytes(_ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> UInt64) -> UInt64 {
        guard let bytes else { return body(nil) }
        return bytes.withUnsafeBytes { body($0) }
    }

    private static func mix(_ bytes: UnsafeRawBufferPointer?, into hash: UInt64) -> UInt64 {
        guard let bytes else { return add(.max, to: hash) }
        var hash = add(UInt64(bytes.count), to: hash)
        let words = bytes.count / 8
        for word in 0..<words {
            hash = add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)), to: hash)
        }
        var rest: UInt64 = 0
        for index in (words * 8)..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
        return add(rest, to: hash)
    }

    private static func add(_ word: UInt64, to hash: UInt64) -> UInt64 {
        let mixed = (hash ^ word) &* multiplier
        return mixed ^ mixed >> 29
    }

    private static func finished(_ hash: UInt64) -> UInt64 {
        let mixed = (hash ^ hash >> 32) &* 0xd6e8_feb8_6659_fd93
        return mixed ^ mixed >> 32
    }
}
