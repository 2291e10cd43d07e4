/// Text that comes from files, made fit to stand in a line with other text.
package enum DataText {
    /// Around text whose direction must not reach its neighbours: first strong isolate and pop directional isolate
    /// (Unicode Standard Annex 9).
    static let isolate: Character = "\u{2068}"
    static let endOfIsolate: Character = "\u{2069}"

    /// The text fit for a line: characters that would steer a terminal or break the line become spaces, and unseen ones
    /// that turn or hide text are left out.
    package static func cleaned(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars where !isUnseen(scalar.value) {
            let isControl = scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value)
            result.unicodeScalars.append(isControl ? " " : scalar)
        }
        return result
    }

    /// The cleaned text, isolated if it holds letters that are written from right to left.
    package static func isolated(_ text: String) -> String {
        let text = cleaned(text)
        guard isFromRight(text) else { return text }
        return "\(isolate)\(text)\(endOfIsolate)"
    }

    /// A line made of words and texts, of which those that come from files stand isolated in it.
    static func isolated(_ texts: [String], in line: String) -> String {
        texts.reduce(cleaned(line)) { line, text in
            let text = cleaned(text)
            return isFromRight(text) ? line.replacing(text, with: isolated(text)) : line
        }
    }

    /// True if an isolate is begun in the text and not ended.
    static func isOpen(_ text: String) -> Bool {
        guard let begin = text.lastIndex(of: isolate) else { return false }
        return !text[begin...].contains(endOfIsolate)
    }

    static func isFromRight(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfefe, 0x10800...0x10fff, 0x1e800...0x1efff: true
            default: false
            }
        }
    }

    /// Zero-width characters and bidirectional controls.
    private static func isUnseen(_ value: UInt32) -> Bool {
        switch value {
        case 0x61c, 0x200b...0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }
}
