internal import Timelines

extension OutputBuffer {
    /// Appends the content of a JSON string. Runs without escapes are copied whole, and real text rarely has escapes.
    mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
        if !Self.needsEscapes(text) { return append(text) }
        var start = 0
        for index in text.indices where Self.needsEscape(text[index]) {
            append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
            appendEscape(text[index])
            start = index + 1
        }
        append(UnsafeRawBufferPointer(rebasing: text[start...]))
    }

    /// Looks at eight bytes at a time.
    private static func needsEscapes(_ text: UnsafeRawBufferPointer) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        // The highest bit of each byte that is less than `limit`, of bytes and a limit below 128.
        func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word & highs }
        var index = 0
        while index + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            if below(0x20, word) | below(1, quotes) | below(1, backslashes) != 0 { return true }
            index += 8
        }
        while index < text.count {
            if needsEscape(text[index]) { return true }
            index += 1
        }
        return false
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(literal: "\\\"")
        case UInt8(ascii: "\\"): append(literal: "\\\\")
        case 0x08: append(literal: "\\b")
        case 0x0C: append(literal: "\\f")
        case 0x0A: append(literal: "\\n")
        case 0x0D: append(literal: "\\r")
        case 0x09: append(literal: "\\t")
        default:
            // A control character, 00 to 1f.
            append(literal: byte < 16 ? "\\u000" : "\\u001")
            let digit = byte & 15
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Appends a JSON key that needs no escapes, after a comma unless it is the first one.
    mutating func appendKey(_ name: StaticString, isFirst: Bool) {
        append(upTo: name.utf8CodeUnitCount + 4) { start in
            var position = 0
            func put(_ character: Unicode.Scalar) {
                start[position] = UInt8(ascii: character)
                position += 1
            }
            if !isFirst { put(",") }
            put("\"")
            (start + position).update(from: name.utf8Start, count: name.utf8CodeUnitCount)
            position += name.utf8CodeUnitCount
            put("\"")
            put(":")
            return position
        }
    }

    mutating func append(_ instant: Instant) {
        append(upTo: Instant.textRoom) { instant.writeText(to: $0) }
    }

    mutating func append(_ date: LocalDate) {
        append(upTo: LocalDate.textRoom) { date.writeText(to: $0) }
    }
}
