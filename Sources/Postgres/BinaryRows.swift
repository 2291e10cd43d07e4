/// Rows in the binary form of COPY, which has no characters to escape.
package struct BinaryRows {
    package private(set) var bytes: [UInt8]
    private let columns: Int16

    /// - Parameter columns: the number of values of each row.
    package init(columns: Int) {
        self.columns = Int16(columns)
        bytes = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0]
        // No flags, and no further header.
        append(Int32(0))
        append(Int32(0))
    }

    /// Begins a row; so many values follow as there are columns.
    package mutating func beginRow() { append(columns) }

    /// Ends the rows.
    package mutating func end() { append(Int16(-1)) }

    package mutating func null() { append(Int32(-1)) }

    package mutating func integer(_ value: Int32) {
        append(Int32(4))
        append(value)
    }

    package mutating func integer(_ value: Int64) {
        append(Int32(8))
        append(value)
    }

    /// - Parameter text: UTF-8 without a zero.
    package mutating func text(_ text: some Collection<UInt8>) {
        append(Int32(text.count))
        bytes.append(contentsOf: text)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
