/// The objects of a JSON file: one object, an array of objects, or JSON lines, read as they come.
package final class JSONObjectStream {
    let source: ByteSource
    var buffer: [UInt8] = []
    /// The place at which the next value is searched. The bytes before it have been handed out.
    var index = 0
    /// The line of `index`.
    var line = 1
    /// A place up to which columns have been counted, at or before `index`, and its column.
    private var counted = (index: 0, column: 1)
    private var isAtEnd = false
    var array = ArrayState.outside
    /// The line on which the array began.
    var arrayLine = 0
    /// True if nothing came through a pipe for as long as was to be waited: `next` may be called again.
    package internal(set) var isPaused = false
    /// The way in which reading goes on after the problem that was thrown last.
    var recovery = Recovery.skipElement
    /// The problem to throw before anything else is read.
    var pending: InputProblem?

    enum ArrayState {
        case outside, beforeFirst, afterElement, afterComma
    }

    /// The most bytes of an object; larger ones are refused. A topic takes far less, so that a file can hold a record
    /// that is too large for the topic.
    static let lengthMax = 16 << 20

    /// - Parameters:
    ///   - file: a path; `-` is standard input.
    ///   - shouldStop: asked several times a second while nothing comes through a pipe; true is the input's end.
    package convenience init(
        file: String, shouldStop: @escaping () -> Bool = { false }
    ) throws(InputProblem) {
        self.init(try ByteSource(file: file, shouldStop: shouldStop))
    }

    init(_ source: ByteSource) {
        self.source = source
    }

    /// The path as it was given.
    package var file: String { source.file }
    var fractionDone: Double? { source.fractionDone }

    /// The next object; `nil` after the last one.
    ///
    /// - Parameter waits: asked several times a second while nothing comes through a pipe. If it returns false, the
    ///   result is `nil` and `isPaused` is true.
    /// - Throws: the problem at the next place; `skipFault` leads behind it.
    package func next(waits: () -> Bool = { true }) throws(InputProblem) -> JSONObject? {
        isPaused = false
        recovery = .skipElement
        if let problem = pending {
            pending = nil
            recovery = .goOn
            throw problem
        }
        while try findByte(waits) {
            let byte = buffer[index]
            switch (array, byte) {
            case (.outside, UInt8(ascii: "[")):
                array = .beforeFirst
                arrayLine = line
            case (.beforeFirst, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): array = .outside
            case (.afterElement, UInt8(ascii: ",")): array = .afterComma
            case (.afterElement, _):
                if byte == UInt8(ascii: "{") { recovery = .readElement }
                throw unexpected("\",\" or \"]\" after an element of the array")
            case (.afterComma, UInt8(ascii: "]")): throw unexpected("another object", ": no comma stands before it")
            case (_, UInt8(ascii: "{")):
                guard let object = try scan(waits) else { return nil }
                if array != .outside { array = .afterElement }
                return object
            case (.beforeFirst, _): throw unexpected("a JSON object or \"]\"")
            case (.afterComma, _): throw unexpected("a JSON object")
            case (.outside, _): throw unexpected("a JSON object or an array of them")
            }
            index += 1
        }
        guard array == .outside || isPaused else {
            array = .outside
            recovery = .goOn
            throw InputProblem(
                file: file, line: arrayLine, reason: "the array that begins here is not closed: \"]\" is missing")
        }
        return nil
    }

    /// Moves to the next byte that is not white space.
    ///
    /// - Returns: false at the end of the input, or if reading pauses.
    private func findByte(_ waits: () -> Bool) throws(InputProblem) -> Bool {
        while true {
            while index < buffer.count {
                switch buffer[index] {
                case UInt8(ascii: "\n"): line += 1
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
                case 0xef where line == 1 && buffer[index...].starts(with: [0xef, 0xbb, 0xbf]):
                    let column = countedColumn()
                    index += 2
                    counted = (index + 1, column)
                default: return true
                }
                index += 1
            }
            guard try readMore(waits) else { return false }
        }
    }

    /// - Returns: the object; `nil` if reading pauses.
    private func scan(_ waits: () -> Bool) throws(InputProblem) -> JSONObject? {
        while true {
            let (result, end) = buffer.withUnsafeBufferPointer { bytes in
                var scanner = JSONScanner(bytes, at: index)
                let result = Result { () throws(JSONScanner.Failure) in try scanner.scanObject() }
                return (result, scanner.index)
            }
            switch result {
            case .success(let members): return try object(upTo: end, members)
            case .failure(.malformed(let at, let reason)):
                throw malformed(at: at, reason)
            case .failure(.incomplete):
                guard buffer.count - index <= Self.lengthMax else {
                    throw problem("the object is larger than \(Self.lengthMax) bytes")
                }
                if try readMore(waits) { continue }
                if isPaused { return nil }
                recovery = .skipBrace
                throw problem("the input ends inside the object that begins here")
            }
        }
    }

    private func malformed(at: Int, _ reason: String) -> InputProblem {
        // An unexpected brace that stands first on its line, no deeper than this object, begins the next object.
        let before = buffer[index..<at].last { !" \t\r".utf8.contains($0) }
        let place = place(of: at)
        guard buffer[at] == UInt8(ascii: "{"), before == UInt8(ascii: "\n"), place.column <= countedColumn() else {
            return InputProblem(file: file, line: place.line, column: place.column, reason: reason)
        }
        let problem = problem("the object that begins here is not closed before the next one begins")
        recovery = .readElement
        line = place.line
        index = at
        return problem
    }

    private func object(upTo end: Int, _ members: [JSONScanner.Member]) throws(InputProblem) -> JSONObject {
        let bytes = Array(buffer[index..<end])
        let shifted = members.map { member in
            JSONScanner.Member(
                name: member.name.lowerBound - index..<member.name.upperBound - index,
                value: member.value.lowerBound - index..<member.value.upperBound - index)
        }
        let object = JSONObject(bytes: bytes, line: line, column: countedColumn(), members: shifted)
        defer {
            line += bytes.count { $0 == UInt8(ascii: "\n") }
            index = end
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            recovery = .goOn
            if array != .outside { array = .afterElement }
            throw problem("not UTF-8 text")
        }
        return object
    }

    func readMore(_ waits: () -> Bool = { true }) throws(InputProblem) -> Bool {
        if isAtEnd { return false }
        counted = (0, countedColumn())
        buffer.removeFirst(index)
        index = 0
        switch try source.read(into: &buffer, waits: waits) {
        case .bytes: return true
        case .end: isAtEnd = true
        case .nothingYet: isPaused = true
        }
        return false
    }

    // MARK: - Places

    /// The column of `index`. No byte is looked at twice for it, however long a line is.
    private func countedColumn() -> Int {
        counted = (index, column(of: index))
        return counted.column
    }

    /// The column of a place in characters, from 1.
    private func column(of place: Int) -> Int {
        let passed = buffer[counted.index..<place]
        guard let lineEnd = passed.lastIndex(of: UInt8(ascii: "\n")) else {
            return counted.column + passed.characterCount
        }
        return passed[lineEnd...].characterCount
    }

    /// Line and column of a place at or behind `index`.
    private func place(of place: Int) -> (line: Int, column: Int) {
        (line + buffer[index..<place].count { $0 == UInt8(ascii: "\n") }, column(of: place))
    }

    private func problem(_ reason: String) -> InputProblem {
        InputProblem(file: file, line: line, column: countedColumn(), reason: reason)
    }

    private func unexpected(_ allowed: String, _ remark: String = "") -> InputProblem {
        let found = buffer.withUnsafeBufferPointer { JSONScanner.found($0[index...]) }
        return problem("expected \(allowed), found \(found)\(remark)")
    }
}
