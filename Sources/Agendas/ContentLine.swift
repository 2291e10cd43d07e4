/// One content line of an iCalendar text, unfolded (RFC 5545 §3.1).
struct ContentLine {
    /// Of its first line in the text, counted from 1.
    var number: Int
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The part before parameters and value, in capitals.
    var name: String {
        let end = bytes.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") } ?? bytes.endIndex
        return String(decoding: bytes[..<end], as: UTF8.self).uppercased()
    }

    /// The part after the name and the parameters.
    var value: String {
        String(decoding: bytes[colon...].dropFirst(), as: UTF8.self)
    }

    /// The TZID parameter; nil, where the line has none.
    var zoneName: String? {
        let head = String(decoding: bytes[..<colon], as: UTF8.self)
        guard let parameter = head.split(separator: ";").first(where: { $0.uppercased().hasPrefix("TZID=") }) else {
            return nil
        }
        return parameter.dropFirst("TZID=".utf8.count).filter { $0 != "\"" }
    }

    /// All parameters but TZID, each with the semicolon before it.
    var otherParameters: String {
        let head = String(decoding: bytes[..<colon], as: UTF8.self)
        let parameters = head.split(separator: ";").dropFirst().filter { !$0.uppercased().hasPrefix("TZID=") }
        return parameters.map { ";" + $0 }.joined()
    }

    /// The first one that is not in quotation marks, as those of a parameter may hold one.
    private var colon: Int {
        var isQuoted = false
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ":"), !isQuoted { return index }
        }
        return bytes.endIndex
    }

    /// Lines end at LF, with or without CR; one that begins with a space or a tab continues the one before.
    static func lines(of text: some Sequence<UInt8>) -> [ContentLine] {
        var lines: [ContentLine] = []
        var number = 1
        var current: [UInt8] = []
        func close() {
            defer {
                number += 1
                current.removeAll(keepingCapacity: true)
            }
            if current.last == UInt8(ascii: "\r") { current.removeLast() }
            if let first = current.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"), !lines.isEmpty {
                lines[lines.count - 1].bytes += current.dropFirst()
            } else if !current.isEmpty {
                lines.append(ContentLine(number: number, bytes: current))
            }
        }
        for byte in text {
            switch byte {
            case UInt8(ascii: "\n"): close()
            case 0: break  // Would end the text for a C function.
            default: current.append(byte)
            }
        }
        close()
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if let first = lines.first, first.bytes.starts(with: byteOrderMark) { lines[0].bytes.removeFirst(3) }
        return lines
    }
}
