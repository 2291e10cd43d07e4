package import Timelines

/// Writes JSON into one buffer that is used again: keys in the order of the calls, absent fields left out, numbers in
/// their shortest form that reads back as the same number.
///
/// The caller opens and closes objects and arrays in pairs; the writer puts the commas.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(reservingCapacity capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written, keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    // MARK: - Structure

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    /// A key that needs no escapes: those of the contract.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A key that comes from data.
    package mutating func key(named name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Ends a line of JSON lines.
    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    // MARK: - Values

    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func bool(_ value: Bool) { token(value ? "true" : "false") }
    package mutating func null() { token("null") }

    package mutating func integer(_ value: some FixedWidthInteger & SignedInteger) {
        separate()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDigits(UInt64(value.magnitude))
    }

    /// - Precondition: the number is finite; JSON has no other.
    package mutating func number(_ value: Double) {
        precondition(value.isFinite, "JSON has no \(value)")
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return integer(whole) }
        var text = value.description
        // Beyond 2^53 Swift writes whole numbers with a fraction, too.
        if text.hasSuffix(".0") { text.removeLast(2) }
        token(text)
    }

    /// RFC 3339 in UTC, milliseconds only where they are not zero.
    package mutating func instant(_ instant: Instant) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(instant)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func value(_ value: ParameterValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let text): token(text)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members): object(members)
        }
    }

    package mutating func object(_ members: Parameters) {
        beginObject()
        for member in members.members {
            key(named: member.key)
            value(member.value)
        }
        endObject()
    }

    // MARK: - Bytes

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Text that is JSON as it stands.
    private mutating func token(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func appendDigits(_ value: UInt64) {
        if value >= 10 { appendDigits(value / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }

    /// Runs without escapes are copied whole: of real text that is all of it.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in text.indices where Self.needsEscape(text[index]) {
            bytes.append(contentsOf: text[start..<index])
            appendEscape(text[index])
            start = index + 1
        }
        bytes.append(contentsOf: text[start...])
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        let short: StaticString? =
            switch byte {
            case UInt8(ascii: "\""): "\\\""
            case UInt8(ascii: "\\"): "\\\\"
            case 0x08: "\\b"
            case 0x0C: "\\f"
            case 0x0A: "\\n"
            case 0x0D: "\\r"
            case 0x09: "\\t"
            default: nil
            }
        if let short { return short.withUTF8Buffer { bytes.append(contentsOf: $0) } }
        let digits: StaticString = "0123456789abcdef"
        bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
        bytes.append(digits.utf8Start[Int(byte >> 4)])
        bytes.append(digits.utf8Start[Int(byte & 15)])
    }
}
