/// Reading goes on behind a fault, so that one broken object does not hide the faults and the good objects behind it.
extension JSONObjectStream {
    /// The place from which reading goes on after a problem.
    enum Recovery {
        /// Reading goes on behind the element that begins here.
        case skipElement
        /// An object begins here, which is taken for a good one.
        case readElement
        /// Reading goes on at the next line that begins an object: the one that begins here has no end.
        case skipBrace
        /// Reading goes on here.
        case goOn
    }

    /// Moves behind the place of a problem.
    ///
    /// Within an array it moves to the next element that is an object, or to the array's end; it follows brackets and
    /// texts to find them. Outside of an array it moves to the line after the broken object's last one, or to the next
    /// line that begins with an object. If an element has no end before the input's end, so that nothing behind it can
    /// be read, `next` throws that.
    ///
    /// - Returns: false if there is nothing more to read.
    package func skipFault(waits: () -> Bool = { true }) throws(InputProblem) -> Bool {
        isPaused = false
        switch recovery {
        case .goOn: return true
        case .readElement:
            if array != .outside { array = .beforeFirst }
            return true
        case .skipElement:
            return try array == .outside ? skipLines(waits) : skipToElement(waits)
        case .skipBrace:
            array = .outside
            return try skipLines(waits)
        }
    }

    private func skipToElement(_ waits: () -> Bool) throws(InputProblem) -> Bool {
        var brackets = OpenBrackets()
        let begin = line
        // The element that is broken has been left behind.
        var isBehind = array == .afterElement
        var braces = 0
        while true {
            while index < buffer.count {
                let byte = buffer[index]
                // Elements that are no objects are part of the same fault.
                if brackets.isEmpty, isBehind, byte == UInt8(ascii: "{") {
                    array = .afterComma
                    return true
                }
                if brackets.closesArrayAround(byte) {
                    if !brackets.isEmpty && braces > 1 { pending = unread(from: begin) }
                    array = .outside
                    index += 1
                    return true
                }
                if byte == UInt8(ascii: "{") { braces += 1 }
                brackets.consume(byte)
                if brackets.isEmpty && ",}".utf8.contains(byte) { isBehind = true }
                if byte == UInt8(ascii: "\n") { line += 1 }
                index += 1
            }
            guard try readMore(waits) else { break }
        }
        if isPaused { return false }
        let reason = "the array that begins here is not closed: \"]\" is missing"
        let rest = braces > 1 ? "; \(lines(from: begin)) could not be read" : ""
        pending = InputProblem(file: file, line: arrayLine, reason: reason + rest)
        array = .outside
        return true
    }

    private func skipLines(_ waits: () -> Bool) throws(InputProblem) -> Bool {
        var brackets = OpenBrackets()
        let begin = line
        var hidesObjects = false
        // If an object has no end, the next one may begin right here.
        var isAtLineStart = index > 0 && buffer[index - 1] == UInt8(ascii: "\n")
        while true {
            while index < buffer.count {
                let byte = buffer[index]
                let isObject = byte == UInt8(ascii: "{")
                let isEnd = brackets.isEmpty && recovery != .skipBrace
                if isAtLineStart && begin < line && (isObject || isEnd) { return true }
                if isObject && begin < line { hidesObjects = true }
                brackets.consume(byte)
                isAtLineStart = byte == UInt8(ascii: "\n")
                if isAtLineStart { line += 1 }
                index += 1
            }
            guard try readMore(waits) else { break }
        }
        guard !isPaused, recovery == .skipElement, !brackets.isEmpty, hidesObjects else { return false }
        pending = unread(from: begin)
        return true
    }

    private func unread(from begin: Int) -> InputProblem {
        InputProblem(
            file: file, line: begin, reason: "\(lines(from: begin)) could not be read: what is broken here has no end")
    }

    /// The lines from `begin` up to the place of reading, in words.
    private func lines(from begin: Int) -> String {
        let end = index > 0 && buffer[index - 1] == UInt8(ascii: "\n") ? line - 1 : line
        return begin < end ? "lines \(begin) to \(end)" : "the rest of line \(begin)"
    }
}

/// The brackets and the text that are open at a place of JSON that may be broken.
private struct OpenBrackets {
    private var open: [UInt8] = []
    private var isText = false
    private var isEscape = false

    var isEmpty: Bool { open.isEmpty && !isText }

    /// True if a bracket closes the array around all of this: no open bracket here waits for it.
    func closesArrayAround(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "]") && !isText && !open.contains(UInt8(ascii: "["))
    }

    mutating func consume(_ byte: UInt8) {
        if isText {
            // A text ends with its line at the latest.
            isText = byte != UInt8(ascii: "\n") && (isEscape || byte != UInt8(ascii: "\""))
            isEscape = !isEscape && byte == UInt8(ascii: "\\")
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte)
        case UInt8(ascii: "}"): close(UInt8(ascii: "{"))
        case UInt8(ascii: "]"): close(UInt8(ascii: "["))
        default: break
        }
        isEscape = false
    }

    /// Closes a bracket and the open ones within it. A bracket that nothing waits for is ignored.
    private mutating func close(_ opening: UInt8) {
        guard let place = open.lastIndex(of: opening) else { return }
        open.removeSubrange(place...)
    }
}
