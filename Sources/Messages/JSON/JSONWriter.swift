package import Timelines

/// Writes JSON into one buffer that is used again: keys in the order of the calls, absent fields left out, numbers in
/// their shortest form that reads back as the same number.
///
/// The caller opens and closes objects and arrays in pairs; the writer puts the commas.
package struct JSONWriter: ~Copyable {
    private var output: OutputBuffer
    private var needsComma = false

    /// - Parameter capacity: the bytes for which memory is reserved; it grows when they are used up.
    package init(reservingCapacity capacity: Int = 1024) {
        output = OutputBuffer(capacity: capacity)
    }

    /// Forgets what was written, keeps the memory.
    package mutating func removeAll() {
        output.removeAll()
        needsComma = false
    }

    /// The number of bytes that were written.
    package var count: Int { output.count }

    /// Lends what was written.
    package borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(output.bytes)
    }

    /// A copy of what was written.
    package var bytes: [UInt8] { Array(output.bytes) }

    /// The text of one JSON object, the fields of which `write` writes.
    package static func object(_ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.beginObject()
        write(&json)
        json.endObject()
        return json.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: - Structure

    // Objects and arrays are opened and closed in pairs; the writer does not check it.

    package mutating func beginObject() { begin("{") }
    package mutating func endObject() { end("}") }
    package mutating func beginArray() { begin("[") }
    package mutating func endArray() { end("]") }

    /// Writes a key that needs no escapes, as those of the contract do not.
    package mutating func key(_ name: StaticString) {
        output.appendKey(name, isFirst: !needsComma)
        needsComma = false
    }

    /// Writes a key that comes from data, with escapes.
    package mutating func key(named name: String) {
        string(name)
        output.append(ascii: ":")
        needsComma = false
    }

    /// Writes the end of a line, for JSON lines.
    package mutating func newline() {
        output.append(ascii: "\n")
        needsComma = false
    }

    private mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        output.append(ascii: bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        output.append(ascii: bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { output.append(ascii: ",") }
        needsComma = true
    }

    // MARK: - Values

    /// Writes a text in quotes, with the escapes that JSON requires.
    package mutating func string(_ text: String) {
        separate()
        output.append(ascii: "\"")
        var text = text
        text.withUTF8 { output.appendEscaped(UnsafeRawBufferPointer($0)) }
        output.append(ascii: "\"")
    }

    package mutating func bool(_ value: Bool) {
        separate()
        output.append(literal: value ? "true" : "false")
    }

    package mutating func null() {
        separate()
        output.append(literal: "null")
    }

    package mutating func integer(_ value: some FixedWidthInteger & SignedInteger) {
        separate()
        output.appendDecimal(value)
    }

    /// Writes a number in its shortest form that reads back as the same number.
    ///
    /// - Precondition: the number is finite, for JSON has no other.
    package mutating func number(_ value: Double) {
        precondition(value.isFinite, "JSON has no \(value)")
        separate()
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return output.appendDecimal(whole) }
        if output.append(fraction: value) { return }
        var text = value.description
        // Swift writes whole numbers from 2^53 on with a fraction.
        if value.magnitude >= 0x1p53, text.hasSuffix(".0") { text.removeLast(2) }
        output.append(text)
    }

    /// Writes an instant as RFC 3339 in UTC, with milliseconds only if they are not zero.
    package mutating func instant(_ instant: Instant) {
        separate()
        output.append(ascii: "\"")
        output.append(instant)
        output.append(ascii: "\"")
    }

    /// Writes a date as ISO 8601: `"2026-11-20"`.
    package mutating func date(_ date: LocalDate) {
        separate()
        output.append(ascii: "\"")
        output.append(date)
        output.append(ascii: "\"")
    }

    /// Writes any value; numbers keep the text that they were read with.
    package mutating func value(_ value: ParameterValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let text):
            separate()
            output.append(text)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members): object(members)
        }
    }

    /// Writes bytes that are one JSON value already.
    package mutating func raw(_ json: UnsafeRawBufferPointer) {
        separate()
        output.append(json)
    }

    /// Writes a value once more that is among what was written.
    ///
    /// - Parameter text: the place of the value.
    mutating func again(_ text: Range<Int>) {
        separate()
        output.append(copyOf: text)
    }

    package mutating func object(_ members: Parameters) {
        beginObject()
        for member in members.members {
            key(named: member.key)
            value(member.value)
        }
        endObject()
    }
}
