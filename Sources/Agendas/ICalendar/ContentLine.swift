/// One content line of an iCalendar text, unfolded (RFC 5545 §3.1), of a name that is read.
struct ContentLine {
    /// The number of the first line in the text, from 1 on.
    let number: Int
    let property: CalendarProperty
    /// The whole line, name and parameters included.
    let bytes: ArraySlice<UInt8>

    /// The result is `nil` for a line of another name than those that are read.
    init?(number: Int, bytes: ArraySlice<UInt8>) {
        let end = bytes.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") } ?? bytes.endIndex
        guard let property = CalendarProperty(bytes[bytes.startIndex..<end]) else { return nil }
        self.number = number
        self.property = property
        self.bytes = bytes
    }

    /// The part after the name and the parameters, without spaces around it.
    ///
    /// A time begins after the last colon: programs write zones with a colon in them without quotation marks.
    var value: String {
        let colon = isTime ? bytes.lastIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex : colon
        return decoded(bytes[colon...].dropFirst().trimmed)
    }

    /// True if the line has no value, as if it were not there.
    var isEmpty: Bool { bytes[colon...].dropFirst().allSatisfy { $0 == UInt8(ascii: " ") } }

    /// A value of type TEXT (RFC 5545 §3.3.11), without its escapes.
    var textValue: String {
        let value = bytes[colon...].dropFirst()
        if isQuotedPrintable { return decoded(value.quotedPrintable[...]).unescaped }
        return value.contains(UInt8(ascii: "\\")) ? decoded(value).unescaped : decoded(value)
    }

    /// A parameter's value without quotation marks; `nil` means that the line has none.
    func parameter(_ name: String) -> String? {
        for part in parameters where part.count > name.utf8.count {
            let (said, value) = (part.prefix(name.utf8.count), part.dropFirst(name.utf8.count))
            guard value.first == UInt8(ascii: "="), decoded(said).uppercased() == name else { continue }
            return decoded(value.dropFirst().filter { $0 != UInt8(ascii: "\"") }[...].trimmed)
        }
        return nil
    }

    /// The parameters that a record's recurrence lines keep, each with the semicolon before it: all but zones.
    var otherParameters: String {
        parameters.map(decoded).filter { !$0.uppercased().hasPrefix("TZID=") }.map { ";" + $0 }.joined()
    }

    // MARK: - Parts

    private var isTime: Bool {
        switch property {
        case .start, .endTime, .recurrenceId, .dates, .exceptionDates, .stamp, .lastModified: true
        default: false
        }
    }

    /// The first one that is not in quotation marks, as those of a parameter may hold one.
    private var colon: Int {
        var isQuoted = false
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if bytes[index] == UInt8(ascii: ":"), !isQuoted { return index }
        }
        return bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    }

    private var parameters: [ArraySlice<UInt8>] {
        let end = isTime ? bytes.lastIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex : colon
        var isQuoted = false
        return bytes[..<end].split(omittingEmptySubsequences: false) { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ";") && !isQuoted
        }
        .dropFirst().map { $0 }
    }

    private var isQuotedPrintable: Bool {
        parameter("ENCODING")?.uppercased() == "QUOTED-PRINTABLE"
    }
}

/// Text is UTF-8; what is not is taken for Windows-1252, the other encoding that such files are in.
private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    // A text that has other characters in UTF-8 was cut or broken on its way.
    let repaired = String(decoding: bytes, as: UTF8.self)
    if repaired.unicodeScalars.contains(where: { !$0.isASCII && $0 != "\u{FFFD}" }) { return repaired }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(windows1252[byte] ?? Unicode.Scalar(byte)) }
    return text
}

/// The bytes in which Windows-1252 differs from Latin-1.
private let windows1252: [UInt8: Unicode.Scalar] = [
    0x80: "€", 0x82: "‚", 0x83: "ƒ", 0x84: "„", 0x85: "…", 0x86: "†", 0x87: "‡", 0x88: "ˆ", 0x89: "‰", 0x8A: "Š",
    0x8B: "‹", 0x8C: "Œ", 0x8E: "Ž", 0x91: "‘", 0x92: "’", 0x93: "“", 0x94: "”", 0x95: "•", 0x96: "–", 0x97: "—",
    0x98: "˜", 0x99: "™", 0x9A: "š", 0x9B: "›", 0x9C: "œ", 0x9E: "ž", 0x9F: "Ÿ",
]

/// The content lines of an iCalendar text, one after the other.
///
/// A line ends at CRLF, LF or CR; one that begins with a space or a tab continues the one before. A byte order mark
/// and NUL bytes are passed over. Bytes are copied for folded lines only.
struct ContentLines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var position: Int
    /// The number of the next line, from 1 on.
    private var number = 1

    init(_ text: [UInt8]) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.text = text.contains(0) ? text.filter { $0 != 0 } : text
        position = text.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    }

    /// A line of the text, with its number; folds undone. Empty ones are left out.
    mutating func next() -> (number: Int, bytes: ArraySlice<UInt8>)? {
        while position < text.count {
            let first = number
            let line = physicalLine()
            var unfolded: [UInt8] = []
            var isWhole = true
            while let begin = nextLineBegin {
                let isFolded = isFold(text[begin])
                guard isFolded || isSoftBreak(isWhole ? line : unfolded[...]) else { break }
                if isWhole { unfolded = Array(line) }
                isWhole = false
                while position < begin { _ = physicalLine() }
                if !isFolded { unfolded.removeLast() }
                unfolded += physicalLine().dropFirst(isFolded ? 1 : 0)
            }
            if !isWhole { return (first, unfolded[...]) }
            if !line.isEmpty { return (first, line) }
        }
        return nil
    }

    /// The place at which the next line begins that is not empty: some programs end lines with CR CR LF.
    private var nextLineBegin: Int? {
        var begin = position
        while begin < text.count, text[begin] == UInt8(ascii: "\n") || text[begin] == UInt8(ascii: "\r") { begin += 1 }
        return begin < text.count ? begin : nil
    }

    private mutating func physicalLine() -> ArraySlice<UInt8> {
        let begin = position
        while position < text.count, text[position] != UInt8(ascii: "\n"), text[position] != UInt8(ascii: "\r") {
            position += 1
        }
        let line = text[begin..<position]
        if position < text.count {
            let isReturn = text[position] == UInt8(ascii: "\r")
            position += 1
            if isReturn, position < text.count, text[position] == UInt8(ascii: "\n") { position += 1 }
        }
        number += 1
        return line
    }

    private func isFold(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// vCalendar 1.0 breaks quoted-printable lines with `=` at their ends.
    private func isSoftBreak(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.last == UInt8(ascii: "="), let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return String(decoding: line[..<colon], as: UTF8.self).uppercased().contains("ENCODING=QUOTED-PRINTABLE")
    }
}
