/// What follows a fault is read on, so that one broken object does not hide what is wrong, or good, behind it.
extension JSONObjectStream {
    /// Where reading goes on after a problem.
    enum Recovery {
        /// Behind the element that begins here.
        case skipElement
        /// Here begins an object, which is good as far as anybody knows.
        case readElement
        /// At the next line that begins an object: the one that begins here has no end.
        case skipBrace
        /// Here.
        case goOn
    }

    /// After a problem: moves behind what is broken.
    ///
    /// Within an array that is its next element that is an object, or its end; brackets and texts are followed to find
    /// it. Outside of one it is the line after the broken object's last one, or the next line that begins with an
    /// object. Where an element has no end up to that of the input, so that what follows cannot be read, `next` says
    /// so.
    ///
    /// - Returns: false where there is nothing more to read.
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
                // What is no object is part of the same fault.
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
        // Where an object has no end, the next one may begin right here.
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

    /// Up to where reading is.
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

    /// Whether a bracket closes what lies around all of this: none here waits for it.
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

    /// What was opened within it and not closed ends with it; a bracket that nothing waits for is none.
    private mutating func close(_ opening: UInt8) {
        guard let place = open.lastIndex(of: opening) else { return }
        open.removeSubrange(place...)
    }
}
