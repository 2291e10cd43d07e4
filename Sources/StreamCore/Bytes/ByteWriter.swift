public import RecordLog

/// Writes the internal binary form: state in the changelog, messages in the exchange. Little endian; counts as varints.
public struct ByteWriter {
    @usableFromInline var storage: [UInt8]
    @inlinable public var bytes: [UInt8] { storage }
    /// The format that is written (`StateFormat`): a reader of an earlier one knows nothing that a later one adds.
    public let format: UInt8

    @inlinable
    public init(capacity: Int = 0, format: UInt8 = 2) {
        self.format = format
        storage = []
        storage.reserveCapacity(capacity)
    }

    /// Writes into the memory of bytes that are not needed any more, which are empty after that.
    @inlinable
    init(reusing bytes: inout [UInt8], format: UInt8) {
        self.format = format
        storage = []
        swap(&storage, &bytes)
        storage.removeAll(keepingCapacity: true)
    }

    /// Takes the bytes away, with their memory.
    @inlinable
    mutating func takeBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        swap(&storage, &bytes)
        return bytes
    }

    @inlinable
    public mutating func removeAll() { storage.removeAll(keepingCapacity: true) }

    @inlinable
    public mutating func write(_ value: UInt8) { storage.append(value) }

    @inlinable
    public mutating func write(_ value: Bool) { storage.append(value ? 1 : 0) }

    /// LEB128.
    @inlinable
    public mutating func write(varint value: UInt64) {
        var value = value
        while value >= 0x80 {
            storage.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        storage.append(UInt8(truncatingIfNeeded: value))
    }

    @inlinable
    public mutating func write(count: Int) { write(varint: UInt64(count)) }

    @inlinable
    public mutating func write(_ value: Int64) { write(fixed: UInt64(bitPattern: value)) }

    @inlinable
    public mutating func write(_ value: UInt64) { write(fixed: value) }

    @inlinable
    public mutating func write(_ value: Double) { write(fixed: value.bitPattern) }

    @inlinable
    public mutating func write(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            write(count: utf8.count)
            storage.append(contentsOf: utf8)
        }
    }

    @inlinable
    public mutating func write(_ value: [UInt8]) {
        write(count: value.count)
        storage.append(contentsOf: value)
    }

    @inlinable
    public mutating func write(_ value: UnsafeRawBufferPointer) {
        write(count: value.count)
        storage.append(contentsOf: value)
    }

    /// Bytes without a count before them.
    @inlinable
    public mutating func append(_ value: UnsafeRawBufferPointer) { storage.append(contentsOf: value) }

    /// One byte that says whether there is a value, then the value.
    @inlinable
    public mutating func write<Value>(optional value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    @inlinable
    public mutating func write(optional value: String?) { write(optional: value) { $0.write($1) } }
    @inlinable
    public mutating func write(optional value: Int64?) { write(optional: value) { $0.write($1) } }
    @inlinable
    public mutating func write(optional value: Double?) { write(optional: value) { $0.write($1) } }

    @inlinable
    public mutating func write<Element>(list: [Element], _ body: (inout ByteWriter, Element) -> Void) {
        write(count: list.count)
        for element in list { body(&self, element) }
    }

    @inlinable
    mutating func write(fixed value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { storage.append(contentsOf: $0) }
    }
}

extension ByteWriter {
    /// Writes the milliseconds since 1970, eight bytes.
    @inlinable
    public mutating func write(_ instant: Instant) { write(instant.milliseconds) }

    @inlinable
    public mutating func write(optional instant: Instant?) { write(optional: instant) { $0.write($1) } }
}
