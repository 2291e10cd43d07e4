public import RecordLog

/// Writes the internal binary form: state in the changelog, messages in the exchange. Little endian; counts as varints.
///
/// It owns its memory, which grows. An array would ask at every byte whether it is shared.
public struct ByteWriter: ~Copyable {
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var end = 0
    @usableFromInline var formatNumber: UInt8
    /// The number of bytes that were written.
    @inlinable public var count: Int { end }
    /// The format that is written (`StateFormat`): a reader of an earlier one knows nothing that a later one adds.
    @inlinable public var format: UInt8 { formatNumber }

    @inlinable
    public init(capacity: Int = 64, format: UInt8 = 2) {
        formatNumber = format
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
    }

    @inlinable
    deinit { start.deallocate() }

    /// A copy of what was written.
    public var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: start, count: end)) }

    /// Lends what was written.
    @inlinable
    public borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: end))
    }

    /// Forgets what was written, and keeps the memory.
    @inlinable
    public mutating func removeAll() { end = 0 }

    /// Forgets what was written, to write another format. More memory than `kept` bytes is given back.
    @usableFromInline
    mutating func removeAll(format: UInt8, keepingCapacity kept: Int = .max) {
        if capacity > kept { self = ByteWriter() }
        formatNumber = format
        end = 0
    }

    @inlinable @inline(__always)
    mutating func reserve(_ more: Int) {
        if end + more > capacity { grow(more) }
    }

    @usableFromInline
    mutating func grow(_ more: Int) {
        capacity = max(2 * capacity, end + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        moved.moveInitialize(from: start, count: end)
        start.deallocate()
        start = moved
    }

    @inlinable @inline(__always)
    public mutating func write(_ value: UInt8) {
        reserve(1)
        start[end] = value
        end += 1
    }

    @inlinable @inline(__always)
    public mutating func write(_ value: Bool) { write(value ? 1 : 0 as UInt8) }

    /// LEB128.
    @inlinable @inline(__always)
    public mutating func write(varint value: UInt64) {
        // Nearly every count.
        if value < 0x80 { return write(UInt8(truncatingIfNeeded: value)) }
        write(longVarint: value)
    }

    @inlinable
    mutating func write(longVarint value: UInt64) {
        reserve(10)
        var value = value
        while value >= 0x80 {
            start[end] = UInt8(truncatingIfNeeded: value) | 0x80
            end += 1
            value >>= 7
        }
        start[end] = UInt8(truncatingIfNeeded: value)
        end += 1
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
        value.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    @inlinable
    public mutating func write(_ value: [UInt8]) {
        value.withUnsafeBytes { write($0) }
    }

    @inlinable
    public mutating func write(_ value: UnsafeRawBufferPointer) {
        write(count: value.count)
        append(value)
    }

    /// Bytes without a count before them.
    @inlinable
    public mutating func append(_ value: UnsafeRawBufferPointer) {
        guard let source = value.baseAddress else { return }
        reserve(value.count)
        UnsafeMutableRawPointer(start + end).copyMemory(from: source, byteCount: value.count)
        end += value.count
    }

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
        reserve(8)
        UnsafeMutableRawPointer(start + end).storeBytes(of: value.littleEndian, as: UInt64.self)
        end += 8
    }
}

extension ByteWriter {
    /// Writes the milliseconds since 1970, eight bytes.
    @inlinable
    public mutating func write(_ instant: Instant) { write(instant.milliseconds) }

    @inlinable
    public mutating func write(optional instant: Instant?) { write(optional: instant) { $0.write($1) } }
}
