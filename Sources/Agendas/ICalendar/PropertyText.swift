import Timelines

extension StringProtocol {
    /// The text without spaces, tabs and line ends around it.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}

extension String {
    /// A TEXT value without its escapes (RFC 5545 §3.3.11); a backslash before any other character stays.
    var unescaped: String {
        var result = ""
        var rest = unicodeScalars.makeIterator()
        while let scalar = rest.next() {
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch rest.next() {
            case "n", "N": result += "\n"
            case let escaped? where [",", ";", "\\"].contains(escaped): result.unicodeScalars.append(escaped)
            case let other?:
                result += "\\"
                result.unicodeScalars.append(other)
            case nil: result += "\\"
            }
        }
        return result
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without spaces and tabs around them.
    var trimmed: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return []
        }
        return self[first...last]
    }

    /// Bytes that are written as `=C3`, of texts of vCalendar 1.0.
    var quotedPrintable: [UInt8] {
        var result: [UInt8] = []
        var index = startIndex
        while index < endIndex {
            if self[index] == UInt8(ascii: "="), index + 2 < endIndex,
                let byte = UInt8(String(decoding: self[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                result.append(byte)
                index += 3
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }
}

/// A DURATION value (RFC 5545 §3.3.6), which may be negative.
struct SignedDuration {
    var isNegative: Bool
    var duration: CalendarDuration

    /// The result is `nil` if the text can't be read.
    init?(_ text: String) {
        isNegative = text.hasPrefix("-")
        let unsigned = isNegative || text.hasPrefix("+") ? String(text.dropFirst()) : text
        guard let duration = CalendarDuration(iso8601: unsigned.uppercased()) else { return nil }
        self.duration = duration
    }
}
