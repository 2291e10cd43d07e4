/// The objects of a JSON file: one object, an array of objects, or JSON lines, read as they come.
package final class JSONObjectStream {
    private let source: ByteSource
    private var buffer: [UInt8] = []
    /// Where the next value is looked for; what lies before has been handed out.
    private var index = 0
    /// The line of `index`.
    private var line = 1
    private var isAtEnd = false
    private var array = ArrayState.outside

    private enum ArrayState {
        case outside, beforeFirst, afterElement, afterComma
    }

    /// Larger objects are refused. Far above what a topic takes, so that a file can try what is too large for one.
    static let lengthMax = 16 << 20

    /// - Parameters:
    ///   - file: a path; `-` is standard input.
    ///   - shouldStop: asked several times a second while nothing comes through a pipe; true is the input's end.
    package init(file: String, shouldStop: @escaping () -> Bool = { false }) throws(InputProblem) {
        source = try ByteSource(file: file, shouldStop: shouldStop)
    }

    package var file: String { source.file }
    var fractionDone: Double? { source.fractionDone }

    /// The next object; nil after the last.
    package func next() throws(InputProblem) -> JSONObject? {
        while try findByte() {
            let byte = buffer[index]
            switch (array, byte) {
            case (.outside, UInt8(ascii: "[")): array = .beforeFirst
            case (.beforeFirst, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")): array = .outside
            case (.afterElement, UInt8(ascii: ",")): array = .afterComma
            case (.afterElement, _): throw problem("expected \",\" or \"]\" after an element of the array")
            case (_, UInt8(ascii: "{")):
                let object = try scan()
                if array != .outside { array = .afterElement }
                return object
            default: throw problem("expected a JSON object")
            }
            index += 1
        }
        guard array == .outside else { throw problem("the array is not closed") }
        return nil
    }

    /// After a problem: moves to the next line that begins an object, so that one line that is broken does not hide the
    /// problems of those after it.
    ///
    /// - Returns: false where there is none, and nothing more to read.
    package func skipToNextLine() throws(InputProblem) -> Bool {
        // Where an object has no end, the problem lies at the object after it.
        var isAtLineStart = index > 0 && buffer[index - 1] == UInt8(ascii: "\n")
        while true {
            while index < buffer.count {
                if isAtLineStart, buffer[index] == UInt8(ascii: "{") {
                    if array != .outside { array = .beforeFirst }
                    return true
                }
                isAtLineStart = buffer[index] == UInt8(ascii: "\n")
                if isAtLineStart { line += 1 }
                index += 1
            }
            guard try readMore() else { return false }
        }
    }

    /// Moves to the next byte that is not white space; false at the end of the input.
    private func findByte() throws(InputProblem) -> Bool {
        while true {
            while index < buffer.count {
                switch buffer[index] {
                case UInt8(ascii: "\n"): line += 1
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
                case 0xef where line == 1 && buffer[index...].starts(with: [0xef, 0xbb, 0xbf]): index += 2
                default: return true
                }
                index += 1
            }
            guard try readMore() else { return false }
        }
    }

    private func scan() throws(InputProblem) -> JSONObject {
        while true {
            let (result, end) = buffer.withUnsafeBufferPointer { bytes in
                var scanner = JSONScanner(bytes, at: index)
                let result = Result { () throws(JSONScanner.Failure) in try scanner.scanObject() }
                return (result, scanner.index)
            }
            switch result {
            case .success(let members): return try take(upTo: end, members)
            case .failure(.malformed(let at, let reason)):
                throw malformed(at: at, reason)
            case .failure(.incomplete):
                guard buffer.count - index <= Self.lengthMax else {
                    defer { index += 1 }
                    throw problem("the object is larger than \(Self.lengthMax) bytes")
                }
                if try readMore() { continue }
                defer { index += 1 }
                throw problem("the input ends inside the object that begins here")
            }
        }
    }

    /// Reading goes on behind the problem.
    private func malformed(at: Int, _ reason: String) -> InputProblem {
        let isNextObject = at > index && buffer[at] == UInt8(ascii: "{") && buffer[at - 1] == UInt8(ascii: "\n")
        let begin = line
        line += buffer[index..<at].count { $0 == UInt8(ascii: "\n") }
        index = at
        guard isNextObject else { return problem(reason) }
        return InputProblem(
            file: file, line: begin, reason: "the object that begins here is not closed before the next one begins")
    }

    private func take(upTo end: Int, _ members: [JSONScanner.Member]) throws(InputProblem) -> JSONObject {
        let bytes = Array(buffer[index..<end])
        let shifted = members.map { member in
            JSONScanner.Member(
                name: member.name.lowerBound - index..<member.name.upperBound - index,
                value: member.value.lowerBound - index..<member.value.upperBound - index)
        }
        let object = JSONObject(bytes: bytes, line: line, members: shifted)
        defer {
            line += bytes.count { $0 == UInt8(ascii: "\n") }
            index = end
        }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw problem("not UTF-8 text") }
        return object
    }

    private func readMore() throws(InputProblem) -> Bool {
        if isAtEnd { return false }
        buffer.removeFirst(index)
        index = 0
        isAtEnd = try !source.read(into: &buffer)
        return !isAtEnd
    }

    private func problem(_ reason: String) -> InputProblem {
        InputProblem(file: file, line: line, reason: reason)
    }
}
