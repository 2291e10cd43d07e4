/// Finds the end of a JSON value (RFC 8259) and the places of an object's members, without building anything: the bytes
/// themselves are published unchanged.
struct JSONScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var index: Int
    private var depth = 0

    enum Failure: Error {
        /// The bytes end before the value does.
        case incomplete
        case malformed(at: Int, reason: String)
    }

    /// A member of an object: its name with the quotes, and its value.
    struct Member {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// Deeper nesting is refused, so that no input can exhaust the stack.
    static let depthMax = 128

    init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        self.bytes = bytes
        self.index = index
    }

    /// Steps over an object and names its members in their order.
    mutating func scanObject() throws(Failure) -> [Member] {
        var members: [Member] = []
        try enter()
        try expect("{", "a JSON object")
        try skipSpace()
        while try peek() != UInt8(ascii: "}") {
            if !members.isEmpty {
                try expect(",", "\",\" or \"}\" after a member's value")
                try skipSpace()
                if try peek() == UInt8(ascii: "}") {
                    throw unexpected("another member's name in double quotes", ": no comma stands before it")
                }
            }
            guard try peek() == UInt8(ascii: "\"") else {
                throw unexpected(members.isEmpty ? "a name in double quotes or \"}\"" : "a name in double quotes")
            }
            let name = try extent { scanner throws(Failure) in try scanner.scanString() }
            try skipSpace()
            try expect(":", "\":\" after a member's name")
            try skipSpace()
            let value = try extent { scanner throws(Failure) in try scanner.scanValue() }
            members.append(Member(name: name, value: value))
            try skipSpace()
        }
        index += 1
        depth -= 1
        return members
    }

    mutating func scanValue() throws(Failure) {
        switch try peek() {
        case UInt8(ascii: "{"): _ = try scanObject()
        case UInt8(ascii: "["): try scanArray()
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "t"): try scanWord("true")
        case UInt8(ascii: "f"): try scanWord("false")
        case UInt8(ascii: "n"): try scanWord("null")
        default: try scanNumber()
        }
    }

    mutating func skipSpace() throws(Failure) {
        while index < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 }
        if index == bytes.count { throw .incomplete }
    }

    // MARK: - Parts

    private mutating func scanArray() throws(Failure) {
        try enter()
        try expect("[", "an array")
        try skipSpace()
        var isFirst = true
        while try peek() != UInt8(ascii: "]") {
            if !isFirst {
                try expect(",", "\",\" or \"]\" after an element")
                try skipSpace()
                if try peek() == UInt8(ascii: "]") {
                    throw unexpected("another element", ": no comma stands before it")
                }
            }
            isFirst = false
            try scanValue()
            try skipSpace()
        }
        index += 1
        depth -= 1
    }

    private mutating func scanString() throws(Failure) {
        try expect("\"", "a text in double quotes")
        while true {
            let byte = try peek()
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try scanEscape()
            case 0..<0x20:
                index -= 1
                throw unexpected("the rest of a text in double quotes", ": in a text it is written as an escape")
            default: break
            }
        }
    }

    private mutating func scanEscape() throws(Failure) {
        let kind = try peek()
        index += 1
        if kind == UInt8(ascii: "u") {
            for _ in 0..<4 {
                guard Character(UnicodeScalar(try peek())).isHexDigit else {
                    throw unexpected("four hexadecimal digits after \\u")
                }
                index += 1
            }
        } else if !"\"\\/bfnrt".utf8.contains(kind) {
            index -= 1
            throw unexpected("one of \" \\ / b f n r t u after the backslash of a text")
        }
    }

    private mutating func scanWord(_ word: StaticString) throws(Failure) {
        let start = index
        for offset in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[offset] else {
                index = start
                throw unexpected(Self.values)
            }
            index += 1
        }
    }

    private mutating func scanNumber() throws(Failure) {
        let start = index
        if try peek() == UInt8(ascii: "-") { index += 1 }
        let isZero = try peek() == UInt8(ascii: "0")
        let digits = try scanDigits(from: start)
        if isZero && digits > 1 {
            index = start
            throw unexpected("a number without leading zeros")
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            _ = try scanDigits(from: start)
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(try peek()) { index += 1 }
            _ = try scanDigits(from: start)
        }
    }

    private mutating func scanDigits(from start: Int) throws(Failure) -> Int {
        _ = try peek()
        let first = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        if index == first {
            let isNumber = first > start
            index = start
            throw unexpected(isNumber ? "a number with digits where they belong" : Self.values)
        }
        return index - first
    }

    private mutating func enter() throws(Failure) {
        depth += 1
        if depth > Self.depthMax { throw .malformed(at: index, reason: "nested deeper than \(Self.depthMax) levels") }
    }

    private mutating func extent(_ scan: (inout JSONScanner) throws(Failure) -> Void) throws(Failure) -> Range<Int> {
        let start = index
        try scan(&self)
        return start..<index
    }

    private func peek() throws(Failure) -> UInt8 {
        if index == bytes.count { throw .incomplete }
        return bytes[index]
    }

    private mutating func expect(_ character: Unicode.Scalar, _ allowed: String) throws(Failure) {
        guard try peek() == UInt8(ascii: character) else { throw unexpected(allowed) }
        index += 1
    }

    // MARK: - What is wrong

    private static let values = "a text in double quotes, a number, true, false, null, \"{\" or \"[\""

    private func unexpected(_ allowed: String, _ remark: String = "") -> Failure {
        .malformed(at: index, reason: "expected \(allowed), found \(Self.found(bytes[index...]))\(remark)")
    }

    /// Names the beginning of these bytes for a message: a word, a character, or the name of a character that cannot be
    /// seen.
    static func found(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let word = bytes.prefix(20).prefix { byte in
            switch byte | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): byte >= 0x20
            default: byte == UInt8(ascii: "_")
            }
        }
        if !word.isEmpty { return "\"\(String(decoding: word, as: UTF8.self))\"" }
        switch bytes.first {
        case nil: return "the end"
        case UInt8(ascii: "\n")?, UInt8(ascii: "\r")?: return "the end of the line"
        case UInt8(ascii: "\t")?: return "a tab"
        case let byte? where byte < 0x20 || byte == 0x7f:
            return "the control character U+00" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        default:
            let character = String(decoding: bytes.prefix(4), as: UTF8.self).unicodeScalars.first
            return character.map { $0 == "\u{fffd}" ? "a byte that is no UTF-8" : "\"\($0)\"" } ?? "nothing"
        }
    }
}
