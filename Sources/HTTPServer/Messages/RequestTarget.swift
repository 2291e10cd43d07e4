/// A request target that cannot be read: the rest of a sentence that begins with "the target", such as "has a percent
/// sign without two hexadecimal digits".
package struct InvalidTarget: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
}

/// The parts of a request target, decoded (RFC 3986 section 2.1, RFC 9112 section 3.2).
struct RequestTarget {
    var path: [String] = []
    var query: [HTTPField] = []

    init(_ target: String) throws(InvalidTarget) {
        var target = Self.withoutAuthority(Substring(target).utf8)
        if let fragment = target.firstIndex(of: UInt8(ascii: "#")) { target = target[..<fragment] }
        var fields = target[target.endIndex...]
        if let mark = target.firstIndex(of: UInt8(ascii: "?")) {
            fields = target[target.index(after: mark)...]
            target = target[..<mark]
        }
        if target.first == UInt8(ascii: "/") { target.removeFirst() }
        if !target.isEmpty {
            for segment in target.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                path.append(try Self.decoded(segment, plusIsSpace: false))
            }
        }
        for field in fields.split(separator: UInt8(ascii: "&")) {
            let equals = field.firstIndex(of: UInt8(ascii: "="))
            let name = try Self.decoded(field[..<(equals ?? field.endIndex)], plusIsSpace: true)
            let value = equals.map { field[field.index(after: $0)...] } ?? field[field.endIndex...]
            query.append(HTTPField(name, try Self.decoded(value, plusIsSpace: true)))
        }
    }

    /// The absolute form, `http://host/path`, is what a client sends to a proxy; a server must take it, too.
    private static func withoutAuthority(_ target: Substring.UTF8View) -> Substring.UTF8View {
        for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
            let rest = target.dropFirst(scheme.utf8.count)
            guard let start = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
                return rest[rest.endIndex...]
            }
            return rest[start...]
        }
        return target
    }

    private static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) throws(InvalidTarget) -> String {
        let isPlain = text.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%") && !(plusIsSpace && byte == UInt8(ascii: "+"))
        }
        if isPlain { return String(Substring(text)) }
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal)
                else { throw InvalidTarget(description: "has a percent sign without two hexadecimal digits after it") }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw InvalidTarget(description: "has a control character")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InvalidTarget(description: "is not UTF-8 once it is percent-decoded")
        }
        return text
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
    }
}
