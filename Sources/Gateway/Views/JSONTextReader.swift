/// Goes over JSON text from front to back (RFC 8259).
struct JSONTextReader {
    private let bytes: UnsafeRawBufferPointer
    private var position: Int

    private static let depthMaximum = 128

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The next byte that is no white space; `nil` at the end.
    var peek: UInt8? {
        mutating get {
            while position < bytes.count {
                switch bytes[position] {
                case 0x20, 0x09, 0x0a, 0x0d: position += 1
                case let byte: return byte
                }
            }
            return nil
        }
    }

    var isAtEnd: Bool {
        mutating get { peek == nil }
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    /// Skips a value and returns its place; `nil` if there is none.
    mutating func value() -> Range<Int>? {
        guard peek != nil else { return nil }
        let start = position
        return skipValue(depth: 0) ? start..<position : nil
    }

    mutating func skipValue(depth: Int) -> Bool {
        guard depth <= Self.depthMaximum, let byte = peek else { return false }
        switch byte {
        case UInt8(ascii: "{"): return skipObject(depth: depth)
        case UInt8(ascii: "["): return skipArray(depth: depth)
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "t"): return skip("true")
        case UInt8(ascii: "f"): return skip("false")
        case UInt8(ascii: "n"): return skip("null")
        default: return skipNumber()
        }
    }

    private mutating func skipObject(depth: Int) -> Bool {
        position += 1
        if take("}") { return true }
        repeat {
            guard peek == UInt8(ascii: "\""), skipString(), take(":"), skipValue(depth: depth + 1) else { return false }
        } while take(",")
        return take("}")
    }

    private mutating func skipArray(depth: Int) -> Bool {
        position += 1
        if take("]") { return true }
        repeat {
            guard skipValue(depth: depth + 1) else { return false }
        } while take(",")
        return take("]")
    }

    private mutating func skip(_ literal: StaticString) -> Bool {
        guard position + literal.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<literal.utf8CodeUnitCount where bytes[position + index] != literal.utf8Start[index] {
            return false
        }
        position += literal.utf8CodeUnitCount
        return true
    }

    private mutating func skipString() -> Bool {
        position += 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return true
            case UInt8(ascii: "\\"):
                guard skipEscape() else { return false }
            case 0..<0x20: return false
            default: position += 1
            }
        }
        return false
    }

    private mutating func skipEscape() -> Bool {
        guard position + 1 < bytes.count else { return false }
        switch Unicode.Scalar(bytes[position + 1]) {
        case "\"", "\\", "/", "b", "f", "n", "r", "t":
            position += 2
            return true
        case "u":
            guard position + 6 <= bytes.count else { return false }
            let digits = bytes[position + 2..<position + 6]
            position += 6
            return digits.allSatisfy { Self.hexadecimal($0) != nil }
        default: return false
        }
    }

    private mutating func skipNumber() -> Bool {
        _ = skipByte("-")
        if !skipByte("0") {
            guard skipDigits() else { return false }
        }
        if skipByte("."), !skipDigits() { return false }
        if skipByte("e") || skipByte("E") {
            _ = skipByte("+") || skipByte("-")
            return skipDigits()
        }
        return true
    }

    private mutating func skipByte(_ scalar: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position > start
    }

    // MARK: - Escapes

    /// The text of a valid string value between its quotes. A surrogate without its other half becomes U+FFFD.
    static func unescaped(_ bytes: UnsafeRawBufferPointer) -> String {
        var units: [UInt16] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) ?? bytes.count
                units += String(decoding: bytes[index..<end], as: UTF8.self).utf16
                index = end
                continue
            }
            let escaped = Unicode.Scalar(bytes[index + 1])
            if escaped == "u" {
                units.append(bytes[index + 2..<index + 6].reduce(0) { $0 << 4 | (hexadecimal($1) ?? 0) })
                index += 6
            } else {
                units.append(unit(escaped))
                index += 2
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func unit(_ escaped: Unicode.Scalar) -> UInt16 {
        switch escaped {
        case "b": 0x08
        case "f": 0x0c
        case "n": 0x0a
        case "r": 0x0d
        case "t": 0x09
        default: UInt16(escaped.value)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt16? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt16.init)
    }
}
