/// Finds where a JSON value ends (RFC 8259) and where the members of an object lie, without building anything: the
/// bytes themselves are published unchanged.
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
        try expect("{")
        try skipSpace()
        while try peek() != UInt8(ascii: "}") {
            if !members.isEmpty {
                try expect(",")
                try skipSpace()
            }
            let name = try extent { scanner throws(Failure) in try scanner.scanString() }
            try skipSpace()
            try expect(":")
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
        try expect("[")
        try skipSpace()
        var isFirst = true
        while try peek() != UInt8(ascii: "]") {
            if !isFirst {
                try expect(",")
                try skipSpace()
            }
            isFirst = false
            try scanValue()
            try skipSpace()
        }
        index += 1
        depth -= 1
    }

    private mutating func scanString() throws(Failure) {
        try expect("\"")
        while true {
            let byte = try peek()
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try scanEscape()
            case 0..<0x20: throw .malformed(at: index - 1, reason: "a control character in a string")
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
                    throw .malformed(at: index, reason: "an escape \\u without four hexadecimal digits")
                }
                index += 1
            }
        } else if !"\"\\/bfnrt".utf8.contains(kind) {
            throw .malformed(at: index - 1, reason: "an unknown escape in a string")
        }
    }

    private mutating func scanWord(_ word: StaticString) throws(Failure) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[offset] else {
                throw .malformed(at: index, reason: "not a JSON value")
            }
            index += 1
        }
    }

    private mutating func scanNumber() throws(Failure) {
        let start = index
        if try peek() == UInt8(ascii: "-") { index += 1 }
        let isZero = try peek() == UInt8(ascii: "0")
        let digits = try scanDigits(from: start)
        if isZero && digits > 1 { throw .malformed(at: start, reason: "a number with a leading zero") }
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
        if index == first { throw .malformed(at: start, reason: "not a JSON value") }
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

    private mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
        guard try peek() == UInt8(ascii: character) else {
            throw .malformed(at: index, reason: "expected \"\(character)\"")
        }
        index += 1
    }
}
