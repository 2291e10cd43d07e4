internal import Timelines

/// Reads JSON (RFC 8259) into values that keep each number's own text, as `ParameterValue` promises.
///
/// Foundation's reader loses that text, and differs between its systems.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0

    /// How deep arrays and objects may lie in each other.
    private static let depthMax = 128

    /// Reads a whole text.
    ///
    /// - Throws: `.unreadable` with the byte at which the text is no JSON.
    static func value(of bytes: some Sequence<UInt8>) throws(TidelineError) -> ParameterValue {
        var reader = JSONReader(bytes: Array(bytes))
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == reader.bytes.count else { throw reader.problem("the end") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: - Values

    private mutating func value(depth: Int) throws(TidelineError) -> ParameterValue {
        guard depth < Self.depthMax else { throw problem("at most \(Self.depthMax) levels") }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(TidelineError) -> Parameters {
        position += 1
        var members: [Parameters.Member] = []
        skipSpace()
        if take("}") { return Parameters() }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw problem("a key") }
            let key = try string()
            skipSpace()
            guard take(":") else { throw problem("a colon") }
            members.append(Parameters.Member(key: key, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw problem("a comma or }") }
        return Parameters(members)
    }

    private mutating func array(depth: Int) throws(TidelineError) -> [ParameterValue] {
        position += 1
        var elements: [ParameterValue] = []
        skipSpace()
        if take("]") { return elements }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw problem("a comma or ]") }
        return elements
    }

    private mutating func word(_ text: String, _ value: ParameterValue) throws(TidelineError) -> ParameterValue {
        guard bytes[position...].starts(with: text.utf8) else { throw problem("a value") }
        position += text.utf8.count
        return value
    }

    // MARK: - Numbers

    private mutating func number() throws(TidelineError) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(TidelineError) {
        let start = position
        while let byte = peek, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        guard position > start else { throw problem("a value") }
    }

    // MARK: - Strings

    private mutating func string() throws(TidelineError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case ..<0x20: throw problem("a text without control characters")
            default: text.append(byte)
            }
        }
        throw problem("a closing quote")
    }

    private mutating func escape(into text: inout [UInt8]) throws(TidelineError) {
        guard let byte = peek else { throw problem("an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: try scalar().utf8)
        default: throw problem("an escape")
        }
    }

    /// The character of an escape with four digits, or of two of them that are a surrogate pair; half a pair is U+FFFD.
    private mutating func scalar() throws(TidelineError) -> Character {
        let first = try codeUnit()
        if 0xD800...0xDBFF ~= first, take("\\") {
            guard take("u") else {
                position -= 1
                return "\u{FFFD}"
            }
            let second = try codeUnit()
            if 0xDC00...0xDFFF ~= second,
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return Character(scalar)
            }
            position -= 6
            return "\u{FFFD}"
        }
        return Character(Unicode.Scalar(first) ?? "\u{FFFD}")
    }

    private mutating func codeUnit() throws(TidelineError) -> UInt32 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw problem("four hexadecimal digits") }
        position += 4
        return unit
    }

    // MARK: - Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func problem(_ expected: String) -> TidelineError {
        .unreadable("at byte \(position) \(expected) is expected")
    }
}
