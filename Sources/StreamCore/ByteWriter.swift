/// Writes the internal binary form: state in the changelog, messages in the exchange. Little endian; counts as varints.
package struct ByteWriter {
    package private(set) var bytes: [UInt8]

    package init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    package mutating func write(_ value: UInt8) { bytes.append(value) }

    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// LEB128.
    package mutating func write(varint value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    package mutating func write(count: Int) { write(varint: UInt64(count)) }

    package mutating func write(_ value: Int64) { write(fixed: UInt64(bitPattern: value)) }

    package mutating func write(_ value: UInt64) { write(fixed: value) }

    package mutating func write(_ value: Double) { write(fixed: value.bitPattern) }

    package mutating func write(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            write(count: utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    package mutating func write(_ value: [UInt8]) {
        write(count: value.count)
        bytes.append(contentsOf: value)
    }

    package mutating func write(_ value: UnsafeRawBufferPointer) {
        write(count: value.count)
        bytes.append(contentsOf: value)
    }

    /// Bytes without a count before them.
    package mutating func append(_ value: UnsafeRawBufferPointer) { bytes.append(contentsOf: value) }

    /// One byte that says whether there is a value, then the value.
    package mutating func write<Value>(optional value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    package mutating func write(optional value: String?) { write(optional: value) { $0.write($1) } }
    package mutating func write(optional value: Int64?) { write(optional: value) { $0.write($1) } }
    package mutating func write(optional value: Double?) { write(optional: value) { $0.write($1) } }

    package mutating func write<Element>(list: [Element], _ body: (inout ByteWriter, Element) -> Void) {
        write(count: list.count)
        for element in list { body(&self, element) }
    }

    private mutating func write(fixed value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
