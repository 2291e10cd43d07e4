/// A part of a record's key in which `/` separates the parts (M2): `%` and `/` inside it are percent-encoded.
package enum RecordKeyPart {
    package static func encoded(_ part: String) -> String {
        var result = ""
        for character in part.unicodeScalars {
            switch character {
            case "%": result += "%25"
            case "/": result += "%2F"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// The parts of a key, still encoded: there is one more than there are `/`.
    ///
    /// Bytes are compared, not characters: a part may begin with a mark that combines with the `/` before it.
    package static func parts(of key: some StringProtocol) -> [Substring] {
        Substring(key).utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The text with every percent-encoded byte decoded, as a producer may have encoded more than it must. The result
    /// is `nil` if `%` is not followed by two hexadecimal digits, or if the bytes are not UTF-8.
    package static func decoded(_ part: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
    }
}
