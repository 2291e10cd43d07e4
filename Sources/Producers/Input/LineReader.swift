/// The lines of a text file, by number. A byte order mark and carriage returns before line ends are left out.
final class LineReader {
    private let source: ByteSource
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private(set) var number = 0

    /// A longer line is no text.
    static let lengthMax = 16 << 20

    init(file: String) throws(InputProblem) {
        source = try ByteSource(file: file)
    }

    var file: String { source.file }
    var fractionDone: Double? { source.fractionDone }

    /// The next line without its end; `nil` after the last one.
    func next() throws(InputProblem) -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return line(upTo: end)
            }
            searched = buffer.count - start
            if isAtEnd {
                guard start < buffer.count else { return nil }
                defer { start = buffer.count }
                return line(upTo: buffer.count)
            }
            buffer.removeFirst(start)
            start = 0
            guard buffer.count <= Self.lengthMax else {
                throw problem("the line is longer than \(Self.lengthMax) bytes", line: number + 1)
            }
            isAtEnd = try !source.read(into: &buffer)
        }
    }

    func problem(_ reason: String, line: Int? = nil) -> InputProblem {
        InputProblem(file: file, line: line ?? number, reason: reason)
    }

    private func line(upTo end: Int) -> ArraySlice<UInt8> {
        number += 1
        var line = buffer[start..<end]
        if number == 1 && line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return line
    }
}
