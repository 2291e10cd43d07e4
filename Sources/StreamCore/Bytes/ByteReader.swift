public import RecordLog

/// The bytes are not what `ByteWriter` wrote: a changelog or exchange record of another program, or a damaged one.
public struct CorruptBytes: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// Reads what `ByteWriter` wrote. Borrows the bytes.
///
/// Reading a byte or a number is compiled into its callers: a call, with its way out for errors, would cost more.
public struct ByteReader {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var position = 0
    /// The format in which the bytes were written (`StateFormat`): what a later format added is not there before it.
    public let format: UInt8

    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer, format: UInt8 = 2) {
        self.bytes = bytes
        self.format = format
    }

    @inlinable
    public var isAtEnd: Bool { position == bytes.count }

    /// All that is left.
    @inlinable
    public mutating func rest() -> UnsafeRawBufferPointer {
        defer { position = bytes.count }
        return UnsafeRawBufferPointer(rebasing: bytes[position...])
    }

    @usableFromInline var endsTooEarly: CorruptBytes { CorruptBytes("ends too early, at byte \(position)") }

    @usableFromInline
    func countsTooMuch(_ count: UInt64) -> CorruptBytes {
        CorruptBytes("count \(count) with \(bytes.count - position) bytes left, at byte \(position)")
    }

    @inlinable @inline(__always)
    public mutating func byte() throws(CorruptBytes) -> UInt8 {
        guard position < bytes.count else { throw endsTooEarly }
        defer { position += 1 }
        return bytes[position]
    }

    @inlinable @inline(__always)
    public mutating func bool() throws(CorruptBytes) -> Bool { try byte() != 0 }

    @inlinable @inline(__always)
    public mutating func varint() throws(CorruptBytes) -> UInt64 {
        // Nearly every count.
        if position < bytes.count, bytes[position] < 0x80 { return UInt64(try byte()) }
        return try longVarint()
    }

    @inlinable
    mutating func longVarint() throws(CorruptBytes) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            // The tenth byte has room for one bit.
            guard shift < 63 || (shift == 63 && next <= 1) else {
                throw CorruptBytes("number too long, at byte \(position)")
            }
            value |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    @inlinable @inline(__always)
    public mutating func count() throws(CorruptBytes) -> Int {
        let value = try varint()
        // A count counts things of at least one byte each: a larger one would ask for memory that no record has.
        guard value <= UInt64(bytes.count - position) else {
            throw countsTooMuch(value)
        }
        return Int(value)
    }

    @inlinable @inline(__always)
    public mutating func uint64() throws(CorruptBytes) -> UInt64 {
        guard position + 8 <= bytes.count else { throw endsTooEarly }
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    @inlinable @inline(__always)
    public mutating func int64() throws(CorruptBytes) -> Int64 { Int64(bitPattern: try uint64()) }

    @inlinable
    public mutating func double() throws(CorruptBytes) -> Double { Double(bitPattern: try uint64()) }

    @inlinable @inline(__always)
    public mutating func slice() throws(CorruptBytes) -> UnsafeRawBufferPointer {
        let count = try count()
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    @inlinable
    public mutating func array() throws(CorruptBytes) -> [UInt8] { Array(try slice()) }

    @inlinable
    public mutating func string() throws(CorruptBytes) -> String {
        String(decoding: try slice(), as: UTF8.self)
    }

    @inlinable
    public mutating func optional<Value>(
        _ body: (inout ByteReader) throws(CorruptBytes) -> Value
    ) throws(CorruptBytes) -> Value? {
        try bool() ? try body(&self) : nil
    }

    @inlinable
    public mutating func optionalString() throws(CorruptBytes) -> String? {
        try bool() ? try string() : nil
    }

    @inlinable
    public mutating func optionalInt64() throws(CorruptBytes) -> Int64? {
        try bool() ? try int64() : nil
    }

    @inlinable
    public mutating func optionalDouble() throws(CorruptBytes) -> Double? {
        try bool() ? try double() : nil
    }

    @inlinable
    public mutating func list<Element>(
        _ body: (inout ByteReader) throws(CorruptBytes) -> Element
    ) throws(CorruptBytes) -> [Element] {
        let count = try count()
        var list: [Element] = []
        list.reserveCapacity(count)
        for _ in 0..<count { list.append(try body(&self)) }
        return list
    }
}

extension ByteReader {
    @inlinable
    public mutating func instant() throws(CorruptBytes) -> Instant { Instant(milliseconds: try int64()) }

    @inlinable
    public mutating func optionalInstant() throws(CorruptBytes) -> Instant? { try bool() ? try instant() : nil }
}
