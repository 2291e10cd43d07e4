/// How many columns a text takes on a terminal: two for the wide letters of East Asia and for emoji, none for marks
/// that are put on the letter before (Unicode Standard Annex 11).
package enum DisplayWidth {
    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    package static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        // A variation selector 16 asks for an emoji.
        if character.unicodeScalars.contains(where: { $0.value == 0xfe0f }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return first.properties.isEmojiPresentation || isWide(first.value) ? 2 : 1
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf,
            0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6,
            0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
            true
        default: false
        }
    }

    /// The text with spaces up to a width.
    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }

    /// The text cut to so many columns, with an ellipsis if something is left out.
    package static func fitted(_ text: String, to columns: Int) -> String {
        if of(text) <= columns { return text }
        guard columns >= 1 else { return "" }
        var result = ""
        var width = 1
        for character in text {
            width += of(character)
            if width > columns { break }
            result.append(character)
        }
        return result + "…" + (DataText.isOpen(result) ? "\(DataText.endOfIsolate)" : "")
    }

    /// The text in lines of at most so many columns, broken between words if that is possible; at least one line.
    package static func wrapped(_ text: String, to width: Int) -> [String] {
        let width = max(2, width)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: true).map({ String($0) }) {
            if !line.isEmpty, of(line) + 1 + of(word) <= width {
                line += " " + word
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = ""
            for character in word {
                if of(line) + of(character) > width {
                    lines.append(line)
                    line = ""
                }
                line.append(character)
            }
        }
        lines.append(line)
        return isolatedByLine(lines)
    }

    /// Lines are laid out by themselves: an isolate that goes on is ended with its line and begun again.
    private static func isolatedByLine(_ lines: [String]) -> [String] {
        var isOpen = false
        return lines.map { line in
            let line = isOpen ? "\(DataText.isolate)\(line)" : line
            isOpen = DataText.isOpen(line)
            return isOpen ? "\(line)\(DataText.endOfIsolate)" : line
        }
    }
}
