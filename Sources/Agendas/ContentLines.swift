/// The content lines of an iCalendar text, one after the other.
///
/// A line ends at CRLF, LF or CR; one that begins with a space or a tab continues the one before. A byte order mark
/// and NUL bytes are passed over. Bytes are copied for folded lines only.
struct ContentLines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var position: Int
    /// Of the next line, counted from 1.
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

    /// Where the next line that is not empty begins: some programs end lines with CR CR LF.
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
